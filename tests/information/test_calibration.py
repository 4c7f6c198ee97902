import numpy as np
import pytest

from withhold.information.calibration import PRIOR_WEIGHT, fit_calibration

PRIOR = np.log([0.3, 0.7])


def draw(n, rng):
    s = (rng.random(n) < 0.7).astype(np.int64)
    x = rng.normal(size=n) + s
    logit = x - 0.5 + np.log(0.7 / 0.3)
    true = np.column_stack([-np.logaddexp(0, logit), -np.logaddexp(0, -logit)])
    return s, true


def test_overconfident_guesses_are_cooled():
    s, true = draw(20_000, np.random.default_rng(0))
    sharp = 4 * (true - PRIOR) + PRIOR
    sharp -= np.logaddexp.reduce(sharp, axis=1)[:, None]
    found = fit_calibration(sharp, s, PRIOR)
    assert found.temperature == pytest.approx(0.25, abs=0.02)


def test_noise_becomes_the_prior():
    rng = np.random.default_rng(0)
    s, _ = draw(5000, rng)
    noise = PRIOR + rng.normal(size=(5000, 2))
    noise -= np.logaddexp.reduce(noise, axis=1)[:, None]
    found = fit_calibration(noise, s, PRIOR)
    assert np.abs(found.apply(noise) - PRIOR).max() < 0.2


def test_log_ratios_are_bounded_by_the_prior_weight():
    s, true = draw(1000, np.random.default_rng(0))
    found = fit_calibration(30 * true, s, PRIOR)
    assert (found.apply(30 * true) - PRIOR).min() >= np.log(PRIOR_WEIGHT) - 1e-9


def test_no_rows_means_the_prior():
    found = fit_calibration(np.zeros((0, 2)), np.zeros(0, np.int64), PRIOR)
    assert found.apply(np.log([[0.9, 0.1]])) == pytest.approx(PRIOR[None], abs=1e-9)


def test_probabilities_sum_to_one():
    s, true = draw(300, np.random.default_rng(0))
    assert np.exp(fit_calibration(true, s, PRIOR).apply(true)).sum(axis=1) == pytest.approx(1.0)
