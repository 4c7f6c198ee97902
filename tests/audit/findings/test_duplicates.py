"""Twins across the split are a warning only where rows are otherwise different."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.duplicates import duplicates_across_splits, row_numbers

HALF = np.arange(200) < 100


def test_twins_of_distinct_rows_are_a_warning():
    values = np.random.default_rng(0).normal(size=100)
    (found,) = duplicates_across_splits(pa.table({"x": np.r_[values, values[:50], values[:50] + 9]}), HALF)
    assert found.severity == "warning"
    assert "50 rows" in found.text


def test_few_values_repeat_by_nature_and_distinct_rows_are_silent():
    assert duplicates_across_splits(pa.table({"x": np.arange(200) % 3}), HALF)[0].severity == "info"
    assert duplicates_across_splits(pa.table({"x": np.arange(200)}), HALF) == []
    assert duplicates_across_splits(pa.table({"x": np.zeros(200)}), None) == []


def test_rows_equal_in_every_column_share_a_number():
    table = pa.table({"a": [1.0, None, 1.0, None], "b": ["x", "y", "x", "x"]})
    numbers = row_numbers(table)
    assert numbers[0] == numbers[2]
    assert len(set(numbers.tolist())) == 3


def examples():
    return {"duplicates_across_splits": scene(pa.table({"x": np.r_[np.arange(100), np.arange(100)]}), fit_rows=HALF)}
