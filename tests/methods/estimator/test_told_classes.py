import numpy as np
import pandas as pd
import pytest

from withhold.data.attributes import read_attributes
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.told_classes import ToldClasses


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(0).normal(size=(900, 4)).astype(np.float32)


def made(x, u, s=None, **kinds):
    hidden = np.random.default_rng(5).integers(2, size=len(x)) if s is None else s
    utilities = read_attributes(u, kinds=kinds or None, role="y")
    return FitData(H=x, sensitive=read_attributes(hidden, role="sensitive_features"), utilities=utilities)


def test_own_labels_are_not_repeated(x):
    u = np.random.default_rng(1).integers(2, size=900)
    data = made(x, u)
    posterior = ToldClasses.learn(data).posterior(data)
    own = posterior[np.arange(900), u].mean()
    assert own < -np.log(2) + 0.01  # no better than the marginal, where trees fitted to the row itself are
    assert np.allclose(np.exp(posterior).sum(axis=1), 1, atol=1e-5)


def test_what_can_be_learned_is_there_also_for_rows_without_a_label(x):
    u = np.where(x[:, 0] > 0, "yes", "no").astype(object)
    u[:100] = None
    data = made(x, u)
    posterior = ToldClasses.learn(data).posterior(data)
    assert (posterior.argmax(axis=1) == (x[:, 0] > 0)).mean() > 0.9


def test_scores_of_utility_and_secret_are_inputs_and_come_back(x):
    data = made(x, (x[:, 0] > 0).astype(int), s=(x[:, 1] > 0).astype(int))
    told = ToldClasses.learn(data)
    scores = told(x)
    assert scores.shape == (900, told.width) == (900, 4)
    assert ((scores[:, 1] > 0) == (x[:, 0] > 0)).mean() > 0.9
    assert ((scores[:, 3] > 0) == (x[:, 1] > 0)).mean() > 0.9
    again = ToldClasses.restore(told.state(), x.shape[1])
    assert np.array_equal(again(x), scores)
    assert np.array_equal(again.posterior(data), told.posterior(data))


def test_numbers_and_many_classes(x):
    both = pd.DataFrame({"a": (x[:, 0] > 0).astype(str), "b": np.char.add("level ", (np.arange(900) % 15).astype(str))})
    data = made(x, both, s=x[:, 1].astype(float))
    told = ToldClasses.learn(data)
    assert told(x).shape == (900, 2)  # neither the number nor the fifteen classes
    assert told.posterior(data).shape == (900, 17)
    number = made(x, both.assign(a=x[:, 0].astype(float)), a="continuous")
    assert ToldClasses.learn(number).posterior(number) is None
