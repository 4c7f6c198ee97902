import numpy as np
import pytest
import torch

from withhold.audit.attackers.attacker import Attacker
from withhold.audit.attackers.logistic import Logistic
from withhold.audit.attackers.quadratic import Quadratic
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.canaries.form import PlantedInputs
from withhold.audit.leakage.crossfit import cross_fit
from withhold.training.session import one_thread


class Memory(Attacker):
    """Knows by heart what it was fitted on, and nothing else: gains only if training and scored rows mix."""

    name = "memory"
    inputs = "dense"

    def fit(self, X, s, rng):
        self.seen = {row.tobytes(): int(c) for row, c in zip(X, s, strict=True)}
        self.classes = int(s.max()) + 1
        return self

    def log_proba(self, X):
        guess = np.full((len(X), self.classes), np.log(1 / self.classes))
        for i, row in enumerate(X):
            if row.tobytes() in self.seen:
                guess[i] = np.log(0.01 / (self.classes - 1))
                guess[i, self.seen[row.tobytes()]] = np.log(0.99)
        return guess


class Broken(Memory):
    name = "broken"

    def fit(self, X, s, rng):
        raise ValueError("cannot be fitted today")


def design(n, groups=None, **rest):
    fold = np.arange(n) % 3 if groups is None else groups % 3
    given = {"trainable": np.ones(n, bool), "scorable": np.ones(n, bool), **rest}
    return Design(fold, groups, (0, 1, 2), effort=EFFORTS["quick"], seed=0, **given)


def inputs(X):
    X = X.astype(np.float32)
    return PlantedInputs(X, X, X)


def test_scored_rows_are_never_trained_on():
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    assert np.abs(cross_fit(inputs(X), s, 2, [Memory], design(300), "t").values).max() < 0.3


def test_subjects_stay_together():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 5)
    X, s = rng.normal(size=(60, 2))[groups], rng.integers(0, 2, 60)[groups]
    apart = cross_fit(inputs(X), s, 2, [Memory], design(300), "t")
    together = cross_fit(inputs(X), s, 2, [Memory], design(300, groups), "t")
    assert apart.values.mean() > 0.4  # positive control: divided subjects are recognised
    assert together.values.mean() < 0.05


def test_unknown_rows_are_neither_trained_on_nor_scored():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 90)
    s[:30] = -1
    found = cross_fit(inputs(rng.normal(size=(90, 2))), s, 2, [Logistic], design(90), "t")
    assert found.rows.tolist() == list(range(30, 90))


def test_trainable_and_scorable_rows():
    s, X = np.tile([0, 1], 60), np.random.default_rng(0).normal(size=(120, 1))
    half = np.arange(120) < 60
    found = cross_fit(inputs(X), s, 2, [Memory], design(120, trainable=half, scorable=~half), "t")
    assert found.rows.min() == 60


def test_whoever_cannot_be_fitted_answers_the_prior_and_says_why():
    s = np.tile([0, 1], 50)
    found = cross_fit(inputs(s[:, None] * 1.0), s, 2, [Broken, Logistic], design(100), "t")
    assert found.values[:, 0] == pytest.approx(0.0, abs=1e-9)
    assert found.failures == {"broken": "cannot be fitted today"}
    assert (found.chosen == 1).all()
    assert found.best().mean() > 0.3


def test_two_attackers_or_more_are_pooled():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 2)) + 0.4 * s[:, None]
    radius = rng.normal(size=(3000, 4)) * np.where(s, 1.25, 1.0)[:, None]
    found = cross_fit(inputs(np.c_[X, radius]), s, 2, [Logistic, Quadratic], design(3000), "t")
    assert found.names == ("logistic", "qda", "mixture")
    assert found.values.shape == (3000, 3)
    assert found.values[:, 2].mean() > found.values[:, 0].mean() + 0.01
    assert cross_fit(inputs(X), s, 2, [Logistic], design(3000), "t").names == ("logistic",)


def test_the_pool_of_a_memory_is_not_fooled():
    # The pool's weights come from rows no member was fitted on; what was learned by heart has no weight.
    rng = np.random.default_rng(0)
    found = cross_fit(
        inputs(rng.normal(size=(900, 3))), rng.integers(0, 2, 900), 2, [Memory, Logistic, Quadratic], design(900), "t"
    )
    assert found.values.mean(axis=0).max() < 0.01


def test_a_class_unseen_in_training_stays_possible():
    s = np.zeros(60, np.int64)
    s[::2] = 1
    s[0] = 2
    found = cross_fit(inputs(np.random.default_rng(0).normal(size=(60, 2))), s, 3, [Logistic], design(60), "t")
    assert np.isfinite(found.values).all()


def test_threads_are_given_back():
    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
