"""The clip holds in integers, the paper's scale reaches twice its epsilon, the noise has the scale that is stated."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from cadp.certain_epsilon import epsilon_lower_bound

from withhold.audit.people.linkage import link
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.threats import LinkageResult
from withhold.privacy.discrete_laplace import DiscreteLaplace

NASTY = [0.0, -0.0, 5e-324, 1e-300, 1e300, -1.7e308, np.nan, np.inf, -np.inf, 0.1, 1 / 3, 1.0]


def largest_ratio(log_p: np.ndarray) -> float:
    return float((log_p.max(axis=0) - log_p.min(axis=0)).max())


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("radius", [1.0, 0.1, 3.7])
def test_no_record_leaves_the_ball(normalise: bool, radius: float) -> None:
    mechanism = DiscreteLaplace(1, dimensions=3, radius=radius, normalise=normalise)
    awkward = np.array(list(itertools.product(NASTY, repeat=3)))
    ordinary = np.random.default_rng(0).normal(size=(5_000, 3)) * 10.0 ** np.random.default_rng(1).integers(
        -9, 9, (5_000, 1)
    )
    for z in (awkward, ordinary):
        q = mechanism.clip(z)
        assert q.dtype == np.int64
        assert np.abs(q).sum(axis=1).max() <= mechanism.steps
    assert not mechanism.clip(np.array([[np.nan, 1.0, 1.0], [np.inf, 0.0, 0.0]])).any()


def test_clip_and_normalise() -> None:
    z = np.array([[0.1, 0.1], [3.0, -1.0], [0.0, 0.0]])
    step = 2.0**-20
    clipped = DiscreteLaplace(1, 2, granularity=step).clip(z) * step
    np.testing.assert_allclose(clipped, [[0.1, 0.1], [0.75, -0.25], [0.0, 0.0]], atol=2 * step)
    stretched = DiscreteLaplace(1, 2, normalise=True, granularity=step).clip(z) * step
    np.testing.assert_allclose(stretched, [[0.5, 0.5], [0.75, -0.25], [0.0, 0.0]], atol=2 * step)


def test_the_papers_scale_reaches_twice_its_epsilon() -> None:
    """Noise of scale Q / epsilon at nominal epsilon 1: the largest log-ratio is 2. Asking for 2 gives just that."""
    case = DiscreteLaplace.enumeration()
    paper = DiscreteLaplace(2, dimensions=2, radius=3.0, granularity=1.0)
    assert paper.scale == Fraction(3, 1)
    ratios = [
        largest_ratio(np.array([each.log_probabilities(q, case.outputs) for q in case.inputs]))
        for each in (case.mechanism, paper)
    ]
    assert ratios == pytest.approx([1.0, 2.0], abs=1e-12)


def test_a_ball_that_is_not_checked_breaks_the_promise() -> None:
    """Positive control of the enumeration: with records outside the ball the ratio exceeds epsilon."""
    case = DiscreteLaplace.enumeration()
    q = np.array([[3, 3], [-3, -3]])
    scale = float(case.mechanism.scale)
    log_p = -np.abs(case.outputs[None] - q[:, None]).sum(axis=2) / scale
    assert largest_ratio(log_p) > 1.9


@pytest.mark.parametrize("epsilon", [0.2, 1, 10])
def test_noise_has_the_stated_scale(epsilon: float) -> None:
    mechanism = DiscreteLaplace(epsilon, dimensions=50, radius=2.0)
    assert Fraction(2 * mechanism.steps) / mechanism.scale == mechanism.epsilon
    assert float(mechanism.scale) >= 2**20
    noise = mechanism.randomise(np.zeros((400, 50)))
    wanted = 2 * 2.0 / epsilon
    assert np.abs(noise).mean() == pytest.approx(wanted, rel=0.05)  # seven standard errors
    whole = noise / mechanism.granularity
    np.testing.assert_array_equal(whole, np.rint(whole))


def test_signal_survives_at_large_epsilon() -> None:
    z = np.array([[0.5, -0.25]])
    np.testing.assert_allclose(DiscreteLaplace(10_000, 2).randomise(z), z, atol=0.01)


@pytest.mark.parametrize(
    "settings", [{"granularity": 0.3}, {"granularity": 2.0}, {"granularity": 2.0**-60}, {"radius": 0.0}, {"epsilon": 0}]
)
def test_what_cannot_be_used_is_refused(settings: dict) -> None:
    with pytest.raises(InvalidParameterError):
        DiscreteLaplace(**{"epsilon": 1, "dimensions": 2} | settings)


def test_hopeless_epsilon_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="1e-9"):
        DiscreteLaplace(1e-12, dimensions=2)
    assert math.isfinite(DiscreteLaplace(1e-6, dimensions=2).randomise(np.zeros((1, 2)))[0, 0])


def linked(released: np.ndarray, z: np.ndarray) -> LinkageResult:
    tables = [pa.table({f"x{j}": rows[:, j] for j in range(rows.shape[1])}) for rows in (z, released)]
    found = link(*tables)
    assert found is not None
    return found


def test_a_norm_of_the_batch_lets_records_be_found_again() -> None:
    """The published code takes the 1-norm of a (batch, d) matrix, the largest column sum, for each record's norm.

    At epsilon 10, in batches of 16, the records are found again; under the clip of each record they are not.
    """
    d, epsilon, radius = 144, 10, 4.0
    rng = np.random.default_rng(0)
    z = rng.normal(size=(240, d))
    batches = [z[i : i + 16] / max(1.0, np.linalg.norm(z[i : i + 16], ord=1) / radius) for i in range(0, 240, 16)]
    shipped = np.vstack(batches) + rng.laplace(0, radius / epsilon, z.shape)
    assert linked(shipped, z).found.value > 0.6
    # Its noise has no seed: the best of four attackers finds .023 of 120 records in the mean, and .05 at times.
    correct = [linked(DiscreteLaplace(epsilon, d, radius).randomise(z), z).found.value for _ in range(5)]
    assert np.mean(correct) < 0.06


def test_the_last_bits_tell_nothing() -> None:
    """Laplace noise in floating point has numbers that only one of two records can give (Mironov, 2012).

    Records 0 and 1, epsilon 1. A small number that is no multiple of 2^-53 cannot be 1 plus a float in [-1, -1/2].
    """
    rng = np.random.default_rng(0)

    def scores(y: np.ndarray) -> np.ndarray:
        return ((y > 0) & (y < 0.25) & (y * 2.0**53 % 1 != 0)).astype(float)

    floating = [scores(record + rng.laplace(0.0, 1.0, 40_000)) for record in (0.0, 1.0)]
    assert epsilon_lower_bound(*floating, level=1 - 1e-9).value > 3
    exact = DiscreteLaplace(1, dimensions=1, radius=0.5)
    grid = [scores(exact.randomise(np.full((40_000, 1), record)).ravel()) for record in (-0.5, 0.5)]
    assert epsilon_lower_bound(*grid, level=1 - 1e-9).value <= 1
    assert not np.any(grid)
