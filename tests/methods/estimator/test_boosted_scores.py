"""Boosted trees as arrays: what scikit-learn predicts, and never from a row's own class."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from withhold.data.codec import TableCodec
from withhold.methods.estimator import boosted_scores
from withhold.methods.estimator.boosted_scores import BoostedScores, CrossFitted, fold_of
from withhold.training.trees import TreeClassifier


@pytest.mark.parametrize("classes", [2, 4])
def test_arrays_predict_what_scikit_learn_predicts(classes, monkeypatch):
    rng = np.random.default_rng(0)
    H = rng.normal(size=(700, 5)).astype(np.float32)
    H[::9, 2] = np.nan
    codes = np.digitize(np.nan_to_num(H[:, 0] * H[:, 1] + H[:, 2]), np.linspace(-1, 1, classes - 1))
    grown = []

    class Kept(TreeClassifier):
        def fit(self, X, y):
            grown.append(self)
            return super().fit(X, y)

    monkeypatch.setattr(boosted_scores, "TreeClassifier", Kept)
    model = BoostedScores.fit(H, codes, classes, rounds=15)
    assert np.allclose(np.exp(model.log_probabilities(H)), grown[0].predict_proba(H), atol=1e-5)


def test_levels_enter_as_means_of_the_target_and_lose_nothing():
    rng = np.random.default_rng(1)
    job = rng.integers(12, size=3_000)
    codes = ((job * 7) % 12 % 2).astype(np.int64)  # no order of the levels tells the class
    table = pa.Table.from_pandas(pd.DataFrame({"job": [f"j{j}" for j in job], "age": rng.normal(size=3_000)}))
    codec = TableCodec.fit(table)
    model = CrossFitted.fit(codec.encode(table), codes, 2, codec.blocks, rounds=20)
    assert model.members[0].projection.shape == (13, 2)
    assert (model.log_probabilities(codec.encode(table)).argmax(axis=1) == codes).all()


def test_a_row_is_never_scored_by_a_model_that_met_it():
    """Classes drawn at random: honest scores tell nothing, the models' own rows would tell much."""
    rng = np.random.default_rng(2)
    H = np.repeat(rng.normal(size=(400, 3)).astype(np.float32), 2, axis=0)
    codes = np.repeat(rng.integers(2, size=400), 2)  # a copy of a row carries its class
    model = CrossFitted.fit(H, codes, 2)
    own = model.log_probabilities(H).argmax(axis=1) == codes
    assert own.mean() < 0.58
    other = [m.log_probabilities(H).argmax(axis=1) == codes for m in model.members]
    assert np.mean(other) > 0.65  # two thirds of the rows are their own


def test_round_trip():
    H = np.random.default_rng(3).normal(size=(200, 3)).astype(np.float32)
    model = CrossFitted.fit(H, (H[:, 0] > 0).astype(np.int64), 2, rounds=5)
    again = CrossFitted.restore(model.state(), 3)
    assert np.array_equal(again.log_probabilities(H), model.log_probabilities(H))
    assert all(array.dtype != object for array in model.state().values())


def test_few_rows_one_class_and_missing_codes_give_the_marginal():
    H = np.random.default_rng(4).normal(size=(40, 2)).astype(np.float32)
    few = BoostedScores.fit(H, np.array([0, 1, 1, 1] * 10), 3)
    assert np.allclose(np.exp(few.log_probabilities(H)[:, :2]), [0.25, 0.75], atol=1e-5)
    codes = np.where(np.arange(40) < 39, -1, 0)
    assert np.isfinite(CrossFitted.fit(H, codes, 2).log_probabilities(H)).all()


def test_folds_are_even_for_codes_of_few_values():
    H = np.unique(np.random.default_rng(5).integers(2, size=(4_000, 12)), axis=0).astype(np.float32)
    shares = np.bincount(fold_of(H), minlength=3) / len(H)
    assert (np.abs(shares - 1 / 3) < 0.05).all()
