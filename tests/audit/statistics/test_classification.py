import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from withhold.audit.statistics.classification import (
    area_under_curve,
    balanced_accuracy,
    one_against_rest,
    true_positive_rate,
)


def test_area_equals_sklearn_with_ties():
    rng = np.random.default_rng(0)
    score, truth = rng.integers(0, 9, 400).astype(float), rng.random(400) < 0.3
    assert area_under_curve(score, truth) == pytest.approx(roc_auc_score(truth, score))


def test_ties_do_not_inflate_the_true_positive_rate():
    assert true_positive_rate(np.zeros(200), np.arange(200) < 100) == 0.0


def test_likelihood_ratio_beats_the_majority():
    # One per cent of positives that are twice as likely: the most probable class is always the majority.
    ratio = np.log([[0.5, 2.0]] * 10 + [[2.0, 0.5]] * 990)
    assert balanced_accuracy(ratio, np.array([1] * 10 + [0] * 990)) == 1.0


def test_one_class_has_no_area():
    assert one_against_rest(np.zeros((3, 2)), np.zeros(3, int)) == (None, None)


def test_macro_area_of_noise_is_a_half():
    rng = np.random.default_rng(0)
    area, _ = one_against_rest(rng.normal(size=(6000, 3)), rng.integers(0, 3, 6000))
    assert area == pytest.approx(0.5, abs=0.02)
