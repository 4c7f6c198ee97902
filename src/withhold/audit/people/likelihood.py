"""Whether a generator's likelihood tells the rows it was trained on from others: the membership test of a flow.

A generator that learned its rows by heart gives them more likelihood than others. Two scores are thresholded: the
likelihood itself, and how far it exceeds that of a Gaussian, which takes off what makes a record likely anyway. The
Gaussian is fitted to other rows and neither part knows it; what it tells alone is the control, since parts that differ
in the first place are told apart without any generator.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.covariance import ledoit_wolf

from withhold.audit.view.view import AttackView, whiten
from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import stream
from withhold.contracts.threats import LikelihoodMembership

Reals = NDArray[np.float64]

# Fewer rows on either side and nothing is said.
LEAST_ROWS = 20
LIKELIHOOD, RATIO = "likelihood", "likelihood against a Gaussian's"


def likelihood_membership(
    likelihood: Reals, records: pa.Table, member: NDArray[np.bool_], *, seed: int = 0, level: float = 0.95
) -> LikelihoodMembership | None:
    """Attack "the generator was trained on it" by the generator's likelihood.

    Parameters
    ----------
    likelihood : ndarray of shape (n,)
        Log-likelihood of each record under the generator.
    records : pyarrow.Table
        The same records.
    member : ndarray of bool, shape (n,)
        Which of them the generator was trained on.
    level : float
        Of the intervals; shared by the two attacks.

    Returns
    -------
    LikelihoodMembership or None
        None where either part has too few rows.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=600)
    >>> found = likelihood_membership(-(x**2) / 2, pa.table({"x": x}), np.arange(600) < 300)
    >>> bool(found.auc.low < 0.5 < found.auc.high)
    True
    """
    inside, outside = np.flatnonzero(member), np.flatnonzero(~np.asarray(member, bool))
    mixed = stream(seed, "audit", "likelihood").permutation(outside)
    fitted, asked = np.sort(mixed[: len(mixed) // 2]), np.sort(mixed[len(mixed) // 2 :])
    if min(len(inside), len(asked)) < LEAST_ROWS:
        return None
    usual = _gaussian(records, fitted)
    scores = {LIKELIHOOD: np.asarray(likelihood, np.float64), RATIO: likelihood - usual}
    share = 1 - (1 - level) / len(scores)
    attacks = {name: area(score[inside], score[asked], share) for name, score in scores.items()}
    best = max(attacks, key=lambda name: attacks[name].value)
    strict = np.quantile(scores[best][asked], 0.99)
    return LikelihoodMembership(
        auc=attacks[best].model_copy(update={"attacker": best, "against": tuple(attacks), "level": level}),
        attacks=attacks,
        control=area(usual[inside], usual[asked], level),
        tpr_at_1pct_fpr=float((scores[best][inside] > strict).mean()),
        members=len(inside),
        others=len(asked),
    )


def area(inside: Reals, outside: Reals, level: float) -> Quantity:
    """Return the area under the ROC curve of a score, with the interval of DeLong et al. (1988).

    Examples
    --------
    >>> print(area(np.array([3.0, 4.0, 2.0]), np.array([1.0, 2.0, 0.0]), 0.95).value.__round__(3))
    0.944
    """
    m, n = len(inside), len(outside)
    every = rankdata(np.concatenate([inside, outside]))
    above = (every[:m] - rankdata(inside)) / n  # share of the others below each member, ties by half
    below = 1 - (every[m:] - rankdata(outside)) / m
    value = float(above.mean())
    variance = (above.var(ddof=1) / m if m > 1 else 0.25) + (below.var(ddof=1) / n if n > 1 else 0.25)
    # Where all are in order, nothing varies; one more pair might not have been.
    half = float(ndtri(0.5 + level / 2)) * max(float(np.sqrt(variance)), 0.5 / min(m, n))
    return Quantity(
        value=value,
        low=max(0.0, value - half),
        high=min(1.0, value + half),
        kind="estimate",
        unit="AUC",
        level=level,
        n=m + n,
    )


def _gaussian(records: pa.Table, fitted: NDArray[np.int64]) -> Reals:
    """Return the log-density of every record under a Gaussian fitted to some, but for a constant."""
    X = np.asarray(whiten(AttackView.fit(records, row_order=False).dense), np.float64)
    if not X.shape[1]:
        return np.zeros(len(X))
    centre = X[fitted].mean(axis=0)
    covariance, _ = ledoit_wolf(X[fitted] - centre, assume_centered=True)
    factor = np.linalg.cholesky(covariance + 1e-6 * np.eye(len(covariance)))
    return np.asarray(-0.5 * (np.linalg.solve(factor, (X - centre).T) ** 2).sum(axis=0))
