"""Values within cells: heaps as they are, runs in full resolution, nothing that few rows have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from withhold.data.columns.cells import NumericCells
from withhold.data.columns.grid import shared_rows
from withhold.data.columns.pieces import Pieces


def fitted(values):
    cells = NumericCells.fit(*np.unique(values, return_counts=True))
    return cells, Pieces.fit(values, cells)


def drawn(values, seed=0, n=20_000):
    cells, pieces = fitted(values)
    codes = cells.codes(values[np.random.default_rng(seed).integers(len(values), size=n)])
    return pieces.values(codes, np.random.default_rng(seed + 1).random(n))


def test_a_column_comes_back_as_it_is_distributed():
    values = np.random.default_rng(0).lognormal(9, 1, size=20_000)
    again = np.sort(drawn(values))
    grid = np.quantile(values, np.linspace(0.01, 0.99, 99))
    shares = np.searchsorted(again, grid) / len(again)
    assert np.abs(shares - np.linspace(0.01, 0.99, 99)).max() < 0.015
    assert len(np.unique(again)) > 15_000


def test_heaps_stay_heaps_within_a_cell():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.uniform(0, 100, 9_000), np.full(400, 45.0), np.full(300, 50.0)])
    again = drawn(values)
    assert abs((again == 45.0).mean() - 400 / 9_700) < 0.01
    assert abs((again == 50.0).mean() - 300 / 9_700) < 0.01


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.5, 7.0, 40.0, 41.0, 999.0]) | st.floats(-1e6, 1e6), min_size=2, max_size=300)
)
@settings(deadline=None)
def test_every_cell_has_values_of_its_own(values):
    values = np.array(values)
    cells, pieces = fitted(values)
    pieces.check(cells)
    codes = np.repeat(np.arange(len(cells.low)), 5)
    found = pieces.values(codes, np.tile([0.0, 0.25, 0.5, 0.75, 1 - 2.0**-24], len(cells.low)))
    assert (found >= np.array(cells.low)[codes]).all()
    assert (found <= np.array(cells.high)[codes]).all()
    rows = pieces.table[:, 2]
    assert ((rows >= shared_rows(len(values))) | (rows == 1)).all()  # 1: nothing is known but the cell


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t[1:],
        lambda t: t * [1, 1, -1, 1],
        lambda t: np.add(t, [0, 1e9, 0, 0]),
        lambda t: t[::-1],
        lambda t: np.add(t, [9, 0, 0, 0]),
    ],
    ids=["a cell left out", "no rows", "beyond the range", "out of order", "upside down"],
)
def test_foreign_pieces_are_refused(change):
    cells, pieces = fitted(np.repeat(np.arange(20.0), 30))
    with pytest.raises(ValueError, match="of their column"):
        Pieces(change(pieces.table)).check(cells)
