"""Digests of S are named with their recipe; others are named as opaque."""

import hashlib

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
