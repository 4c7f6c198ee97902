import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from withhold.contracts.errors import InvalidTypeError
from withhold.information.estimators.classifier import ClassifierBound
from withhold.information.estimators.conditionals import ConditionalTraining


def world(n=900):
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=n)
    return s + rng.normal(size=n), np.where(s == 1, "yes", "no")


def test_any_classifier_and_either_order():
    z, s = world()
    quick = ConditionalTraining(steps=200)
    own = ClassifierBound(training=quick, random_state=0).fit(z, s).estimate()
    given = ClassifierBound(classifier=LogisticRegression(), random_state=0).fit(z, s).estimate()
    turned = ClassifierBound(training=quick, random_state=0).fit(s, z).estimate()
    assert turned == own
    assert given.value == pytest.approx(own.value, abs=0.02)
    assert 0.05 < given.value < 0.17  # .115 nat


def test_over_confidence_costs_nothing_once_calibrated():
    """A tree that memorises is sure and wrong on unseen rows: without calibration its bound is far below 0."""
    from sklearn.tree import DecisionTreeClassifier

    z, s = world()
    rng = np.random.default_rng(1)
    noisy = np.stack([z, rng.normal(size=len(z))], axis=1)
    found = ClassifierBound(classifier=DecisionTreeClassifier(random_state=0), random_state=0).fit(noisy, s).estimate()
    assert found.value > -0.01


def test_a_classifier_without_probabilities_is_refused():
    with pytest.raises(InvalidTypeError, match="predict_proba"):
        ClassifierBound(classifier=LinearSVC()).fit(*world())


def test_a_rare_class_missing_from_a_fold_is_no_error():
    z, s = world(120)
    s = s.astype(object)
    s[0] = "rare"
    found = ClassifierBound(classifier=LogisticRegression(), random_state=0).fit(z, s).estimate()
    assert np.isfinite(found.value)
