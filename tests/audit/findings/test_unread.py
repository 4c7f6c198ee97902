"""Content that reaches no attacker is named; what is read in full is not."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.findings.unread import partly_read, unread_columns
from withhold.contracts.images import image_column

N = 300
RNG = np.random.default_rng(0)
FLOATS = RNG.normal(size=(N, 16)).astype(np.float32)
VOCABULARY = np.array(["pain", "fever", "mild", "acute", "knee", "left", "cough"])


def lists(rows, kind=None):
    return pa.array(list(rows), kind or pa.list_(pa.float32()))


def structs(kind, rows):
    return pa.array([{"bytes": row, "path": None} for row in rows], pa.struct([("bytes", kind), ("path", pa.string())]))


UNREAD = {
    "bytes": pa.array([row.tobytes()[: 9 + i % 50] for i, row in enumerate(FLOATS)]),
    "struct": structs(pa.binary(), [row.tobytes() for row in FLOATS]),
    "words of their own": pa.array([f"{RNG.bytes(20).hex()} and {RNG.bytes(20).hex()}" for _ in range(N)]),
    "hashes": pa.array([RNG.bytes(64).hex() for _ in range(N)]),
    "long": lists(RNG.normal(size=(N, 5000)).tolist()),
    "decimal": pa.array([Decimal(10**20 + i) / Decimal(10**4) for i in range(N)], pa.decimal128(30, 4)),
}
READ = {
    "structs": pa.array([[{"x": float(v)} for v in row[: 2 + i % 3]] for i, row in enumerate(FLOATS)]),
    "notes": pa.array([" ".join(RNG.choice(VOCABULARY, RNG.integers(4, 15))) for _ in range(N)]),
    "names": pa.array([f"{RNG.choice(VOCABULARY)} {RNG.choice(VOCABULARY)}{i}" for i in range(N)]),
    "gap": lists([None, *FLOATS[1:].tolist()]),
    "ragged": lists(row[: 2 + i % 9].tolist() for i, row in enumerate(FLOATS)),
    "sets": lists(([str(v) for v in RNG.choice(400, 5 + i % 3)] for i in range(N)), pa.list_(pa.string())),
    "map": lists(([("a", float(v)), ("b", 1.0)] for v in FLOATS[:, 0]), pa.map_(pa.string(), pa.float64())),
    "dictionary": pa.array([" ".join(RNG.choice(VOCABULARY, 9)) for _ in range(N)]).dictionary_encode(),
    "number": pa.array(FLOATS[:, 0]),
    "whole": pa.array(RNG.integers(0, 10**9, N)),
    "category": pa.array(RNG.choice(VOCABULARY, N)),
    "sentences": pa.array(RNG.choice(["mild pain in the left knee since last winter", "no fever", "acute cough"], N)),
    "codes": pa.array([f"N{v:08d}" for v in RNG.choice(10**8, N, replace=False)]),
    "diagnoses": pa.array([f"{250 + i}.{i % 7}" if i % 2 else f"{250 + i}" for i in range(N)]),
    "days": pa.array([f"2020-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(N)]),
    "uuid": pa.array([f"{v[:8]}-{v[8:12]}-{v[12:]}" for v in (RNG.bytes(15).hex() for _ in range(N))]),
    "short": pa.array([RNG.bytes(16) for _ in range(N)]),
    "date": pa.array(RNG.integers(0, 9000, N).astype(np.int32)).cast(pa.date32()),
    "vectors": lists(FLOATS.tolist()),
    "parts": pa.array([{"a": float(row[0]), "b": None if row[1] > 1 else "x"} for row in FLOATS]),
    "nobody": pa.nulls(N),
    "money": pa.array([Decimal(i) / 100 for i in range(N)], pa.decimal128(38, 2)),
    "one note": pa.array(["x", *[" ".join(VOCABULARY)] * (N - 3), "some words of their own here", None]),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_is_cut_or_not_decoded_is_named(name: str) -> None:
    (found,) = unread_columns(pa.table({name: UNREAD[name], "b": RNG.normal(size=N)}))
    assert found == name
    (said,) = partly_read(unread_columns(pa.table({name: UNREAD[name]})))
    assert (said.code, said.severity, said.column) == ("partly_read", "warning", name)


@pytest.mark.parametrize("name", READ)
def test_what_is_read_in_full_is_not(name: str) -> None:
    assert unread_columns(pa.table({name: READ[name]})) == {}


def test_many_measurements_do_not_take_the_places_of_a_code() -> None:
    measured = {f"m{i}": np.round(RNG.normal(50, 9, N), 4) for i in range(220)}
    assert unread_columns(pa.table({"code": READ["codes"], **measured})) == {}


def test_more_codes_than_there_are_places_for_are_named() -> None:
    codes = {f"c{i}": [f"N{v:08d}" for v in RNG.choice(10**8, N, replace=False)] for i in range(60)}
    assert set(unread_columns(pa.table(codes))) == set(codes)


def test_what_only_one_subject_has_is_learned_from_nobody_else() -> None:
    own = UNREAD["words of their own"].take(pa.array(np.arange(N) // 6))
    table = pa.table({"note": own, "visit": [f"{text}{i % 6}" for i, text in enumerate(own.to_pylist())]})
    assert unread_columns(table) == {}  # each is known of six records, or its words are
    assert set(unread_columns(table, np.arange(N) // 6)) == {"note", "visit"}


def pictures(height: int, width: int, kind: type = np.uint8) -> pa.Array:
    return image_column(RNG.integers(0, 255, (40, height, width)).astype(kind))


def test_images_that_are_only_averaged_are_named() -> None:
    front, side, small = pictures(20, 20), pictures(20, 18), pictures(8, 9)
    assert set(unread_columns(pa.table({"front": front, "side": side, "small": small}))) == set()
    assert set(unread_columns(pa.table({"front": front, "back": pictures(20, 20)}))) == set()
    assert set(unread_columns(pa.table({"front": front, "small": small}), read=["words"])) == {"front"}


def test_pixels_that_are_no_numbers_are_named() -> None:
    whole = RNG.normal(size=(40, 4, 4)).astype(np.float32)
    holed = whole.copy()
    holed[3, 1, 2] = np.nan
    table = pa.table({"whole": image_column(whole), "holed": image_column(holed)})
    assert set(unread_columns(table)) == {"holed"}


def test_equal_names_are_told_apart() -> None:
    table = pa.table([UNREAD["words of their own"], READ["number"], UNREAD["bytes"]], names=["a", "a", "a"])
    assert set(unread_columns(table)) == {"a", "a#2"}
