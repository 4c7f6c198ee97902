"""The bound finds what a mechanism has, never more, and refutes one that promises too little."""

import math

import numpy as np
import pytest
from cadp.certain_epsilon import epsilon_lower_bound

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.privacy.discrete_laplace import DiscreteLaplace
from withhold.privacy.privunit import PrivUnit
from withhold.privacy.randomised_response import RandomisedResponse

N = 60_000
# A bound above the truth, by chance, once in 10^9 runs.
SURE = 1 - 1e-9


def laplace_scores(mechanism: DiscreteLaplace, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Log-likelihood ratios of releases of the two records farthest apart."""
    worst = np.zeros((2, mechanism.dimensions))
    worst[:, 0] = 1e9, -1e9
    ends = mechanism.clip(worst) * mechanism.granularity
    both = [mechanism.randomise(np.repeat(row[None], n, axis=0)) for row in worst]
    scores = [np.abs(z - ends[1]).sum(axis=1) - np.abs(z - ends[0]).sum(axis=1) for z in both]
    return scores[0], scores[1]


def test_laplace_has_what_it_promises() -> None:
    found = epsilon_lower_bound(*laplace_scores(DiscreteLaplace(1, dimensions=3)), level=SURE)
    assert 0.85 < found.value <= 1
    assert found.n == N // 2
    assert found.kind == "lower_bound"


def test_the_papers_scale_has_more_than_its_nominal_epsilon() -> None:
    """Scale Q / epsilon at nominal epsilon 1 is the mechanism of epsilon 2."""
    found = epsilon_lower_bound(*laplace_scores(DiscreteLaplace(2, dimensions=3, normalise=True)), level=SURE)
    assert 1.7 < found.value <= 2


def test_privunit_and_randomised_response() -> None:
    mechanism = PrivUnit(2, dimensions=4, words=64)
    z = np.array([[1.0, 2, 3, 4], [-1.0, -2, -3, -4]])
    near = [set(row[: mechanism.closest].tolist()) for row in mechanism.near_first(z)]
    sides = np.array([(i in near[0]) - (i in near[1]) for i in range(64)])
    scores = [sides[mechanism.choose(np.repeat(row[None], N, axis=0))] for row in z]
    assert 1.7 < epsilon_lower_bound(*scores, level=SURE).value <= 2
    response = RandomisedResponse(2, categories=5)
    answers = [response.randomise(np.full(N, k)) == 0 for k in (0, 1)]
    assert 1.7 < epsilon_lower_bound(*answers, level=SURE).value <= 2


def test_nothing_is_found_where_nothing_is() -> None:
    """Two samples of one law, confidence .5: a positive bound in at most half of the pairs, in truth far less often.

    Positive control of the separate part: choosing and counting on the same releases finds what is not there in most.
    """
    rng = np.random.default_rng(0)
    honest = flattered = 0
    for _ in range(200):
        first, second = rng.normal(size=(2, 400))
        honest += epsilon_lower_bound(first, second, level=0.5).value > 0
        flattered += epsilon_lower_bound(np.tile(first, 2), np.tile(second, 2), level=0.5).value > 0
    assert honest < 80
    assert flattered > 140


def test_delta_is_exempted() -> None:
    """A record that is shown as it is once in a hundred: no epsilon, but for a delta of .01."""
    rng = np.random.default_rng(0)
    first, second = rng.random(N) < 0.51, rng.random(N) < 0.5
    first, second = first + 2.0 * (rng.random(N) < 0.01), second * 1.0
    assert epsilon_lower_bound(first, second).value > 2
    found = epsilon_lower_bound(first, second, delta=0.02)
    assert found.value < 0.1
    assert found.condition == "delta 0.02"


def test_either_side_may_be_the_rare_one() -> None:
    rng = np.random.default_rng(1)
    first, second = (rng.random(N) < 0.9) * 1.0, (rng.random(N) < 0.9 * math.exp(-3)) * 1.0
    value = epsilon_lower_bound(first, second).value
    assert epsilon_lower_bound(-second, -first).value == pytest.approx(value)
    assert 2.8 < value <= 3


@pytest.mark.parametrize("scores", [np.zeros(50), np.full(200, np.nan), np.zeros((200, 2))])
def test_scores_that_bound_nothing_are_refused(scores: np.ndarray) -> None:
    with pytest.raises(DataError, match="at least 100"):
        epsilon_lower_bound(scores, np.zeros(200))


def test_no_part_without_releases() -> None:
    with pytest.raises(InvalidParameterError, match="and choosing between 0 and 1"):
        epsilon_lower_bound(np.zeros(200), np.zeros(200), choosing=0.0)
