"""Exact values are told apart, in the column's own type."""

from decimal import Decimal

import numpy as np
import pyarrow as pa

from withhold.audit.view.features import dense_columns, ordinal_columns
from withhold.audit.view.reading import read_column, read_columns


def test_large_integers_stay_distinct():
    reading = read_column(pa.table({"id": [2**60, 2**60 + 1, None]}), "id")
    assert reading.codes.tolist() == [0, 1, -1]


def test_what_floats_would_round_is_kept_exactly():
    reading = read_column(pa.table({"id": [2**60, 2**60 + 1, None]}), "id")
    assert reading.exact is not None
    assert reading.exact.tolist() == [2**60, 2**60 + 1]
    assert read_column(pa.table({"id": [1, 2**53]}), "id").exact is None
    digits = pa.array([Decimal(10**25 + i) for i in range(3)], pa.decimal128(30, 0))
    assert read_column(pa.table({"id": digits}), "id").levels.tolist() == [str(10**25 + i) for i in range(3)]
    money = pa.array([Decimal("1.25"), Decimal("7.5")], pa.decimal128(30, 2))
    assert read_column(pa.table({"id": money}), "id").kind == "number"


def test_minus_zero_is_told_from_zero():
    column = pa.array([0.0, -0.0, 1.0, -0.0, None])
    reading = read_column(pa.table({"x": column}), "x")
    assert reading.minus_zero is not None
    assert reading.minus_zero.tolist() == [False, True, False, True, False]
    assert read_column(pa.table({"x": [-0.0, 1.0]}), "x").minus_zero is None
    assert read_column(pa.table({"x": [0, 1]}), "x").minus_zero is None
    for columns in (dense_columns(reading, 10), ordinal_columns(reading)):
        assert dict(columns)["x is -0"].tolist() == [0, 1, 0, 1, 0]


def test_dictionary_and_text_read_alike():
    text = pa.table({"c": ["b", None, "a", "b"]})
    dictionary = pa.table({"c": pa.array(["b", None, "a", "b"]).dictionary_encode()})
    for table in (text, dictionary):
        reading = read_column(table, "c")
        assert reading.levels.tolist() == ["a", "b"]
        assert reading.codes.tolist() == [1, -1, 0, 1]
        assert reading.counts.tolist() == [1, 2]


def test_numbers_written_as_text_keep_both_readings():
    reading = read_column(pa.table({"n": ["1", "01", "2", None]}), "n")
    assert len(reading.levels) == 3
    assert np.allclose(reading.numbers[:3], [1, 1, 2])
    assert np.isnan(reading.numbers[3])


def test_struct_and_list_are_unpacked():
    table = pa.table(
        {"s": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], "v": [[1.0, 2.0], [3.0, 4.0]], "r": [["x"], ["x", "y"]]}
    )
    assert [r.name for r in read_columns(table)] == ["s.a", "s.b", "v[0]", "v[1]", "r"]
    assert {r.source for r in read_columns(table)} == {"s", "v", "r"}


def test_infinity_is_a_value_and_nan_is_missing():
    reading = read_column(pa.table({"x": [float("inf"), float("nan"), 1.0]}), "x")
    assert reading.codes.tolist() == [1, -1, 0]
