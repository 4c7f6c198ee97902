"""Twins in a few columns are found beside many of noise, and beside columns of other types."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.copies import ALL
from withhold.audit.view.partial_copies import next_columns, part_columns
from withhold.audit.view.reading import read_columns

N = 600


def numbers(n=N, width=40, moved=1e-3, together=8, twins=100):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, width))
    part = rows[twins : 2 * twins, :together]
    rows[:twins, :together] = part + moved * rng.normal(size=part.shape)
    return {f"x{j}": column for j, column in enumerate(rows.T)}


def readings(columns):
    return list(read_columns(pa.table(columns)))


def test_twins_among_noise_stand_next_to_each_other():
    for name, column in next_columns(readings(numbers())):
        share = (column[:200] > np.median(column[200:])).mean()
        assert share > 0.95, name


def test_without_twins_no_row_stands_out():
    for _, column in next_columns(readings(numbers(twins=0))):
        assert abs(column[:200].mean() - column[200:].mean()) < 0.3


@pytest.mark.parametrize(("rows", "width"), [(ALL + 1, 6), (40, 6), (N, 3)])
def test_long_files_and_few_rows_or_columns_are_left_out(rows, width):
    assert list(next_columns(readings(numbers(rows, width, twins=10)))) == []


def test_distances_are_taken_over_the_columns_of_each_type():
    rng = np.random.default_rng(1)
    whole = {f"n{j}": rng.integers(0, 90, N) for j in range(5)}
    lists = {"vector": list(rng.normal(size=(N, 4)))}
    columns = {**numbers(width=8), **whole, **lists, "word": rng.choice(list("abc"), N)}
    found = list(part_columns(readings(columns), 18))
    nearest = [column for name, column in found if name == "distance to row 1"]
    assert len(nearest) == 3
    assert (nearest[0][:200] < nearest[0][200:].min()).mean() > 0.95
    assert abs(nearest[1][:200].mean() - nearest[1][200:].mean()) < 0.3


def test_missing_and_infinite_values_are_the_mean():
    columns = numbers(width=6)
    columns["x0"] = np.where(np.arange(N) % 7 == 0, np.nan, columns["x0"])
    columns["x1"] = np.where(np.arange(N) % 7 == 1, np.inf, columns["x1"])
    found = [*part_columns(readings(columns), 9), *next_columns(readings(columns))]
    assert found
    assert all(np.isfinite(column).all() for _, column in found)
