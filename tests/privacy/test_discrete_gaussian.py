"""The delta that is promised bounds the true one, the clip holds in integers, the noise has the variance stated."""

import math

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.privacy.discrete_gaussian import DiscreteGaussian, concentrated_budget, concentrated_delta


def true_delta(mechanism: DiscreteGaussian, epsilon: float) -> float:
    """The largest delta over both directions, for the two records farthest apart, by listing."""
    case = mechanism.enumeration()
    p, q = (np.exp(mechanism.log_probabilities(np.array([end]), case.outputs)) for end in (-2, 2))
    return float(max(np.maximum(p - math.exp(epsilon) * q, 0).sum(), np.maximum(q - math.exp(epsilon) * p, 0).sum()))


def test_the_true_delta_is_below_the_promised_one() -> None:
    mechanism = DiscreteGaussian.enumeration().mechanism
    assert isinstance(mechanism, DiscreteGaussian)
    found = true_delta(mechanism, 1.0)
    assert 0.05 * 0.01 < found <= 0.01  # the bound is loose, but not by orders of magnitude


def test_less_noise_breaks_the_promise() -> None:
    """Positive control: half the standard deviation, as with the radius in place of the diameter."""
    mechanism = DiscreteGaussian.enumeration().mechanism
    assert isinstance(mechanism, DiscreteGaussian)
    mechanism.variance //= 4
    assert true_delta(mechanism, 1.0) > 0.01


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 1.0, 10.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-9])
def test_the_budget_inverts_the_bound(epsilon: float, delta: float) -> None:
    rho = concentrated_budget(epsilon, delta)
    assert concentrated_delta(epsilon, rho) <= delta
    assert concentrated_delta(epsilon, rho * 1.001) > delta * (1 - 1e-5)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_the_bound_holds_for_the_continuous_gaussian(epsilon: float) -> None:
    """Its delta has a closed form (Balle and Wang, 2018, theorem 8); sensitivity 1, rho = 1 / (2 sigma^2)."""
    phi = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))  # noqa: E731
    for sigma in (0.3, 1.0, 3.0):
        exact = phi(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * phi(-0.5 / sigma - epsilon * sigma)
        bound = concentrated_delta(epsilon, 0.5 / sigma**2)
        assert exact <= bound
        assert bound < 30 * exact or bound == 1 or exact < 1e-12


def test_no_record_leaves_the_ball() -> None:
    mechanism = DiscreteGaussian(1, 1e-6, dimensions=3, radius=0.7)
    rng = np.random.default_rng(0)
    odd = [[np.nan, 0, 0], [np.inf, 1, 1], [1e308, -1e308, 1e308], [5e-324, 0, 0], [0, 0, 0]]
    z = np.vstack([rng.normal(size=(5_000, 3)) * 10.0 ** rng.integers(-9, 9, (5_000, 1)), odd])
    q = mechanism.clip(z)
    assert (q**2).sum(axis=1).max() <= mechanism.steps**2
    assert not q[-5].any()
    assert not q[-4].any()
    np.testing.assert_allclose(q[-3] * mechanism.granularity, 0.7 / math.sqrt(3) * np.array([1, -1, 1]), atol=1e-5)
    short = np.array([[0.1, -0.2, 0.3]])
    np.testing.assert_allclose(mechanism.clip(short) * mechanism.granularity, short, atol=2e-6)


def test_a_sum_of_squares_that_is_one_too_many_is_shrunk() -> None:
    mechanism = DiscreteGaussian(1, 1e-6, dimensions=2, radius=5.0, steps=5)
    np.testing.assert_array_equal(mechanism.clip(np.array([[3.0, 4.0], [4.0, 4.0]])), [[3, 4], [3, 3]])


@pytest.mark.parametrize("steps", [1, 30, 1 << 20])
def test_noise_has_the_stated_variance(steps: int) -> None:
    mechanism = DiscreteGaussian(2, 1e-5, dimensions=1, steps=steps)
    noise = mechanism.noise(40_000) / math.sqrt(mechanism.variance)
    assert abs(noise.mean()) < 6.2 / math.sqrt(40_000)
    assert abs(noise.var() - 1) < 6.2 * math.sqrt(2 / 40_000)
    assert abs((noise**4).mean() - 3) < 6.2 * math.sqrt(96 / 40_000) + 0.1


def test_more_privacy_is_more_noise() -> None:
    scales = [DiscreteGaussian(epsilon, 1e-6, dimensions=2).scale for epsilon in (0.1, 1, 10)]
    assert scales == sorted(scales, reverse=True)
    assert DiscreteGaussian(1, 1e-9, dimensions=2).scale > scales[1]


@pytest.mark.parametrize("settings", [{"delta": 0}, {"delta": 1}, {"epsilon": 0}, {"radius": -1.0}, {"steps": 0}])
def test_what_cannot_be_used_is_refused(settings: dict) -> None:
    with pytest.raises(InvalidParameterError, match=next(iter(settings))):
        DiscreteGaussian(**{"epsilon": 1, "delta": 1e-6, "dimensions": 2} | settings)


def test_hopeless_epsilon_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="too wide"):
        DiscreteGaussian(1e-12, 1e-12, dimensions=2)
    assert np.isfinite(DiscreteGaussian(1e-4, 1e-9, dimensions=2).randomise(np.ones((1, 2)))).all()


@pytest.mark.parametrize("epsilon", [1e6, 1e-300])
def test_an_epsilon_that_no_noise_has(epsilon: float) -> None:
    with pytest.raises(InvalidParameterError, match="epsilon"):
        DiscreteGaussian(epsilon, 1e-6, 3)
