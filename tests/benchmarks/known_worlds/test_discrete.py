import numpy as np
import pytest
from known_worlds import discrete
from known_worlds.quadrature import distance_for
from known_worlds.registry import WORLDS
from scipy.stats import norm

from exact_information import agrees, log_ratio, matrix, sample


def test_table():
    drawn = sample("discrete_table")
    work = np.searchsorted(np.sort(discrete.WORDS), drawn.release.column("work").to_pylist())
    work = np.argsort(discrete.WORDS)[work]
    house = np.argsort(discrete.NUMBERS)[
        np.searchsorted(np.sort(discrete.NUMBERS), drawn.release.column("house").to_pylist())
    ]
    s = np.searchsorted(["north", "south", "west"], drawn.sensitive["s"])
    densities = np.log(discrete.WORK[:, work] * discrete.HOUSE[:, house]).T
    agrees("discrete_table", log_ratio(densities, s, discrete.SHARES))


def test_rare_one_hot():
    drawn = sample("rare_one_hot")
    level = matrix(drawn).argmax(axis=1)
    p = np.where(level < 20, np.where(level % 2 == 1, 0.9, 0.1), 0.5)
    agrees("rare_one_hot", log_ratio(np.log(np.column_stack([1 - p, p])), drawn.sensitive["s"]))
    assert (level < 20).mean() == pytest.approx(0.2, abs=0.01)


def test_repeated_values():
    drawn = sample("repeated_values")
    which = np.rint((drawn.release.column("weight").to_numpy() - 100) / 0.37).astype(int)
    p = np.where(discrete.OWNER[which] == 1, 0.9, 0.1)
    agrees("repeated_values", log_ratio(np.log(np.column_stack([1 - p, p])), drawn.sensitive["s"]))
    # The size of the number tells nothing: the owners are in no order.
    assert abs(np.corrcoef(which, drawn.sensitive["s"])[0, 1]) < 0.15


def test_only_joint():
    drawn = sample("only_joint")
    z, d = matrix(drawn)[:, 2], distance_for(0.15)
    first, second = drawn.sensitive["s1"], drawn.sensitive["s2"]
    ratios = log_ratio(np.column_stack([norm.logpdf(z), norm.logpdf(z - d)]), first ^ second)
    agrees("only_joint", ratios)
    assert WORLDS["only_joint"].each == {"s1": 0.0, "s2": 0.0}
    assert max(abs(np.corrcoef(z, s)[0, 1]) for s in (first, second)) < 0.01
