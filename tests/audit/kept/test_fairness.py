"""Differences are fairlearn's, and exist only where they mean something."""

import numpy as np
import pytest

from withhold.audit.kept.fairness import measure_fairness
from withhold.audit.kept.utility import Prediction, Utility
from withhold.contracts.audit_record import Score, UtilityResult
from withhold.data.attributes import read_attributes

RESULT = UtilityResult(metric="accuracy", score=Score(release=0.5), chance=0.5)


def predictions(guess, raw=None):
    rows = np.arange(len(guess))
    before = None if raw is None else Prediction(rows, np.asarray(raw, float), "boosting")
    return Utility(RESULT, Prediction(rows, np.asarray(guess, float), "boosting"), before)


def test_rates_by_hand():
    group = ["f"] * 100 + ["m"] * 100
    income = ["high"] * 40 + ["low"] * 60 + ["high"] * 60 + ["low"] * 40
    codes = np.asarray([0 if v == "high" else 1 for v in income])
    raw = codes.copy()
    guess = codes.copy()
    guess[:20] = 1  # half of the women with a high income are missed
    found = measure_fairness(predictions(guess, raw), read_attributes(income)[0], read_attributes(group)[0], positive=0)
    assert found.demographic_parity_difference.raw == pytest.approx(0.2)
    assert found.demographic_parity_difference.release == pytest.approx(0.4)
    assert found.equal_opportunity_difference.raw == pytest.approx(0.0)
    assert found.equal_opportunity_difference.release == pytest.approx(0.5)
    assert found.equalized_odds_difference.release == pytest.approx(0.5)


def test_groups_without_a_class_have_no_opportunity_to_compare():
    group = np.arange(200) % 2
    income = np.where((np.arange(200) < 80) & (group == 0), 1, 0)
    found = measure_fairness(predictions(income), read_attributes(income)[0], read_attributes(group)[0])
    assert found.demographic_parity_difference.release == pytest.approx(0.4)
    assert found.equal_opportunity_difference is None
    assert found.equalized_odds_difference is None


def test_only_binary_utility_and_groups_of_some_size():
    group = read_attributes(np.arange(200) % 2)[0]
    assert measure_fairness(predictions(np.zeros(200)), read_attributes(np.arange(200) % 3)[0], group) is None
    assert measure_fairness(predictions(np.zeros(200)), read_attributes(np.linspace(0, 1, 200))[0], group) is None
    small = read_attributes((np.arange(200) < 5).astype(int))[0]
    assert measure_fairness(predictions(np.zeros(200)), read_attributes(np.arange(200) % 2)[0], small) is None
