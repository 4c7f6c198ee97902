import math

import numpy as np
import pytest
import torch
from sklearn.base import clone
from torch import nn

from withhold.contracts.errors import ArtifactError, CollapseWarning, DataError, InvalidParameterError
from withhold.methods.loading import load
from withhold.methods.mi_backprop.mi_backprop import MIBackprop
from withhold.training.game import Game

pytestmark = pytest.mark.usefixtures("short_readings")

SPREAD, NOISE = 0.4, 0.5
brief = pytest.mark.usefixtures("brief_training")


def gaussian_world(n=800, seed=0):
    """A label of a Gaussian feature and of the attribute, which shows in another: I(Z; C) of a linear Z is exact."""
    rng = np.random.default_rng(seed)
    u, c = rng.normal(size=(2, n))
    X = np.stack([u, c + SPREAD * rng.normal(size=n), rng.normal(size=n)], axis=1).astype(np.float32)
    return X, (u + c > 0).astype(int), c


def exact_information(method):
    """I(Z; C) in nats of Z = W x + noise, from the weights alone: x is Gaussian with C in its second column."""
    layer, norm = method.encoder_.body, method.encoder_.norm
    W = (layer.weight / (norm.running_var + norm.eps).sqrt()[:, None]).double().numpy() / method.scale_.spread
    conditional = W @ np.diag([1.0, SPREAD**2, 1.0]) @ W.T + NOISE**2 * np.eye(len(W))
    total = W @ np.diag([1.0, 1.0 + SPREAD**2, 1.0]) @ W.T + NOISE**2 * np.eye(len(W))
    return 0.5 * (np.linalg.slogdet(total)[1] - np.linalg.slogdet(conditional)[1])


def linear(**settings):
    torch.manual_seed(0)
    given = {"encoder": nn.Linear(3, 2), "noise": NOISE, "rounds": 100, "rate": 0.02, "steps": 5, "statistics": 16}
    return MIBackprop(**{**given, "random_state": 0, "noise_seed": 0} | settings)


@pytest.fixture(scope="module")
def plain():
    X, y, c = gaussian_world()
    return linear(lam=0.0).fit(X, y, sensitive_features=c)


def test_without_lambda_the_attribute_is_there(plain):
    """Positive control of what follows: the task alone uses it."""
    assert exact_information(plain) > 0.12
    assert plain.diagnostics_["held_out_leakage"] > 0.08
    assert plain.diagnostics_["held_out_accuracy"] > 0.8


@pytest.mark.parametrize(
    "settings", [{}, {"estimator": "gaussian"}, {"estimator": "classifier"}, {"estimator": "club"}]
)
def test_the_exact_information_becomes_small_and_the_task_stays(plain, settings):
    X, y, c = gaussian_world()
    method = linear(lam=3.0, **settings).fit(X, y, sensitive_features=c)
    assert exact_information(method) < 0.2 * exact_information(plain)
    assert method.diagnostics_["held_out_accuracy"] > 0.6  # without the attribute no reader exceeds .75
    assert method.diagnostics_["held_out_leakage"] < 0.05


@brief
def test_the_curve_is_the_information_on_held_out_rows(plain):
    """Both estimators read the rows nobody learned from, 120 of them: errors of .05 and more."""
    X, y, c = gaussian_world(1200)
    for settings in ({"estimator": "gaussian"}, {}):
        method = linear(lam=1e-9, rounds=40, **settings).fit(X, y, sensitive_features=c)
        assert np.mean(method.curves_["leakage"][-10:]) == pytest.approx(exact_information(method), abs=0.12)
    assert len({len(curve) for curve in method.curves_.values()}) == 1


def coupled_world(n=500, seed=0):
    """Four classes; an attribute that is the label in four of five rows and easy to see, a label that is not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=n)
    c = np.where(rng.random(n) < 0.8, y, rng.integers(4, size=n))
    X = np.concatenate([2 * np.eye(4)[c], np.eye(4)[y]], axis=1)
    return X + rng.normal(size=X.shape) * np.repeat([0.2, 0.6], 4), y, c


def quick(**settings):
    return MIBackprop(**{"rounds": 8, "hidden": 16, "dimensions": 4, "random_state": 0, "noise_seed": 0} | settings)


def test_more_than_the_label_is_worth_is_warned_of():
    """H(Y) / I(Y; C) = log 4 / .77."""
    X, y, c = coupled_world()
    with pytest.warns(CollapseWarning, match="knowing nothing"):
        method = quick(lam=3.0).fit(X, y, sensitive_features=c)
    assert method.diagnostics_["collapse_lambda"] == pytest.approx(math.log(4) / 0.77, rel=0.3)
    assert "collapse_expected" in {finding.code for finding in method.findings_}
    for settings in ({"lam": 1.0}, {"lam": 3.0, "conditional": True}):
        found = quick(**settings).fit(X, y, sensitive_features=c)  # a warning would be an error here
        assert "collapse_expected" not in {finding.code for finding in found.findings_}


def test_decorrelated_batches_and_what_they_cost():
    X, y, c = coupled_world()
    method = quick(decorrelate=True, lam=3.0).fit(X, y, sensitive_features=c)  # no warning: C tells nothing now
    assert 0.1 < method.diagnostics_["effective_sample_size"] / len(y) < 0.6
    assert method.diagnostics_["decorrelated_share"] > 0.7
    assert "Z may still tell them" in next(f.text for f in method.findings_ if f.code == "decorrelated")


def test_select_takes_the_largest_useful_lambda():
    X, y, c = gaussian_world()
    method = linear(rounds=50, steps=3).select(X, y, sensitive_features=c, lambdas=(3.0, 0.0), tolerance=0.3)
    assert [trial.lam for trial in method.selection_] == [0.0, 3.0]
    assert method.lam == 3.0
    assert method.selection_[1].leakage < method.selection_[0].leakage
    assert method.transform(X).shape == (800, 2)
    with pytest.raises(InvalidParameterError, match="at least two"):
        method.select(X, y, sensitive_features=c, lambdas=(1.0,))
    with pytest.raises(InvalidParameterError, match="at least two numbers"):
        method.select(X, y, sensitive_features=c, lambdas=(0.0, 1.0, "a"))


@brief
def test_nothing_useful_leaves_the_smallest():
    X, y, c = gaussian_world(300)
    method = linear(rounds=2).select(X, y, sensitive_features=c, lambdas=(0.0, 1e-6))
    assert method.lam == 0.0
    assert "no_useful_lambda" in {finding.code for finding in method.findings_}


def test_round_trip_with_a_module_of_the_users(tmp_path, plain):
    X, *_ = gaussian_world()
    path = tmp_path / "s.withhold"
    plain.save(path)
    back = load(path, encoder=nn.Linear(3, 2))
    assert np.array_equal(back.transform(X), plain.transform(X))
    assert np.array_equal(back.predict_proba(X), plain.predict_proba(X))
    with pytest.raises(ArtifactError, match="encoder"):
        load(path)


@brief
@pytest.mark.parametrize(
    "settings",
    [{"preset": "paper", "rounds": 3}, {"conditional": True}, {"optimisers": 2}, {"clip": "global", "ramp": 0.5}],
    ids=str,
)
def test_every_mode_fits_saves_and_predicts(tmp_path, settings):
    X, y, c = coupled_world(200)
    method = quick(**settings).fit(X, y, sensitive_features=c)
    method.save(tmp_path / "s.withhold")
    assert np.array_equal(load(tmp_path / "s.withhold").predict(X), method.predict(X))
    assert (method.diagnostics_["noise_scale"] == 0) == ("preset" in settings)


@brief
def test_several_attributes_continuous_ones_and_missing_values():
    X, y, c = coupled_world(300)
    age = c + np.random.default_rng(0).normal(size=300)
    age[::7] = np.nan
    method = quick().fit(X, y, sensitive_features=np.stack([age, np.where(c > 1, 1.0, 0.0)], axis=1))
    assert "maximum_leakage" not in method.diagnostics_  # a continuous attribute has no entropy
    assert np.isfinite(method.transform(X)).all()


@brief
def test_a_thousand_values_of_an_attribute():
    X, y, _ = coupled_world(3000)
    many = np.array([f"v{k}" for k in np.random.default_rng(0).integers(1000, size=3000)])
    method = quick(rounds=3).fit(X, y, sensitive_features=many)
    assert method.diagnostics_["maximum_leakage"] == pytest.approx(math.log(1000), abs=0.25)
    with pytest.raises(DataError, match="several records share"):
        quick().fit(X[:300], y[:300], sensitive_features=np.array([f"v{k}" for k in range(300)]))


@brief
def test_input_that_cannot_be_used_is_refused():
    X, y, c = coupled_world(200)
    with pytest.raises(DataError, match="two different known values"):
        quick().fit(X, y, sensitive_features=np.zeros(200, int))
    with pytest.raises(DataError, match="NaN"):
        quick().fit(np.where(np.arange(8) == 3, np.nan, X), y, sensitive_features=c)
    with pytest.raises(DataError, match="10 of 10 sensitive values occur in one group only"):
        quick().fit(X, y, sensitive_features=np.arange(200) % 10, groups=np.arange(200) % 10)
    with pytest.raises(DataError, match=r"at least 8 rows \(got 5\)"):
        quick().fit(X[:5], y[:5], sensitive_features=[0, 1, 0, 1, 1])
    with pytest.raises(InvalidParameterError, match="estimator"):
        quick(estimator="smile").fit(X, y, sensitive_features=c)
    with pytest.raises(InvalidParameterError, match="ramp"):
        quick(ramp=2.0).fit(X, y, sensitive_features=c)
    unseen = X * 5  # an attribute value that no training row had: nothing is asked about it at prediction
    assert quick().fit(X, y, sensitive_features=c).predict(unseen).shape == (200,)


@brief
def test_same_seed_same_release_and_a_clone_is_free():
    X, y, c = coupled_world(200)
    first = quick().fit(X, y, sensitive_features=c)
    assert np.array_equal(clone(first).fit(X, y, sensitive_features=c).transform(X), first.transform(X))


@brief
def test_an_interrupted_fit_goes_on_with_the_same_result(tmp_path, monkeypatch):
    X, y, c = coupled_world(200)
    whole = quick(rounds=20).fit(X, y, sensitive_features=c)
    played = Game._play_round

    def stopped(self):
        if self.memory is not None and self.round == 15:
            raise KeyboardInterrupt
        played(self)

    monkeypatch.setattr(Game, "_play_round", stopped)
    again = quick(rounds=20, checkpoint=tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        again.fit(X, y, sensitive_features=c)
    monkeypatch.undo()
    with pytest.raises(ArtifactError, match="same data with the same settings"):
        quick(rounds=20, checkpoint=tmp_path / "c", lam=0.5).fit(X, y, sensitive_features=c)
    again.fit(X, y, sensitive_features=c)
    assert not (tmp_path / "c").exists()
    assert again.digest_ == whole.digest_
    assert again.curves_ == whole.curves_
