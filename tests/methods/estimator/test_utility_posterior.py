import numpy as np
import pandas as pd
import pytest

from withhold.data.attributes import read_attributes
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.utility_posterior import utility_posterior


@pytest.fixture(scope="module")
def features():
    return np.random.default_rng(0).normal(size=(600, 4)).astype(np.float32)


def told(features, u, groups=None, **kinds):
    s = np.random.default_rng(5).integers(2, size=len(features))
    useful = read_attributes(u, kinds=kinds or None, role="y")
    data = FitData(H=features, sensitive=read_attributes(s, role="sensitive_features"), utilities=useful, groups=groups)
    return utility_posterior(data, features)


def test_own_labels_are_not_repeated(features):
    u = np.random.default_rng(1).integers(2, size=600)
    posterior = told(features, u)
    assert posterior[np.arange(600), u].mean() < -np.log(2) + 0.01  # no better than the marginal


def test_what_can_be_learned_is_there_also_for_rows_without_a_label(features):
    u = np.where(features[:, 0] > 0, "yes", "no").astype(object)
    u[:100] = None
    assert (told(features, u).argmax(axis=1) == (features[:, 0] > 0)).mean() > 0.9


def test_trees_are_taken_where_a_linear_model_reads_nothing(features):
    u = (features[:, 0] * features[:, 1] > 0).astype(int)
    assert (told(features, u).argmax(axis=1) == u).mean() > 0.85


def test_a_linear_model_is_taken_where_trees_read_less():
    wide = np.random.default_rng(2).normal(size=(400, 100)).astype(np.float32)
    u = (wide.sum(axis=1) > 0).astype(int)
    assert (told(wide, u).argmax(axis=1) == u).mean() > 0.8  # trees alone: .6


def test_a_subject_is_not_known_again(features):
    groups = np.repeat(np.arange(30), 20)
    places = np.random.default_rng(3).normal(size=(30, 4))[groups].astype(np.float32)  # who it is shows
    u = np.random.default_rng(4).integers(2, size=30)[groups]
    known, apart = (told(places + 0.1 * features, u, groups=one) for one in (None, groups))
    assert (known.argmax(axis=1) == u).mean() > 0.9  # control: labels of the subject's other rows tell
    assert (apart.argmax(axis=1) == u).mean() < 0.75


def test_numbers_and_several_attributes(features):
    u = pd.DataFrame({"a": features[:, 0] + 0.1 * features[:, 3], "b": np.where(features[:, 1] > 0, "x", "y")})
    posterior = told(features, u, a="continuous")
    assert posterior.shape == (600, 4)  # mean and log variance, two classes
    assert np.corrcoef(posterior[:, 0], u["a"])[0, 1] > 0.95
    assert np.ptp(posterior[:, 1]) == 0
    assert posterior[0, 1] < -2  # little is left


def test_few_rows_and_a_class_of_one_row(features):
    assert np.isfinite(told(features[:12], np.array(["x"] * 11 + ["y"]))).all()
