"""A line is found across stripes and rings, not along a trend, and holds its rows apart from those without a value."""

import numpy as np
import pytest

from withhold.audit.attackers.cells import Cells
from withhold.audit.attackers.lines import AWAY, best_lines
from withhold.audit.effort import EFFORTS

N = 3_000


def points(seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (N, 2))


def read(x, s):
    """Nats that neighbours read of the second half of the rows."""
    half = N // 2
    fitted = Cells(EFFORTS["quick"]).fit(x[:half].astype(np.float32), s[:half], np.random.default_rng(0))
    found = fitted.log_proba(x[half:].astype(np.float32))
    return float(np.log(2) + found[np.arange(half), s[half:]].mean())


@pytest.mark.parametrize("turn", [0.3, 1.0, 2.2])
def test_slanting_stripes_are_read(turn):
    x = points()
    s = np.floor(6 * (np.cos(turn) * x[:, 0] + np.sin(turn) * x[:, 1])).astype(np.int64) % 2
    assert best_lines(x, s, 2)
    assert read(x, s) > 0.5


def test_rings_are_read_away_from_their_centre():
    x = points()
    s = np.floor(4 * (x**2).sum(axis=1)).astype(np.int64) % 2
    assert best_lines(x, s, 2)[0].function == AWAY
    assert read(x, s) > 0.4


def test_a_trend_is_no_line():
    x = points()
    s = (x[:, 0] + x[:, 1] + np.random.default_rng(1).normal(size=N) > 0).astype(np.int64)
    assert best_lines(x, s, 2) == []


def test_chance_is_no_line():
    assert all(best_lines(points(k), np.random.default_rng(k).integers(0, 2, N), 2) == [] for k in range(8))


def test_rows_without_a_value_stand_apart():
    x = points()
    s = np.floor(4 * (x**2).sum(axis=1)).astype(np.int64) % 2
    x[::5, 1] = np.nan
    line = best_lines(x, s, 2)[0]
    assert line.along(x)[::5].max() < np.delete(line.along(x), np.s_[::5]).min()
    assert 0.25 < read(x, s) < 0.6
