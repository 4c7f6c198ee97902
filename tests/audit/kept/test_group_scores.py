"""Accuracy by group: the worst group is found, small groups and numbers decide nothing."""

import numpy as np
import pytest

from withhold.audit.kept.fairness import scores_by_group
from withhold.audit.kept.utility import Prediction, Utility
from withhold.contracts.audit_record import Score, UtilityResult
from withhold.data.attributes import read_attributes

N = 400
RESULT = UtilityResult(metric="accuracy", score=Score(release=0.5), chance=0.5)


def utility(guess: np.ndarray, raw: np.ndarray | None = None) -> Utility:
    rows = np.arange(len(guess))
    return Utility(RESULT, Prediction(rows, guess, "a"), None if raw is None else Prediction(rows, raw, "a"))


def test_the_group_that_is_served_badly_is_the_worst():
    digit = np.arange(N) % 2
    domain = np.array(["photo", "sketch"])[np.arange(N) // 200]
    guess = np.where(domain == "sketch", 1 - digit, digit)  # always wrong on sketches
    guess[200:260] = digit[200:260]
    found = scores_by_group(utility(guess, digit), read_attributes(digit)[0], read_attributes(domain)[0])
    assert found.levels["photo"].release == 1.0
    assert found.worst.release == pytest.approx(60 / 200)
    assert found.average.release == pytest.approx((1 + 60 / 200) / 2)
    assert found.worst.raw == 1.0


def test_small_groups_do_not_decide():
    digit, domain = np.arange(N) % 2, np.array(["a"] * 190 + ["b"] * 190 + ["c"] * 20)
    guess = digit.copy()
    guess[380:] = 1 - digit[380:]
    found = scores_by_group(utility(guess), read_attributes(digit)[0], read_attributes(domain)[0])
    assert set(found.levels) == {"a", "b"}
    assert found.worst.release == 1.0


def test_numbers_have_no_groups():
    digit, age = np.arange(N) % 2, np.random.default_rng(0).normal(size=N)
    assert scores_by_group(utility(digit), read_attributes(digit)[0], read_attributes(age)[0]) is None
    one = read_attributes(np.array(["a"] * (N - 9) + ["b"] * 9))[0]  # only one group that is large enough
    assert scores_by_group(utility(digit), read_attributes(digit)[0], one) is None
