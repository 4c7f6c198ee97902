"""How well a fresh panel predicts the utility attribute from the release, beside the same panel on the original."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor

from withhold.audit.attackers.attacker import Attacker
from withhold.audit.attackers.boosting import Boosting
from withhold.audit.attackers.convolutional import CnnAttacker
from withhold.audit.attackers.logistic import Logistic
from withhold.audit.attackers.network import Network
from withhold.audit.effort import Effort
from withhold.audit.leakage.crossfit import matrix
from withhold.audit.view.view import AttackView
from withhold.contracts.audit_record import Score, UtilityResult
from withhold.data.attribute import Attribute
from withhold.training.trees import TreeRegressor

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

# Part of the training rows on which the predictors are compared.
INNER = 0.1
# Below this many rows every fold is scored; above, as many as the effort says: an accuracy needs no more.
FEW_ROWS = 5_000
LEAST_ROWS = 20


@dataclass(frozen=True)
class Prediction:
    """Out-of-fold predictions.

    Attributes
    ----------
    rows : ndarray of int
        Rows that were predicted, in rising order.
    guess : ndarray of float, shape (len(rows),)
        Class codes, or values of a continuous attribute.
    predictor : str
        Who was chosen, on rows that are not scored; the commonest over folds.
    """

    rows: Codes
    guess: Floats
    predictor: str


@dataclass(frozen=True)
class Utility:
    """The result, and the predictions that fairness is computed from."""

    result: UtilityResult
    release: Prediction
    raw: Prediction | None


def measure_utility(
    attribute: Attribute,
    release: AttackView,
    original: AttackView | None,
    folds: npt.NDArray[np.integer],
    effort: Effort,
    rng: np.random.Generator,
    scored: npt.NDArray[np.bool_] | None = None,
) -> Utility | None:
    """Predict `attribute` from the release and from the original, on the same folds.

    Parameters
    ----------
    attribute : Attribute
        The utility attribute.
    release, original : AttackView
        Features only, row for row.
    folds : ndarray of int, shape (n,)
    scored : ndarray of bool, optional
        Rows that may be scored.

    Returns
    -------
    Utility or None
        None when fewer than 20 rows can be scored or the attribute does not vary there.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.effort import find_effort
    >>> from withhold.data.attributes import read_attributes
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=600)
    >>> view = AttackView.fit(pa.table({"x": x}))
    >>> bought = read_attributes((x > 0).astype(int))[0]
    >>> found = measure_utility(bought, view, view, np.arange(600) % 5, find_effort("quick"), rng)
    >>> found.result.metric, found.result.score.release > 0.95
    ('accuracy', True)
    """
    known = attribute.known if scored is None else attribute.known & scored
    numbers = np.unique(folds)
    chosen = numbers if len(folds) < FEW_ROWS else numbers[: effort.utility_folds]
    splits = [(np.flatnonzero(attribute.known & (folds != k)), np.flatnonzero(known & (folds == k))) for k in chosen]
    splits = [(train, score) for train, score in splits if len(train) and len(score)]
    rows = np.concatenate([score for _, score in splits]) if splits else np.zeros(0, np.int64)
    truth = _target(attribute)
    if (
        len(rows) < LEAST_ROWS
        or len(np.unique(truth[rows])) < 2
        or any(len(np.unique(truth[t])) < 2 for t, _ in splits)
    ):
        return None
    seed = int(rng.integers(2**62))
    released = _predict(attribute, release, splits, effort, seed)
    raw = None if original is None else _predict(attribute, original, splits, effort, seed)
    baseline = np.concatenate([np.full(len(score), _constant(attribute, truth[train])) for train, score in splits])
    order = np.argsort(rows, kind="stable")
    result = UtilityResult(
        metric="accuracy" if attribute.kind == "categorical" else "r2",
        score=Score(
            raw=None if raw is None else score_of(attribute, truth[raw.rows], raw.guess),
            release=score_of(attribute, truth[released.rows], released.guess),
        ),
        chance=score_of(attribute, truth[rows[order]], baseline[order]),
        predictor=released.predictor,
    )
    return Utility(result, released, raw)


def trained_and_tested(
    attribute: Attribute, view: AttackView, train: Codes, test: Codes, effort: Effort, seed: int
) -> Floats:
    """Return what the panel, trained on rows `train` of the view, guesses for rows `test`, in their order."""
    found = _predict(attribute, view, [(train, test)], effort, seed)
    guess = np.empty(len(test))
    guess[np.argsort(test, kind="stable")] = found.guess
    return guess


def _target(attribute: Attribute) -> Floats:
    return attribute.codes.astype(np.float64) if attribute.kind == "categorical" else attribute.values


def _constant(attribute: Attribute, truth: Floats) -> float:
    if attribute.kind == "categorical":
        return float(np.argmax(np.bincount(truth.astype(np.int64))))
    return float(truth.mean())


def score_of(attribute: Attribute, truth: Floats, guess: Floats) -> float:
    """Return the accuracy of guessed classes, or R squared of guessed values."""
    if attribute.kind == "categorical":
        return float((truth == guess).mean())
    return float(1.0 - ((truth - guess) ** 2).sum() / max(((truth - truth.mean()) ** 2).sum(), 1e-300))


def _predict(
    attribute: Attribute, view: AttackView, splits: Sequence[tuple[Codes, Codes]], effort: Effort, seed: int
) -> Prediction:
    truth, rows, guesses, names = _target(attribute), [], [], []
    for fold, (train, score) in enumerate(splits):
        rng = np.random.default_rng([seed, fold])
        train = rng.permutation(train)
        inner, fitted = train[: int(INNER * len(train))], train[int(INNER * len(train)) :]
        if len(np.unique(truth[fitted])) < 2:
            inner, fitted = train[:0], train
        both = np.concatenate([inner, score])
        panel = _classify if attribute.kind == "categorical" else _regress
        found = panel(view, truth, fitted, both, effort, rng)
        found["average"] = np.mean(list(found.values()), axis=0)
        decided = {n: v if v.ndim == 1 else v.argmax(axis=1).astype(np.float64) for n, v in found.items()}
        here = truth[inner]
        # Who answers for the release is decided on rows that are not scored.
        best = max(decided, key=lambda n: score_of(attribute, here, decided[n][: len(inner)]) if len(inner) else 0.0)
        rows.append(score)
        guesses.append(decided[best][len(inner) :])
        names.append(best)
    order = np.argsort(np.concatenate(rows), kind="stable")
    return Prediction(np.concatenate(rows)[order], np.concatenate(guesses)[order], max(names, key=names.count))


def _classify(
    view: AttackView, truth: Floats, fitted: Codes, rows: Codes, effort: Effort, rng: np.random.Generator
) -> dict[str, Floats]:
    present, codes = np.unique(truth[fitted].astype(np.int64), return_inverse=True)
    panel: list[type[Attacker]] = [Logistic, Boosting, Network] if effort.utility_network else [Logistic, Boosting]
    if view.images is not None:
        panel.append(CnnAttacker)
    out = {}
    for member in panel:
        model = member(effort).fit(matrix(view, member.inputs, fitted), codes, rng)
        probabilities = np.zeros((len(rows), int(truth[~np.isnan(truth)].max()) + 1))
        probabilities[:, present] = np.exp(model.log_proba(matrix(view, member.inputs, rows)))
        out[member.name] = probabilities
    return out


def _regress(
    view: AttackView, truth: Floats, fitted: Codes, rows: Codes, effort: Effort, rng: np.random.Generator
) -> dict[str, Floats]:
    target = truth[fitted]
    centre, scale = target.mean(), target.std()
    dense = np.c_[view.dense, np.zeros(view.n, np.float32)]  # never without a column
    models = {
        "ridge": (Ridge(alpha=1.0), dense),
        "boosting": (
            TreeRegressor(max_iter=effort.boosting_rounds, random_state=int(rng.integers(2**31))),
            np.c_[view.ordinal, np.zeros(view.n, np.float32)],
        ),
    }
    if effort.utility_network:
        seed = int(rng.integers(2**31))
        network = MLPRegressor(
            hidden_layer_sizes=(64, 64), early_stopping=len(fitted) > 1000, max_iter=40, random_state=seed
        )
        models["mlp"] = (network, dense)
    out = {}
    for name, (model, X) in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            out[name] = model.fit(X[fitted], (target - centre) / scale).predict(X[rows]) * scale + centre
    return out
