"""Indicators, tails and traces of rounding, each beside a column that has none."""

import numpy as np
import pyarrow as pa

from withhold.audit.view.features import dense_columns, ordinal_columns, rounding_columns
from withhold.audit.view.reading import read_column


def read(values):
    return read_column(pa.table({"v": values}), "v")


def names(columns):
    return [name for name, _ in columns]


def test_levels_beyond_the_cap_share_an_indicator_and_lend_their_traits():
    values = [f"k{i % 60}" for i in range(600)]
    found = names(dense_columns(read(values), 10))
    assert sum(name.startswith("v=") for name in found) == 10
    assert "v another level" in found
    assert "v rank" in found


def test_heavy_tail_gets_a_second_column_and_a_normal_one_does_not():
    rng = np.random.default_rng(0)
    assert "v with its tail" in names(dense_columns(read(np.exp(2 * rng.normal(size=2000))), 100))
    assert names(dense_columns(read(rng.normal(size=2000)), 100)) == ["v"]


def test_common_value_gets_an_indicator():
    rng = np.random.default_rng(1)
    values = np.where(rng.random(1000) < 0.5, 0.0, rng.normal(size=1000))
    assert "v=0" in names(dense_columns(read(values), 100))


def test_decimals_tell_who_was_rounded():
    rng = np.random.default_rng(2)
    values = np.abs(rng.normal(size=1000)) * 100
    rounded = np.arange(1000) < 300
    columns = dict(rounding_columns(read(np.where(rounded, np.round(values, 2), values))))
    assert abs(np.corrcoef(columns["v decimals"], rounded)[0, 1]) > 0.95
    assert list(rounding_columns(read(values))) == []


def test_single_precision_among_double_is_a_trace():
    rng = np.random.default_rng(3)
    values = rng.normal(size=1000)
    single = np.arange(1000) < 300
    columns = dict(rounding_columns(read(np.where(single, values.astype(np.float32), values))))
    assert np.array_equal(columns["v in single precision"], single)


def test_ordinal_keeps_the_order_of_values_that_float32_merges():
    values = np.r_[1e9, 1e9 + 1e-6 * np.arange(1, 500), -1e12]
    (_, column), *_ = ordinal_columns(read(values))
    assert np.array_equal(np.argsort(column, kind="stable"), np.argsort(values, kind="stable"))
    assert len(np.unique(column)) == len(np.unique(values))


def test_null_and_nan_are_told_apart_where_a_column_holds_both():
    column = pa.table({"x": pa.array([1.0, None, float("nan"), 2.0])})
    for columns in (
        dict(dense_columns(read_column(column, "x"), 100)),
        dict(ordinal_columns(read_column(column, "x"))),
    ):
        assert columns["x is NaN"].tolist() == [0.0, 0.0, 1.0, 0.0]
    alone = pa.table({"x": pa.array([1.0, float("nan"), 2.0])})
    assert "x is NaN" not in dict(dense_columns(read_column(alone, "x"), 100))
