"""Digests of S are named with their recipe; others are named as opaque."""

import hashlib
import zlib

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.hashes import TELLS, UNKNOWN

N = 300
RNG = np.random.default_rng(0)
AGE, SEX = RNG.integers(20, 80, N), RNG.integers(0, 2, N)
DIGESTS = [hashlib.md5(f"{age}|{sex}".encode()).hexdigest() for age, sex in zip(AGE, SEX, strict=True)]
KEYED = [hashlib.sha256(b"key" + RNG.bytes(8)).hexdigest() for _ in range(N)]


def examples():
    yield "hash_tells_s", scene(pa.table({"age": AGE, "row_hash": DIGESTS}), SEX)
    yield "opaque_column", scene(pa.table({"age": AGE, "row_hash": KEYED}), SEX)


def test_the_recipe_is_said_and_the_column_is_evidence():
    given = dict(examples())["hash_tells_s"]
    (found,) = TELLS.look(given)
    assert "md5 of age|S" in found.text
    assert given.asked[0].told["row_hash"].share > 0.9
    assert list(UNKNOWN.look(given)) == []


def test_a_keyed_digest_is_opaque_and_no_evidence():
    given = dict(examples())["opaque_column"]
    assert list(TELLS.look(given)) == []
    assert given.asked[0].told["row_hash"].share < 0.1


def test_a_checksum_may_be_written_as_a_number():
    ids = [f"K{k:05d}" for k in RNG.permutation(90_000)[:N]]
    checks = [zlib.crc32(f"{name}|{sex}".encode()) for name, sex in zip(ids, SEX, strict=True)]
    given = scene(pa.table({"id": ids, "check": checks, "size": RNG.integers(0, 2**20, N)}), SEX)
    (found,) = TELLS.look(given)
    assert "crc32 of id|S" in found.text
    assert given.asked[0].told["check"].share > 0.9


def test_numbers_of_other_sizes_are_no_digests():
    table = pa.table({"small": RNG.integers(0, 2**31, N), "parts": RNG.random(N) * 2**32, "years": 1_900 + AGE})
    assert list(UNKNOWN.look(scene(table, SEX))) == []
