"""g(lambda, mu) against its definition: no posterior lies above it, and some posterior reaches it."""

import math

import numpy as np
import pytest
from scipy.special import entr

from withhold.information.bounds.envelope import Envelope

REFERENCE = np.array([0.5, 0.3, 0.2])


def definition(q: np.ndarray, slope: float, nu: np.ndarray) -> float:
    mu = nu + slope * np.log(REFERENCE)
    return float((q * mu).sum() - entr(q.sum(axis=1)).sum() + slope * entr(q.sum(axis=0)).sum())


@pytest.mark.parametrize("slope", [1.0, 1.05, 2.0, 20.0])
def test_no_posterior_lies_above(slope: float) -> None:
    rng = np.random.default_rng(0)
    nu = rng.normal(size=(4, 3))
    value, touching = Envelope(REFERENCE).evaluate(slope, nu)
    for spread in (0.05, 0.3, 1.0):
        for q in rng.dirichlet(np.full(12, spread), size=200).reshape(-1, 4, 3):
            assert definition(q, slope, nu) <= value + 1e-9
    if slope > 1.0:  # a generic table touches one posterior: the gradient
        assert definition(touching, slope, nu) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("slope", [1.5, 5.0, math.inf])
def test_gradient_of_the_smoothed_function(slope: float) -> None:
    rng = np.random.default_rng(1)
    nu, envelope = rng.normal(size=(3, 3)), Envelope(REFERENCE)
    _, gradient = envelope.evaluate(slope, nu, 0.1)
    for u, s in ((0, 0), (1, 2), (2, 1)):
        step = np.zeros_like(nu)
        step[u, s] = 1e-6
        rise = envelope.evaluate(slope, nu + step, 0.1)[0] - envelope.evaluate(slope, nu - step, 0.1)[0]
        assert rise / 2e-6 == pytest.approx(gradient[u, s], abs=1e-6)


def test_smoothing_is_from_above_and_vanishes() -> None:
    nu = np.random.default_rng(2).normal(size=(3, 3))
    envelope = Envelope(REFERENCE)
    exact = envelope.evaluate(2.0, nu)[0]
    soft = [envelope.evaluate(2.0, nu, t)[0] for t in (0.1, 0.01, 0.001)]
    assert exact < soft[2] < soft[1] < soft[0]
    assert soft[2] - exact < 0.01


def test_the_infinite_slope_is_the_limit() -> None:
    nu = np.random.default_rng(3).normal(size=(3, 3))
    envelope = Envelope(REFERENCE)
    assert envelope.evaluate(1e6, nu)[0] == pytest.approx(envelope.evaluate(math.inf, nu)[0], abs=1e-4)
