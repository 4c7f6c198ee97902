"""What the attributes tell about the task, and weights under which they tell nothing: p(c)/p(c|y) = p(y)/p(y|c).

The ratio comes from classifiers of y given c that have not seen the row they weigh. Rows with a combination that is
rare in their class would get weights in the thousands and stand for all others, so weights are cut at a ceiling: what
that loses is told by their mean, which is 1 for complete weights, and what weighting costs by the effective sample
size (sum w)^2 / sum w^2.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch

from withhold.contracts.errors import DataError
from withhold.contracts.finding import Finding
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute
from withhold.data.attributes import Attributes
from withhold.information.calibration import fit_calibration
from withhold.information.estimators.conditionals import ConditionalTraining, Fold, cross_fitted_conditionals
from withhold.information.estimators.inputs import Pair, Variable
from withhold.methods.estimator.game_records import condition, target

CEILING = 30.0
"""Largest weight. On digits coloured by class (variance .03) the effective sample size of 60,000 is 34 without a
ceiling, 1,800 at 100, 3,900 at 30 and 8,300 at 10, and the mean weight .70, .51, .46, .40."""
READ = 6_000  # rows that I(Y; C) is read from: enough for a hundredth of a nat
TOLD = 0.01  # nats of I(Y; C) below which its estimate is noise
FEWEST, SHARE = 30, 0.02  # rows, and share of the rows, that weighting must leave in effect


@dataclass(frozen=True)
class Outlook:
    """What is known of a task before it is trained.

    Attributes
    ----------
    told : float
        I(Y; C) in nats, as classifiers read it; NaN where rows are too few.
    collapse_lambda : float
        H(Y) / I(Y; C), infinite where the attributes tell nothing.
    weights : ndarray or None
        How often each row is to be drawn.
    """

    told: float
    collapse_lambda: float
    weights: np.ndarray | None
    diagnostics: dict[str, float]
    findings: list[Finding]


@dataclass(frozen=True)
class Decorrelation:
    """Weights of the training rows.

    Attributes
    ----------
    weights : ndarray (n,)
        With mean 1; a row with a missing label or attribute has weight 0.
    effective : float
        Effective sample size.
    covered : float
        Mean of the weights before they were brought to mean 1: the share of the law of independent y and c that
        they stand for. A mean above 1 is an error of the classifiers and counts as 1.
    """

    weights: np.ndarray
    effective: float
    covered: float


def look_ahead(labels: Attribute, sensitive: Attributes, seed: int, *, decorrelate: bool) -> Outlook:
    """Compute what the attributes tell about the label and, if asked for, the weights that undo it."""
    rows = np.sort(stream(seed, "labels").permutation(known_rows(labels, sensitive))[:READ])
    told, limit, diagnostics = math.nan, math.inf, dict[str, float]()
    if len(rows) >= FEWEST:
        told = max(0.0, float(label_ratios(labels, sensitive, rows, seed).mean()))
        diagnostics["label_information"] = told
        if told > TOLD:
            limit = diagnostics["collapse_lambda"] = labels.entropy() / told
    if not decorrelate:
        return Outlook(told, limit, None, diagnostics, [])
    found = decorrelating_weights(labels, sensitive, seed)
    diagnostics |= {"effective_sample_size": found.effective, "decorrelated_share": found.covered}
    text = (
        f"Batches use {found.effective:.0f} of {len(labels)} rows in effect and represent {found.covered:.0%} of a "
        "population in which label and attributes are independent. Predictions do not rely on the attributes there; Z "
        "may still tell them."
    )
    return Outlook(told, limit, found.weights, diagnostics, [Finding(code="decorrelated", severity="info", text=text)])


def label_ratios(
    labels: Attribute, sensitive: Attributes, rows: np.ndarray, seed: int, hidden: tuple[int, ...] = (64,)
) -> np.ndarray:
    """Return log p(y | c) / p(y) of each of `rows`, from classifiers that have not seen the row.

    Its mean is a lower bound on I(Y; C), up to sampling error. No ratio is below log .01, since every guess holds a
    share of the marginal.

    Parameters
    ----------
    labels : Attribute
        Categorical.
    sensitive : Attributes
        Of any kind, taken together.
    rows : ndarray of int
        With known labels and attributes.
    hidden : tuple of int
        Hidden layers of the classifiers beside a linear map.
    """
    columns = np.concatenate([condition(item, target(item)) for item in sensitive.take(rows)], axis=1)
    pair = Pair(Variable(columns, None), Variable(None, labels.codes[rows][:, None]))
    codes, ratios = pair.b.joint_codes(), np.zeros(len(rows))
    log_shares = np.log(np.bincount(codes) / len(codes))
    training = ConditionalTraining(hidden=hidden, steps=min(1500, 100 + len(rows) // 4))
    for fold in cross_fitted_conditionals(pair, training, seed):
        ratios[fold.held] = _own_guess(fold, log_shares) - log_shares[codes[fold.held]]
    return ratios


def decorrelating_weights(
    labels: Attribute, sensitive: Attributes, seed: int, *, ceiling: float = CEILING
) -> Decorrelation:
    """Return weights under which label and attributes are independent, as far as the ceiling lets them.

    Parameters
    ----------
    labels : Attribute
        Categorical.
    sensitive : Attributes
        Of any kind, taken together.

    Raises
    ------
    DataError
        So few rows are left in effect that anything learned from them would be chance.
    """
    rows = known_rows(labels, sensitive)
    cut = np.minimum(np.exp(-label_ratios(labels, sensitive, rows, seed)), ceiling)
    effective, least = float(cut.sum() ** 2 / np.square(cut).sum()), max(FEWEST, SHARE * len(rows))
    if effective < least:
        raise DataError(
            f"decorrelate=True would learn from the equivalent of {effective:.0f} of {len(rows)} rows (at least "
            f"{least:.0f} are needed): label and sensitive attributes hardly vary independently. Leave "
            "decorrelate=False, or collect records in which they differ."
        )
    weights = np.zeros(len(labels))
    weights[rows] = cut / cut.mean()
    return Decorrelation(weights, effective, min(1.0, float(cut.mean())))


def known_rows(labels: Attribute, sensitive: Attributes) -> np.ndarray:
    """Return the rows in which nothing is missing."""
    return np.flatnonzero(labels.known & np.all([item.known for item in sensitive], axis=0))


def _own_guess(fold: Fold, log_shares: np.ndarray) -> np.ndarray:
    """Calibrated log q(y | c) of the held rows' own labels."""

    def say(rows: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.asarray(torch.log_softmax(fold.model(fold.a[rows]).double(), dim=1).numpy())

    codes = fold.b.numpy()
    calibration = fit_calibration(say(fold.aside), codes[fold.aside], log_shares)
    own: np.ndarray = calibration.apply(say(fold.held))[np.arange(len(fold.held)), codes[fold.held]]
    return own
