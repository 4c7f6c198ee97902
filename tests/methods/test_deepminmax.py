import math

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from withhold.contracts.errors import ArtifactError, DataError, InvalidParameterError
from withhold.methods.aioi.aioi import AIOI
from withhold.methods.deepminmax import DeepMinMax, variational_retention
from withhold.methods.loading import load

brief = pytest.mark.usefixtures("brief_training")


def test_retention_of_values_and_of_cells():
    kept = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert float(variational_retention(kept, kept)) == 0.0
    assert float(variational_retention(kept + 1, kept)) == 1.0
    assert float(variational_retention(kept + 1, kept, total=True)) == 1.0  # half of the squares of two columns
    cells = torch.tensor([[0, 2], [1, 1]])
    logits = torch.zeros(2, 5)
    weights = [1 / math.log(2), 1 / math.log(3)]
    assert float(variational_retention(logits, cells, (2, 3), weights)) == pytest.approx(1.0)


def world(n=3000, seed=0):
    """A bit that shows in one direction and in a product, beside four other directions."""
    rng = np.random.default_rng(seed)
    S = rng.integers(2, size=n)
    X = rng.normal(size=(n, 6))
    X[:, 0] += 1.5 * (2 * S - 1)
    X[:, 1] = np.abs(X[:, 1]) * np.sign(X[:, 2]) * (2 * S - 1)
    return X, S


def accuracy(Z, S):
    half = len(Z) // 2
    pairs = np.concatenate([Z, (Z[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)], axis=1)
    return LogisticRegression(max_iter=2000).fit(pairs[:half], S[:half]).score(pairs[half:], S[half:])


@pytest.mark.slow
def test_hides_what_it_finds_without_hiding():
    """Positive control: with lam=0 the same encoder with the same noise shows S."""
    X, S = world(2000)
    shown = DeepMinMax(budget=None, lam=0.0, rounds=80, hidden=48, random_state=0, noise_seed=0)
    hidden = DeepMinMax(rounds=160, hidden=48, random_state=0, noise_seed=0)
    open_ = accuracy(shown.fit_transform(X, sensitive_features=S), S)
    closed = accuracy(hidden.fit_transform(X, sensitive_features=S), S)
    assert open_ > 0.8
    assert closed < 0.6
    assert hidden.diagnostics_["game_leakage"] < 0.03
    assert shown.diagnostics_["game_leakage"] > 0.15
    assert hidden.diagnostics_["effective_rank"] > 3


def quick(**kwargs):
    return DeepMinMax(**{"rounds": 12, "hidden": 16, "random_state": 0, "noise_seed": 0} | kwargs)


@brief
def test_same_seed_same_release_and_round_trip(tmp_path):
    X, S = world(200)
    torch.manual_seed(1)
    first = quick().fit(X, sensitive_features=S)
    torch.manual_seed(2)
    second = quick().fit(X, sensitive_features=S)
    assert np.array_equal(first.transform(X), second.transform(X))
    assert not np.array_equal(first.transform(X), quick(random_state=1).fit(X, sensitive_features=S).transform(X))
    first.save(tmp_path / "s.withhold")
    assert np.array_equal(load(tmp_path / "s.withhold").transform(X), first.transform(X))


class Stop:
    """A progress bar that stops the fit as a user would."""

    def __init__(self, after):
        self.left = after

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def advance(self, steps=1.0, note=None):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


@brief
def test_interrupted_fit_goes_on_with_the_same_result(tmp_path, monkeypatch):
    X, S = world(200)
    straight = quick(rounds=30).fit(X, sensitive_features=S)
    monkeypatch.setattr("withhold.training.game.Progress", lambda label, total: Stop(25))
    again = quick(rounds=30, checkpoint=tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        again.fit(X, sensitive_features=S)
    assert (tmp_path / "c").exists()
    monkeypatch.undo()
    again.fit(X, sensitive_features=S)
    assert not (tmp_path / "c").exists()
    assert np.array_equal(straight.transform(X), again.transform(X))
    assert straight.curves_ == again.curves_


@brief
@pytest.mark.parametrize("cls", [DeepMinMax, AIOI])
def test_a_fit_for_another_purpose_does_not_go_on_from_the_checkpoint(cls, tmp_path, monkeypatch):
    X, S = world(200)
    y = (X[:, 0] > 0).astype(int)
    monkeypatch.setattr("withhold.training.game.Progress", lambda label, total: Stop(25))
    method = cls(rounds=30, hidden=8, random_state=0, noise_seed=0, checkpoint=tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        method.fit(X, y, sensitive_features=S)
    with pytest.raises(ArtifactError, match="not of a run on the same data"):
        method.fit(X, 1 - y, sensitive_features=S)


@brief
@pytest.mark.parametrize("kind", ["strings", "numbers", "two", "mixed", "missing"])
def test_attributes_of_any_kind(kind):
    X, S = world(300)
    rng = np.random.default_rng(0)
    words, score = np.where(S == 1, "a", "b").astype(object), S + rng.normal(size=300)
    if kind == "missing":
        words[:40] = None
    sensitive = {
        "strings": words,
        "numbers": score,
        "two": pd.DataFrame({"a": words, "b": rng.integers(3, size=300).astype(str)}),
        "mixed": pd.DataFrame({"a": words, "b": score}),
        "missing": pd.Series(words, name="s"),
    }[kind]
    method = quick().fit(X, sensitive_features=sensitive)
    assert np.isfinite(method.transform(X)).all()
    assert np.isfinite(method.diagnostics_["game_leakage"])


@brief
@pytest.mark.parametrize("utility", ["classes", "numbers"])
def test_utility_joins_retention(utility):
    X, S = world(300)
    y = X[:, 4] if utility == "numbers" else np.where(X[:, 4] > 0, "yes", "no")
    method = quick().fit(X, y + 0.0 if utility == "numbers" else y, sensitive_features=S)
    assert np.isfinite(method.transform(X)).all()


@brief
def test_table_in_table_out_and_representation():
    X, S = world(300)
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"]).assign(kind=np.where(X[:, 3] > 0, "u", "v"), s=S)
    method = quick().fit(frame, sensitive_features="s")
    out = method.transform(frame.drop(columns="s"))
    assert list(out.columns) == ["a", "b", "c", "kind"]
    assert set(out["kind"]) <= {"u", "v"}
    Z = quick(output="representation", dimensions=3).fit_transform(frame, sensitive_features="s")
    assert Z.shape == (300, 3)


@brief
@pytest.mark.parametrize("n", [10, 50])
def test_few_rows(n):
    X, S = world(n)
    Z = quick().fit_transform(X, sensitive_features=S)
    assert Z.shape == (n, 6)
    assert np.isfinite(Z).all()


def test_too_few_rows_or_subjects_say_so():
    X, S = world(50)
    with pytest.raises(DataError, match="at least 8"):
        quick().fit(X[:6], sensitive_features=np.array([0, 1] * 3))
    with pytest.raises(DataError, match="8 groups"):
        quick().fit(X, sensitive_features=S, groups=np.arange(50) % 4)


def test_an_identifier_cannot_be_hidden():
    X, _ = world(50)
    with pytest.raises(DataError, match="several records share"):
        quick().fit(X, sensitive_features=np.array([f"id{i}" for i in range(50)]))


def test_adversaries_without_a_clue_are_reported():
    X, _ = world(300)
    S = np.random.default_rng(5).integers(2, size=300)  # nothing in X tells it
    method = quick(rounds=60).fit(X, sensitive_features=S)
    assert "adversary_blind" in [finding.code for finding in method.findings_]
    assert method.diagnostics_["rounds_without_adversary"] > 30


def test_collapse_is_found():
    X, S = world(300)
    method = quick(budget=None, lam=1.0, noise=0.0, preset="paper", rounds=60).fit(X, sensitive_features=S)
    assert method.diagnostics_["effective_rank"] < 4


def test_paper_preset_uses_the_stated_settings():
    recipe = DeepMinMax(preset="paper")._recipe(1280, 50)
    assert recipe.encoder == (50, 50)  # three layers
    assert recipe.decoder == (50,)  # two
    assert (recipe.dimensions, recipe.batch, recipe.rate, recipe.noise) == (50, 128, 0.005, 0.0)
    assert recipe.rounds == 200 * 10
    assert DeepMinMax().lam == 0.5


@pytest.mark.parametrize(
    "bad", [{"budget": -1.0}, {"lam": 2.0}, {"noise": -0.1}, {"hidden": 0}, {"preset": "fast"}, {"rounds": 1.5}]
)
def test_bad_parameters(bad):
    X, S = world(60)
    with pytest.raises(InvalidParameterError, match=next(iter(bad))):
        DeepMinMax(**bad).fit(X, sensitive_features=S)


def test_guarantees_nothing():
    assert DeepMinMax().guarantee().claim.startswith("None")


@pytest.mark.parametrize(("n", "found"), [(10, True), (200, False)])
def test_a_fit_on_few_rows_is_pointed_out(n, found):
    X, s = np.random.default_rng(0).normal(size=(n, 3)), np.resize(["a", "b"], n)
    method = DeepMinMax(rounds=2, random_state=0, noise_seed=0).fit(X, sensitive_features=s)
    texts = [finding.text for finding in method.findings_ if finding.code == "small_fit"]
    assert bool(texts) == found
    assert all(f"fitted on {n} rows" in text for text in texts)


def test_labels_of_the_utility_attribute_are_not_learned_by_heart():
    """Fitted rows show their labels no better than others do: .98 and .64 where the encoder is given the labels."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2300, 30))
    S, U = ((X[:, i] + rng.normal(size=len(X)) > 0).astype(int) for i in (1, 0))
    sanitizer = DeepMinMax(rounds=150, hidden=64, utility_weight=5, random_state=0, noise_seed=0)
    Z = sanitizer.fit(X[:300], U[:300], sensitive_features=S[:300]).transform(X)

    def shown(learned, told):
        return LogisticRegression(max_iter=500).fit(Z[learned], U[learned]).score(Z[told], U[told])

    fitted, half, rest = slice(0, 300), slice(300, 1300), slice(1300, None)
    assert shown(fitted, fitted) < 0.85
    assert shown(half, rest) > 0.66
