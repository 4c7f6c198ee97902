import numpy as np
import pytest
import torch

from withhold.contracts.errors import DataError
from withhold.data.attribute import Attribute, Attributes
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import (
    Scale,
    cell_weights,
    fold_rows,
    log_marginal,
    make_records,
    normal_scores,
)


def attribute(codes, name="s"):
    codes = np.asarray(codes)
    levels = tuple(str(i) for i in range(codes.max() + 1))
    return Attribute(name, "categorical", codes, np.full(len(codes), np.nan), levels)


def number(values, name="v"):
    values = np.asarray(values, dtype=float)
    return Attribute(name, "continuous", np.full(len(values), -1), values)


def fit_data(n=40, groups=None, sensitive=None):
    rng = np.random.default_rng(0)
    items = sensitive or (attribute(np.arange(n) % 2),)
    return FitData(H=rng.normal(size=(n, 3)).astype(np.float32), sensitive=Attributes(items), groups=groups)


def test_subjects_stay_together_and_some_are_held_out():
    groups = np.repeat(np.arange(20), 3)
    folds = fold_rows(fit_data(60, groups), 4)
    assert {len(set(folds[groups == g])) for g in range(20)} == {1}
    assert set(folds) == {-1, 0, 1, 2, 3}


def test_fewer_folds_for_fewer_rows():
    assert fold_rows(fit_data(10), 4).max() + 1 == 2
    assert fold_rows(fit_data(40), 1).max() == 0
    with pytest.raises(DataError, match="at least 8"):
        fold_rows(fit_data(7), 4)


def test_normal_scores_have_the_marginal_that_is_subtracted():
    values = np.exp(np.random.default_rng(0).normal(size=1000))
    scores = normal_scores(values)
    assert abs(scores.mean()) < 1e-6
    assert abs(scores.std() - 1) < 0.01
    assert (np.argsort(scores) == np.argsort(values)).all()


def test_marginal_is_that_of_the_known_rows():
    codes = attribute([0, 0, 0, 1, -1])
    assert np.allclose(log_marginal(codes, codes.codes), np.log([0.75, 0.75, 0.75, 0.25, 1.0]))


def test_joint_where_small_else_each():
    data = fit_data(40, sensitive=(attribute(np.arange(40) % 2), attribute(np.arange(40) // 2 % 3, "t")))
    records = make_records(data, data.H, 4, torch.device("cpu"), torch.float32)
    assert records.layout.classes == (6,)
    assert records.given.shape == (40, 5)
    mixed = fit_data(40, sensitive=(attribute(np.arange(40) % 2), number(np.arange(40))))
    records = make_records(mixed, mixed.H, 4, torch.device("cpu"), torch.float32)
    assert records.layout.classes == (2, 0)
    assert records.given.shape == (40, 4)


def test_missing_values_are_marked_not_filled():
    data = fit_data(
        40, sensitive=(attribute(np.r_[np.full(5, -1), np.arange(35) % 2]), number(np.r_[np.nan, np.arange(39)]))
    )
    records = make_records(data, data.H, 4, torch.device("cpu"), torch.float32)
    assert records.secrets[:, 0].isnan().sum() == 5
    assert records.secrets[:, 1].isnan().sum() == 1
    assert bool((records.marginal[records.secrets.isnan()] == 0).all())
    assert bool((records.given[:5, :2] == 0).all())


def test_scale_leaves_constant_columns_and_bounds_rare_ones():
    H = np.zeros((1000, 2), dtype=np.float32)
    H[0, 1] = 1.0
    assert np.isfinite(Scale.of(H, bounded=True)(H)).all()
    assert Scale.of(H, bounded=True)(H).max() < 11
    assert Scale.of(H, bounded=False)(H).max() > 30


def test_weights_are_one_over_entropy():
    cells = np.array([[0, 0], [1, 0], [0, 0], [1, 0]])
    assert cell_weights(cells, (2, 1)) == pytest.approx([1 / np.log(2), 0.0])
