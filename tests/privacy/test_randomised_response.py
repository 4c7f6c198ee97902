"""Randomised response keeps what it says, never more, and refuses answers that are not on the list."""

import math

import numpy as np
import pytest

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.privacy.randomised_response import RandomisedResponse


@pytest.mark.parametrize(("epsilon", "k"), [(0.2, 2), (1, 10), (5, 3), (30, 100)])
def test_kept_share(epsilon: float, k: int) -> None:
    mechanism = RandomisedResponse(epsilon, categories=k)
    wanted = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    assert mechanism.kept == pytest.approx(wanted, rel=1e-12)
    codes = np.arange(20_000) % k
    kept = (mechanism.randomise(codes) == codes).mean()
    assert abs(kept - wanted) < 6.2 * math.sqrt(0.25 / 20_000)


def test_others_are_alike() -> None:
    answers = RandomisedResponse(1, categories=4).randomise(np.full(30_000, 2))
    counts = np.bincount(answers, minlength=4)
    others = counts[[0, 1, 3]]
    assert counts[2] > others.max()
    assert np.ptp(others) < 9 * math.sqrt(others.mean())


@pytest.mark.parametrize("codes", [[3], [-1], [0.5], [[0, 1]]])
def test_unseen_answers_are_refused(codes: list) -> None:
    with pytest.raises(DataError, match="from 0 to 2"):
        RandomisedResponse(1, categories=3).randomise(np.array(codes))


def test_one_category_is_refused() -> None:
    with pytest.raises(InvalidParameterError):
        RandomisedResponse(1, categories=1)
