import numpy as np
from scipy.stats import kstest

from withhold.audit.statistics.normal_scores import NormalScores


def test_scores_are_normal_even_with_atoms():
    rng = np.random.default_rng(0)

    def draw(n):
        return np.where(rng.random(n) < 0.6, 0.0, rng.exponential(size=n) ** 3)

    scores = NormalScores.fit(draw(20_000)).transform(draw(20_000), rng)
    assert kstest(scores, "norm").pvalue > 1e-3


def test_order_is_kept_between_distinct_values():
    rng = np.random.default_rng(0)
    got = NormalScores.fit(np.arange(100.0)).transform(np.array([5.0, 50.0, 95.0]), rng)
    assert (np.diff(got) > 0).all()


def test_values_beyond_the_training_range_stay_finite():
    got = NormalScores.fit(np.arange(10.0)).transform(np.array([-1e9, 1e9]), np.random.default_rng(0))
    assert np.isfinite(got).all()
