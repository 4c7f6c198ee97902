"""The law of log-ratios under a plant, against draws of the plant itself."""

import numpy as np
import pytest

from withhold.audit.planning.law import Law


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.9, 0.1], [0.2, 0.3, 0.5]])
def test_variance_and_least_are_those_of_drawn_records(shares):
    shares = np.array(shares)
    codes = np.arange(len(shares)) - (shares * np.arange(len(shares))).sum()
    codes = codes / np.sqrt((shares * codes**2).sum())
    law = Law.of(codes, shares)
    rng = np.random.default_rng(0)
    place = 16
    size, shift = law.sizes[place], law.shifts[place]
    n = 200_000
    s = rng.choice(len(shares), n, p=shares)
    z = rng.standard_normal(n) + shift * codes[s]
    density = np.exp(-0.5 * (z[:, None] - shift * codes) ** 2)
    ratio = np.log(0.99 * density / (density @ shares)[:, None] + 0.01)
    told = ratio[np.arange(n), s]
    # Of 200,000 draws the variance is within 3 % and the mean, less the share of prior, within a tenth.
    assert law.variance(size) == pytest.approx(told.var(), rel=0.05)
    assert told.mean() == pytest.approx(size, rel=0.1)
    assert law.least(size, n) == pytest.approx(ratio.min(), rel=0.3)
    assert law.variance(size) > 0
    assert law.least(size, n) < 0


def test_weak_leaks_vary_by_twice_their_size():
    law = Law.of(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    assert law.variance(0.001) / 0.001 == pytest.approx(2.0, rel=0.1)
    assert law.variance(0.0) == 0.0
