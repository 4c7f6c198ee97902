"""Home worlds of the attackers: each finds there what the others miss or find late."""

import builtins
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from withhold.audit.attackers.attacker import Attacker
from withhold.audit.attackers.boosting import Boosting
from withhold.audit.attackers.lightgbm import LightGbm
from withhold.audit.attackers.logistic import Logistic, fit_logistic
from withhold.audit.attackers.lookup import Lookup, tells_by_value
from withhold.audit.attackers.neighbours import BLOCK, Neighbours, least
from withhold.audit.attackers.network import Network
from withhold.audit.attackers.pairs import Pairs, association
from withhold.audit.attackers.quadratic import Quadratic
from withhold.audit.attackers.registry import choose_panel
from withhold.audit.attackers.tabicl import WEIGHTS, TabIcl
from withhold.audit.effort import EFFORTS
from withhold.contracts.errors import InvalidParameterError, MissingExtraError

QUICK = EFFORTS["quick"]


def gain(member: type[Attacker], X: np.ndarray, s: np.ndarray) -> float:
    """Held-out accuracy above one half."""
    X, half = X.astype(np.float32), len(s) // 2
    fitted = member(QUICK).fit(X[:half], s[:half], np.random.default_rng(0))
    return float((fitted.log_proba(X[half:]).argmax(axis=1) == s[half:]).mean() - 0.5)


def xor(n: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, width))
    return X, (X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=n) > 0).astype(np.int64)


def test_interaction_on_the_axes_is_for_trees_and_pairs() -> None:
    X, s = xor(4000, 6)
    assert gain(Logistic, X, s) < 0.08
    assert gain(Boosting, X, s) > 0.3
    assert gain(Pairs, X, s) > 0.3


def test_rotated_interaction_is_for_the_network() -> None:
    X, s = xor(4000, 8)
    turned = X @ np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))[0]
    assert gain(Network, turned, s) > 0.25
    assert gain(Network, turned, s) > gain(Boosting, turned, s) + 0.05
    assert gain(Logistic, turned, s) < 0.08


def test_network_finds_most_of_a_weak_shift() -> None:
    # .05 nat in 16 directions, 3,000 rows to learn from: networks left to run find a third.
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 9000)
    X = rng.normal(size=(9000, 16))
    X[:, 0] += 0.64 * s
    X = (X @ np.linalg.qr(rng.normal(size=(16, 16)))[0]).astype(np.float32)
    fitted = Network(QUICK).fit(X[:3000], s[:3000], np.random.default_rng(0))
    log_ratio = fitted.log_proba(X[3000:])[np.arange(6000), s[3000:]] + np.log(2)
    assert log_ratio.mean() > 0.03


def test_network_leaves_global_random_streams_alone() -> None:
    torch.manual_seed(0)
    before = torch.get_rng_state()
    X, s = xor(300, 4)
    Network(QUICK).fit(X.astype(np.float32), s, np.random.default_rng(0))
    assert torch.equal(before, torch.get_rng_state())


def test_network_trains_on_every_class() -> None:
    # One row of the third class must not be lost to the rows watched.
    s = np.r_[np.tile([0, 1], 100), 2]
    X = np.random.default_rng(0).normal(size=(201, 3)).astype(np.float32)
    assert Network(QUICK).fit(X, s, np.random.default_rng(0)).log_proba(X).shape == (201, 3)


def test_scale_is_for_quadratic() -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 10)) * np.where(s, 1.0, 1.5)[:, None]
    assert gain(Quadratic, X, s) > 0.25
    assert gain(Logistic, X, s) < 0.08


def test_scattered_clusters_are_for_neighbours() -> None:
    rng = np.random.default_rng(0)
    centres, owner = rng.normal(size=(60, 6)) * 4, rng.integers(0, 2, 60)
    cluster = rng.integers(0, 60, 3000)
    X, s = centres[cluster] + 0.1 * rng.normal(size=(3000, 6)), owner[cluster]
    assert gain(Neighbours, X, s) > 0.45
    assert gain(Neighbours, X, s) > gain(Logistic, X, s) + 0.1


@pytest.mark.parametrize("classes", [2, 3])
def test_exact_values_are_for_lookup(classes: int) -> None:
    rng = np.random.default_rng(0)
    owner, value = rng.integers(0, classes, 1500), rng.integers(0, 1500, 12_000)
    X, s = np.column_stack([value * 7 + 3, rng.normal(size=12_000)]), owner[value]
    assert gain(Lookup, X, s) > 0.4
    assert gain(Boosting, X, s) < 0.25
    assert gain(Lookup, X, s) > gain(Boosting, X, s) + 0.2


def test_lookup_leaves_sizes_to_the_trees() -> None:
    rng = np.random.default_rng(0)
    value = rng.integers(0, 1000, 6000)
    X, s = np.column_stack([value, rng.normal(size=6000)]).astype(np.float32), (value > 500).astype(np.int64)
    fitted = Lookup(QUICK).fit(X, s, rng)
    prior = np.log(np.bincount(s) / len(s))
    assert np.allclose(fitted.log_proba(X), prior)
    # A control that can be found, and one without a repeated value.
    assert tells_by_value(value.astype(np.float32), rng.integers(0, 2, 1000)[value])
    assert not tells_by_value(rng.normal(size=6000).astype(np.float32), s)


def test_lookup_reads_columns_with_missing_values() -> None:
    rng = np.random.default_rng(0)
    owner, value = rng.integers(0, 2, 500), rng.integers(0, 500, 6000)
    X = np.where(rng.random(6000) < 0.2, np.nan, value)[:, None]
    assert gain(Lookup, X, owner[value]) > 0.3


def test_certain_guesses_stay_finite() -> None:
    s = np.tile([0, 1], 200)
    X = (s[:, None] * 2e3 - 1e3).astype(np.float32)
    for member in (Logistic, Pairs, Quadratic, Boosting):
        assert np.isfinite(member(QUICK).fit(X, s, np.random.default_rng(0)).log_proba(X)).all()


def test_association_is_the_correlation_of_products() -> None:
    rng = np.random.default_rng(0)
    left, codes = rng.normal(size=(500, 3)).astype(np.float32), (rng.random((500, 1)) < 0.3).astype(np.float32)
    codes = (codes - codes.mean()) / codes.std()
    slow = np.corrcoef(left[:, 0] * left[:, 2], codes[:, 0])[0, 1] * 500**0.5
    assert association(left, left, codes)[0, 2] == pytest.approx(abs(slow), rel=1e-3)


def test_panel_by_name() -> None:
    standard = [member.name for member in choose_panel()]
    assert {"logistic", "qda", "boosting", "lookup", "mlp", "neighbours", "pairs", "cells", "periods"} == set(standard)
    assert [member.name for member in choose_panel(["+lightgbm"])] == [*standard, "lightgbm"]
    with pytest.raises(InvalidParameterError, match="oracle"):
        choose_panel(["+oracle"])


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: object) -> object:
        if name == "lightgbm":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtraError, match=r"withhold\[gbm\]"):
        LightGbm(QUICK).fit(np.zeros((4, 1), np.float32), np.array([0, 1, 0, 1]), np.random.default_rng(0))


class Reader:
    """Stands for TabICL: guesses what it was told to."""

    def __init__(self, **options: object) -> None:
        self.options = options

    def fit(self, X: np.ndarray, s: np.ndarray) -> "Reader":
        self.classes = int(s.max()) + 1
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return np.full((len(X), self.classes), 1 / self.classes)


@pytest.mark.parametrize("named", ["", "absent.ckpt"])
def test_a_network_without_weights_asks_for_them(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setitem(sys.modules, "tabicl", SimpleNamespace(TabICLClassifier=Reader))
    monkeypatch.setenv(WEIGHTS, named)
    with pytest.raises(MissingExtraError, match=f"{named}.*set {WEIGHTS} to the file"):
        TabIcl(QUICK).fit(np.zeros((4, 1), np.float32), np.array([0, 1, 0, 1]), np.random.default_rng(0))


def test_a_network_reads_the_weights_that_are_named_and_fetches_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "weights.ckpt").write_bytes(b"w")
    monkeypatch.setitem(sys.modules, "tabicl", SimpleNamespace(TabICLClassifier=Reader))
    monkeypatch.setenv(WEIGHTS, str(tmp_path / "weights.ckpt"))
    member = TabIcl(QUICK).fit(np.zeros((4, 1), np.float32), np.array([0, 1, 0, 1]), np.random.default_rng(0))
    assert member.log_proba(np.zeros((3, 1), np.float32)) == pytest.approx(np.log(0.5))
    assert member._model.options["model_path"] == str(tmp_path / "weights.ckpt")
    assert member._model.options["allow_auto_download"] is False


@pytest.mark.parametrize("classes", [2, 5])
def test_logistic_ends_at_the_minimum(classes: int) -> None:
    # Nearly equal columns, on which unaided L-BFGS is still under way after a hundred steps.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 6)).astype(np.float32)
    X[:, 3:] = X[:, :3] + 0.01 * X[:, 3:]
    s = np.digitize(X[:, 0] + rng.normal(size=800), np.linspace(-1, 1, classes - 1))
    ours, exact = fit_logistic(X, s), LogisticRegression(solver="newton-cholesky", tol=1e-10).fit(X.astype(float), s)
    assert np.allclose(np.exp(ours.log_proba(X)), exact.predict_proba(X), atol=1e-3)


def test_logistic_takes_more_columns_than_rows() -> None:
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(60, 2000)).astype(np.float32), rng.integers(0, 2, 60)
    assert np.isfinite(fit_logistic(X, s).log_proba(X)).all()


@pytest.mark.parametrize("count", [1, 7, 100])
def test_least_are_the_least(count: int) -> None:
    distance = torch.rand((20, 300 * BLOCK), generator=torch.Generator().manual_seed(0))
    distance[:, 5:900] = 0.001  # many equal ones
    values, columns = least(distance, count)
    assert torch.equal(values, distance.topk(count, largest=False).values)
    assert torch.equal(distance.gather(1, columns), values)


def test_rows_that_fill_a_block_are_no_neighbours() -> None:
    X = np.full((BLOCK + 1, 2), 5.0, np.float32)
    X[:, 0] += np.arange(BLOCK + 1)
    s = np.arange(BLOCK + 1) % 2
    guess = Neighbours(QUICK).fit(X, s, np.random.default_rng(0)).log_proba(X)
    assert np.isfinite(guess).all()
