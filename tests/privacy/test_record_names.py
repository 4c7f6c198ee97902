"""One person has one name, however a file holds it; what is a different name stays one."""

import itertools
from decimal import Decimal
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError
from withhold.privacy.record_names import name_bytes

SAME = [
    [
        7,
        "7",
        "07",
        " 7\t",
        "7.0",
        "7.",
        "+7",
        7.0,
        np.int8(7),
        np.float32(7),
        Decimal("7.00"),
        np.str_("7"),
        b"7",
        "７",
        "٧",
    ],
    [0, "0", "000", "-0", -0.0],
    [-12, "-12", "-0012.0"],
    [10**16, "1e+16", "1E+16", 1e16, "10000000000000000"],
    [10**400, "1" + "0" * 400, "0" * 5000 + "1" + "0" * 400],
    [
        "José",
        "Jose\u0301",
        "\u00a0José",
        "José\u200b",
        "\ufeffJosé",
        "Jose\u200d\u0301",
        "Jos\u00ade\u0301\x00",
        "José".encode(),
    ],
    ["Mary Ann", "Mary  Ann ", "Mary\u2003Ann", "Mary\tAnn", "Ｍary Ann"],
    ["ﬁn", "fin", "f\u034fin", "fi\ufe0fn"],
    ["12.5", "012.50", Decimal("12.5")],
    [UUID(int=5), str(UUID(int=5))],
]
APART = [
    "José",
    "josé",
    "JOSÉ",
    "Jose",
    "A7",
    "A07",
    "A007",
    "7",
    "7.1",
    "-7",
    "1E2",
    "100",
    "Mary Ann",
    "MaryAnn",
    "7-1",
    "07-1",
]


@pytest.mark.parametrize("ways", SAME, ids=lambda ways: ascii(ways[0])[:12])
def test_ways_of_writing_one_name_are_one(ways: list[object]) -> None:
    assert len({name_bytes(way, "identifier") for way in ways}) == 1


def test_different_names_stay_apart() -> None:
    assert len({name_bytes(name, "identifier") for name in APART}) == len(APART)


def test_a_canonical_name_is_its_own() -> None:
    for way in [*itertools.chain(*SAME), *APART]:
        once = name_bytes(way, "identifier")
        assert name_bytes(once.decode().removeprefix("text "), "identifier") == once


@pytest.mark.parametrize(
    "kind",
    [pa.int16(), pa.uint64(), pa.float64(), pa.decimal128(30, 2), pa.string(), pa.large_string(), pa.binary()],
    ids=str,
)
def test_a_column_names_the_same_people_in_every_type(kind: pa.DataType) -> None:
    digits = pa.array(["3", "20", "140"])
    held = digits.cast(kind) if kind != pa.decimal128(30, 2) else pa.array([3, 20, 140]).cast(kind)
    for column in (held, held.dictionary_encode()):
        assert [name_bytes(value, "identifier") for value in column.to_pylist()] == [b"text 3", b"text 20", b"text 140"]


def test_the_bytes_of_a_record_are_left_as_they_are() -> None:
    assert name_bytes(b"007", "content") != name_bytes(b"7", "content") != name_bytes(b"7", "identifier")
    assert name_bytes(b"\xff7", "identifier") != name_bytes(b"7", "identifier")  # no text


@pytest.mark.parametrize(
    "name",
    [None, "", " ", "\u200b\ufeff", b"", float("nan"), float("inf"), 1.5, True, Decimal("NaN"), 1 << 20_000, ["a"]],
    ids=lambda name: f"{type(name).__name__}",
)
def test_what_is_no_name_is_refused(name: object) -> None:
    with pytest.raises(DataError, match="without gaps"):
        name_bytes(name, "identifier")
