import math

import numpy as np
import pandas as pd
import pytest
import torch

from withhold.contracts.errors import DataError, InvalidParameterError, InvalidTypeError
from withhold.methods.aioi.aioi import (
    AIOI,
    information_loss,
    penalised,
    reversed_divergence,
    soft_leakage,
    true_label_leakage,
)
from withhold.methods.loading import load
from withhold.nets.attribute_density import AttributeLayout
from withhold.training.game import Game

brief = pytest.mark.usefixtures("brief_training")
TWO = AttributeLayout((2,))


def logits(p):
    return torch.tensor(p).log()


def test_true_labels_give_information_in_the_limit():
    """A binary symmetric channel with flips .1, read by its exact posterior: ln 2 - h(.1)."""
    outputs = logits([[0.9, 0.1]] * 10)
    secrets = torch.tensor([[0.0]] * 9 + [[1.0]])
    leakage = true_label_leakage(TWO, outputs, secrets, torch.full((10, 1), -math.log(2)))
    assert leakage.item() == pytest.approx(math.log(2) + 0.9 * math.log(0.9) + 0.1 * math.log(0.1))
    over = true_label_leakage(TWO, 5 * outputs, secrets, torch.full((10, 1), -math.log(2)))
    assert over.item() < leakage.item()  # a reader that is not the posterior reads less


def test_soft_leakage_believes_whoever_is_sure():
    outputs, prior = logits([[0.9, 0.1]]), logits([0.5, 0.5])
    exact = math.log(2) + 0.9 * math.log(0.9) + 0.1 * math.log(0.1)
    assert soft_leakage(TWO, outputs, prior).item() == pytest.approx(exact)
    assert soft_leakage(TWO, 5 * outputs, prior).item() > 0.69


def test_the_gradient_of_equation_10_does_not_vanish():
    outputs = torch.tensor([[20.0, 0.0]], requires_grad=True)
    secrets, prior = torch.tensor([[0.0]]), logits([0.5, 0.5])
    (label,) = torch.autograd.grad(true_label_leakage(TWO, outputs, secrets, torch.zeros(1, 1)), outputs)
    (reverse,) = torch.autograd.grad(reversed_divergence(TWO, outputs, prior), outputs)
    assert label.abs().max().item() < 1e-6
    assert reverse.abs().max().item() == pytest.approx(0.5, abs=1e-3)


def test_loss_of_information_and_penalty():
    records, release = logits([[0.8, 0.2]]), logits([[0.5, 0.5]])
    assert information_loss(TWO, records, release, torch.tensor([[0.0]])).item() == pytest.approx(math.log(1.6))
    missing = information_loss(TWO, records, release, torch.tensor([[math.nan]]))
    assert missing.item() == 0.0
    assert penalised(torch.tensor(1.0), torch.tensor(0.05), 0.1, 50.0).item() == 1.0  # within the budget: no pressure


def world(n=2000, seed=0):
    """S and U show in a column each, and both in a third."""
    rng = np.random.default_rng(seed)
    S, U = rng.integers(2, size=(2, n))
    X = np.c_[S, U, S + U] + 0.2 * rng.normal(size=(n, 3))
    return X, U, S


def accuracy(Z, labels):
    """A quadratic reader, trained on one half and scored on the other."""
    half = len(Z) // 2
    full = np.c_[np.ones(len(Z)), Z, (Z[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)]
    weights = np.linalg.lstsq(full[:half], 2.0 * labels[:half] - 1, rcond=None)[0]
    return float(((full[half:] @ weights > 0) == labels[half:]).mean())


def test_hides_one_and_keeps_the_other():
    X, U, S = world(1200)
    assert accuracy(X, S) > 0.95  # control: it is there to be hidden
    method = AIOI(budget=0.05, rounds=100, random_state=0, noise_seed=0)
    Z = method.fit_transform(X, U, sensitive_features=S)
    assert Z.shape == X.shape
    assert accuracy(Z, U) > 0.85
    assert accuracy(Z, S) < 0.68
    assert method.diagnostics_["leakage_lower_bound"] < 0.12
    assert method.diagnostics_["utility_information"] > 0.3


def test_as_printed_its_own_reading_flatters():
    """Algorithm 1 without noise on outputs: adversaries trained anew find more than twice what its own reads."""
    X, U, S = world(1000)
    method = AIOI(preset="paper", rounds=200, random_state=0, noise_seed=0).fit(X, U, sensitive_features=S)
    assert method.diagnostics_["fresh_leakage"] > 2 * max(0.01, method.diagnostics_["game_leakage"])
    assert set(method.curves_) == {"inference", "filter"}
    assert any(finding.code == "budget_missed" for finding in method.findings_)


def quick(**kwargs):
    return AIOI(**{"rounds": 12, "hidden": 8, "random_state": 0, "noise_seed": 0} | kwargs)


@brief
@pytest.mark.parametrize("settings", [{"filter": "linear"}, {"estimator": "kl"}, {"naturalness": 1.0}])
def test_settings_play(settings, tmp_path):
    X, U, S = world(200)
    method = quick(**settings).fit(X, U, sensitive_features=S)
    method.save(tmp_path / "s.withhold")
    assert np.array_equal(load(tmp_path / "s.withhold").transform(X), method.transform(X))


@brief
def test_several_attributes_of_any_kind():
    X, U, S = world(200)
    rng = np.random.default_rng(0)
    secrets = {"s": S.astype(str), "age": rng.normal(size=200)}
    wanted = np.c_[U, rng.normal(size=200)]
    method = quick().fit(X, pd.DataFrame(wanted, columns=["u", "v"]), sensitive_features=pd.DataFrame(secrets))
    assert np.isfinite(method.transform(X)).all()


def images(n=120):
    rng = np.random.default_rng(0)
    S, U = rng.integers(2, size=(2, n))
    X = rng.integers(0, 100, size=(n, 9, 6, 3), dtype=np.uint8)
    X[S == 1, 2:4, 2:4] = 255
    X[U == 1, 6:8, 2:4] = 255
    return X, U, S


@brief
def test_images_come_out_as_images(tmp_path):
    X, U, S = images()
    method = quick(rounds=4, hidden=4).fit(X, U, sensitive_features=S)
    Z = method.transform(X)
    assert Z.shape == X.shape
    assert Z.dtype == np.uint8
    assert np.array_equal(method.transform(X[5:7]), Z[5:7])
    method.save(tmp_path / "s.withhold")
    assert np.array_equal(load(tmp_path / "s.withhold").transform(X), Z)


def test_images_hide_one_mark_and_keep_the_other():
    rng = np.random.default_rng(0)
    S, U = rng.integers(2, size=(2, 800))
    X = 0.3 * rng.random((800, 8, 8), dtype=np.float32)
    X[S == 1, 1:3, 1:3] += 0.6
    X[U == 1, 5:7, 5:7] += 0.6
    assert marked(X, S) > 0.95  # control: it is there to be hidden
    method = AIOI(rounds=120, hidden=4, dimensions=6, random_state=0, noise_seed=0)
    Z = method.fit(X[:400], U[:400], sensitive_features=S[:400]).transform(X)
    assert marked(Z, U) > 0.85
    assert marked(Z, S) < 0.7
    assert Z.std(axis=0).max() > 0.05  # pictures, not one picture
    assert np.abs(Z.mean(axis=0) - X.mean(axis=0)).max() < 0.25  # and like those that came in


def marked(Z, labels):
    """A linear reader of pixels, trained on one half and scored on the other."""
    flat = np.c_[np.ones(len(Z)), Z.reshape(len(Z), -1)]
    half = len(Z) // 2
    gram = flat[:half].T @ flat[:half] + 0.1 * np.eye(flat.shape[1])
    weights = np.linalg.solve(gram, flat[:half].T @ (2.0 * labels[:half] - 1))
    return float(((flat[half:] @ weights > 0) == labels[half:]).mean())


@brief
def test_signals_keep_their_units():
    rng = np.random.default_rng(0)
    S, U = rng.integers(2, size=(2, 80))
    X = (50.0 + 9.0 * rng.normal(size=(80, 12, 3))).astype(np.float32)
    across = quick(rounds=3, hidden=4, filter="unet").fit(X, U, sensitive_features=S).transform(X)
    assert abs(float(across.mean()) - 50.0) < 3.0
    assert 6.0 < float(across.std()) < 15.0
    narrow = quick(rounds=3, hidden=4).fit(X, U, sensitive_features=S).transform(X)  # three rounds: no more than a mean
    assert abs(float(narrow.mean()) - 50.0) < 3.0


def test_a_fixed_model_goes_on_working_and_stays_as_it_is():
    X, U, S = world(1200)
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[0.0, -6.0, 0.0], [0.0, 6.0, 0.0]]))
        model.bias.copy_(torch.tensor([3.0, -3.0]))
    before = model.weight.clone()
    method = AIOI(utility_model=model, rounds=100, random_state=0, noise_seed=0).fit(X, U, sensitive_features=S)
    Z = torch.from_numpy(method.transform(X)).float()
    assert ((model(Z).argmax(1).numpy() == U).mean()) > 0.85  # .50 by guessing; about .90, as the processor rounds
    assert accuracy(Z.numpy(), S) < 0.68
    assert torch.equal(model.weight, before)
    assert model.weight.requires_grad


def test_a_filter_that_keeps_nothing_says_so():
    X, U, S = world(300)
    nothing = np.random.default_rng(1).integers(2, size=300)
    codes = [finding.code for finding in quick().fit(X, nothing, sensitive_features=S).findings_]
    assert "utility_lost" in codes
    kept = AIOI(budget=0.6, rounds=60, random_state=0, noise_seed=0).fit(X, U, sensitive_features=S)
    assert "utility_lost" not in [finding.code for finding in kept.findings_]


def test_few_rows_of_each_value_to_hide_are_pointed_out():
    X, U, _ = world(300)
    many = np.char.add("person ", (np.arange(300) % 30).astype(str))
    rare = np.r_[np.zeros(285, int), np.ones(15, int)]
    for values, said, large in ((many, True, False), (np.arange(300) % 3, False, False), (rare, True, True)):
        method = quick(rounds=3, budget=0.12).fit(X, U, sensitive_features=values)
        codes = [finding.code for finding in method.findings_]
        assert ("small_fit" in codes) == said
        assert ("large_budget" in codes) == large


@brief
def test_a_warm_start_goes_on_from_the_filter():
    X, U, S = world(300)
    method = quick(rounds=30).fit(X, U, sensitive_features=S)
    first = {name: value.clone() for name, value in method.filter_.state_dict().items()}
    method.set_params(warm_start=True, rounds=1).fit(X, U, sensitive_features=S)
    cold = quick(rounds=1).fit(X, U, sensitive_features=S).filter_.state_dict()

    def distance(other):
        return max(float((other[name] - value).abs().max()) for name, value in first.items() if "weight" in name)

    assert distance(method.filter_.state_dict()) < 0.02 < distance(cold)


class Stop(Exception):  # noqa: N818 - as a user's interrupt
    pass


@brief
def test_an_interrupted_sweep_ends_as_one_in_one_go(tmp_path, monkeypatch):
    X, U, S = world(300)
    budgets = [0.3, 0.2, 0.1]
    whole = quick(rounds=20).sweep(budgets, X, U, sensitive_features=S)
    assert len({one.digest_ for one in whole}) == 3
    played, after = Game._play_round, {"rounds": 47}

    def interrupted(self):
        after["rounds"] -= 1
        if not after["rounds"]:
            raise Stop
        return played(self)

    method = quick(rounds=20, checkpoint=tmp_path / "game")
    monkeypatch.setattr(Game, "_play_round", interrupted)
    with pytest.raises(Stop):
        method.sweep(budgets, X, U, sensitive_features=S)
    assert (tmp_path / "game.0.done").exists()
    assert not (tmp_path / "game.2.done").exists()
    monkeypatch.setattr(Game, "_play_round", played)
    resumed = method.sweep(budgets, X, U, sensitive_features=S)
    assert [one.digest_ for one in resumed] == [one.digest_ for one in whole]
    assert [one.diagnostics_ for one in resumed] == [one.diagnostics_ for one in whole]
    assert list(tmp_path.iterdir()) == []


def test_errors():
    X, U, S = world(60)
    with pytest.raises(DataError, match="needs y"):
        quick().fit(X, sensitive_features=S)
    wrong = [{"budget": 0}, {"noise": -1}, {"estimator": "mine"}, {"filter": "unet"}, {"preset": "fast"}]
    wrong += [{"hidden": [0]}, {"hidden": ()}, {"hidden": "64"}, {"hidden": 1.5}, {"warm_start": "no"}]
    for settings in wrong:
        with pytest.raises(InvalidParameterError, match=next(iter(settings))):
            quick(**settings).fit(X, U, sensitive_features=S)
    with pytest.raises(InvalidTypeError, match="utility_model"):
        quick(utility_model="a model").fit(X, U, sensitive_features=S)
    with pytest.raises(InvalidParameterError, match="per class of y"):
        quick(utility_model=torch.nn.Linear(3, 5)).fit(X, U, sensitive_features=S)


def test_what_is_told_of_utility_is_read_for_tables_and_summed_over_attributes():
    rng = np.random.default_rng(0)
    u, v, s = rng.integers(2, size=(3, 600))
    frame = pd.DataFrame({"u": np.array(["x", "y"])[u], "v": np.array(["p", "q"])[v], "n": rng.normal(size=600)})
    one = AIOI(budget=0.3, rounds=40, random_state=0, noise_seed=0).fit(frame, u, sensitive_features=s)
    assert 0.3 < one.diagnostics_["utility_information"] <= np.log(2) + 0.01
    X = np.c_[u, v, rng.normal(size=600)]
    unread = quick(rounds=2).fit(X, pd.DataFrame({"a": u, "b": v}), sensitive_features=s)
    assert unread.diagnostics_["utility_information"] < 0.5  # readers that have hardly learned tell next to nothing
