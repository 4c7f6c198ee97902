import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from withhold.data.columns.cells import CELLS, NumericCells
from withhold.data.columns.score import ScoreMap

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def fitted(values):
    unique, counts = np.unique(values, return_counts=True)
    return NumericCells.fit(unique, counts), ScoreMap.fit(unique, counts)


@QUICK
@given(st.integers(0, 2**32 - 1), st.lists(st.floats(0, 0.3), max_size=3), st.floats(0, 1, exclude_max=True))
def test_cells_partition_the_data_and_give_back_values_of_their_own(seed, atoms, u):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(500)
    for value, share in zip((0.0, 0.5, -1.0), atoms, strict=False):
        x[rng.random(500) < share] = value
    cells, scored = fitted(x)
    assert len(cells.low) <= CELLS
    assert (np.diff(np.stack([cells.low, cells.high], axis=1).ravel()) >= 0).all()
    codes = cells.codes(x)
    assert set(codes) == set(range(len(cells.low)))
    assert (x >= np.array(cells.low)[codes]).all()
    assert (x <= np.array(cells.high)[codes]).all()
    for uniform in (None, np.full(len(x), u)):
        np.testing.assert_array_equal(cells.codes(cells.values(codes, uniform, scored)), codes)


def test_atoms_have_cells_of_their_own_and_the_rest_equal_shares():
    rng = np.random.default_rng(0)
    x = np.where(rng.random(20_000) < 0.4, 0.0, rng.lognormal(2, 1, 20_000))
    cells, _ = fitted(x)
    shares = np.bincount(cells.codes(x)) / len(x)
    assert shares[0] == (x == 0).mean()
    assert len(shares) == CELLS
    np.testing.assert_allclose(shares[1:], 0.6 / 31, rtol=0.1)


def test_few_values_are_one_cell_each():
    cells, scored = fitted(np.repeat([1.0, 5.0, 9.0], [5, 1, 7]))
    assert (cells.low[0], cells.high[0], cells.low[2], cells.high[2]) == (1.0, 1.0, 9.0, 9.0)
    assert 3 < cells.low[1] < 5 < cells.high[1] < 7  # one record's value stands nowhere
    assert cells.codes(np.array([-9.0, 2.4, 4.1, 99.0])).tolist() == [0, 0, 1, 2]
    first, middle, last = cells.values(np.array([0, 1, 2]), None, scored).tolist()
    assert (first, last) == (1.0, 9.0)
    assert cells.low[1] <= middle <= cells.high[1]


def test_limits_of_cells_are_no_records_values():
    x = np.random.default_rng(0).normal(size=5_000)
    cells, scored = fitted(x)
    assert not set(cells.low[1:]) & set(x)
    assert not set(cells.high[:-1]) & set(x)
    assert not set(cells.values(np.arange(1, CELLS - 1), None, scored)) & set(x)


def test_uniform_draws_follow_the_column():
    rng = np.random.default_rng(0)
    x = rng.lognormal(0, 1, 20_000)
    cells, scored = fitted(x)
    drawn = cells.values(cells.codes(x), rng.random(len(x)), scored)
    np.testing.assert_allclose(np.quantile(drawn, [0.1, 0.5, 0.9]), np.quantile(x, [0.1, 0.5, 0.9]), rtol=0.05)
    medians = cells.values(cells.codes(x), None, scored)
    assert len(np.unique(medians)) == len(cells.low)
