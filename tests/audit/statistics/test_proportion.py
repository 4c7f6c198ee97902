"""The interval of a rate covers it, and reaches the ends."""

import numpy as np

from withhold.audit.statistics.proportion import binomial_interval


def test_interval_covers():
    rng = np.random.default_rng(0)
    ends = [binomial_interval(float(k), 50, 0.95) for k in rng.binomial(50, 0.1, 500)]
    assert np.mean([low <= 0.1 <= high for low, high in ends]) >= 0.95
    assert binomial_interval(50, 50, 0.95)[1] == 1.0
    assert binomial_interval(0, 50, 0.95)[0] == 0.0
