"""Twins stand nearer than chance, found among few rows and among many."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.copies import ALL, columns_of, copy_columns, distances_of, without_sign
from withhold.audit.view.view import AttackView


@pytest.mark.parametrize("n", [600, ALL + 600])
@pytest.mark.parametrize("width", [6, 90])
def test_twins_are_nearer(n, width):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, width)).astype(np.float32)
    twins = n // 6
    rows[:twins] = rows[twins : 2 * twins] + 1e-4 * rng.normal(size=(twins, width)).astype(np.float32)
    column = dict(copy_columns(list(rows.T)))["distance to row 1"]
    assert (column[: 2 * twins] < column[2 * twins :].min()).mean() > 0.95


def test_equal_rows_are_counted():
    rows = np.random.default_rng(0).normal(size=(90, 3)).astype(np.float32)
    rows[:4] = rows[0]
    counted = dict(copy_columns(list(rows.T)))["rows that are the same"]
    assert (counted[:4] > counted[4:].max()).all()


@pytest.mark.parametrize("reversed_columns", [slice(0, 1), slice(None)])
def test_what_takes_back_another_row_is_near_it_without_sign(reversed_columns):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 6))
    rows[100:200] = rows[:100] + 1e-3 * rng.normal(size=(100, 6))
    rows[100:200, reversed_columns] *= -1
    column = dict(without_sign(rows.T))["distance to row 1 without sign"]
    assert (column[:200] < column[200:].min()).mean() > 0.95


def test_without_twins_or_signs_nothing_is_compared():
    rows = np.random.default_rng(0).normal(size=(600, 6))
    assert list(without_sign(rows.T)) == []
    assert list(without_sign(np.vstack([rows, rows + 1e-3]).T ** 2)) == []


@pytest.mark.parametrize("shape", [(10, 5), (500, 1), (500, 0)])
def test_few_rows_or_columns_have_no_distances(shape):
    assert list(copy_columns(list(np.zeros(shape, np.float32).T))) == []


def test_constant_columns_have_no_distances():
    assert list(copy_columns(list(np.ones((100, 3), np.float32).T))) == []


@pytest.mark.parametrize("width", [6, 90])
def test_the_view_holds_the_distances_that_its_columns_are_made_of(width):
    x = np.random.default_rng(0).normal(size=(300, width))
    view = AttackView.fit(pa.table({f"x{i}": column for i, column in enumerate(x.T)}))
    before_order = [name != "row order" for name in view.dense_sources]
    again = distances_of(list(view.dense[:, before_order].T.copy()))
    assert np.array_equal(view.distances, again)
    column = dict(columns_of(view.distances))["distance to row 1"]
    assert (view.relations == column[:, None]).all(axis=0).any()
