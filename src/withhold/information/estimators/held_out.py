"""Values of contrasts on held-out scores, with each record's contribution, from which the interval follows.

A record takes part in one joint pair, in a row and in a column of product pairs. Its contribution is the first-order
(Hájek) projection: how much the value moves with the record, all three uses together.
"""

from collections.abc import Callable, Iterable

import numpy as np
from scipy.special import logsumexp

from withhold.contracts.quantity import Kind, Quantity
from withhold.information.estimators.critics import HeldOut
from withhold.information.estimators.estimator import check_finite, interval

Valued = Callable[[np.ndarray], tuple[float, np.ndarray]]


def donsker_varadhan_value(scores: np.ndarray, clip: float = np.inf) -> tuple[float, np.ndarray]:
    """Return mean T - log mean e^T, corrected for the curvature of the log, and contributions that average to it.

    The log of a mean of m pairs is too small by about half their relative variance, which would flatter the bound.
    With `clip`, e^T is cut to [e^-clip, e^clip] over product pairs.

    Examples
    --------
    >>> donsker_varadhan_value(np.eye(3) * 2)[0]
    2.0
    """
    log_mean, relative = _product_mean(np.clip(scores, -clip, clip))
    n = len(scores)
    value = float(scores.diagonal().mean()) - log_mean
    correction = 0.5 * float(np.var(relative)) / n
    return value - correction, scores.diagonal() - log_mean - relative - correction


def nguyen_wainwright_jordan_value(scores: np.ndarray) -> tuple[float, np.ndarray]:
    """Return mean T - mean e^(T - 1), which needs no correction, and contributions.

    Examples
    --------
    >>> nguyen_wainwright_jordan_value(np.ones((3, 3)))[0]
    0.0
    """
    log_mean, relative = _product_mean(scores - 1.0)
    mean = float(np.exp(log_mean))
    return float(scores.diagonal().mean()) - mean, scores.diagonal() - mean * (1.0 + relative)


def info_nce_value(scores: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean log share of the own partner plus log n, and contributions.

    Examples
    --------
    >>> info_nce_value(np.zeros((4, 4)))[0]
    0.0
    """
    n = len(scores)
    log_share = scores - logsumexp(scores, axis=1, keepdims=True)
    own = log_share.diagonal() + np.log(n)
    taken = np.exp(log_share).sum(axis=0) - 1.0  # how much a record's b took from the others
    return float(own.mean()), own - taken


def cross_fitted(
    folds: Iterable[HeldOut], valued: Valued, kind: Kind, level: float, name: str, condition: str
) -> tuple[Quantity, float]:
    """Return the mean value over folds as a quantity, and the mean of what training batches showed."""
    values, weights, parts, shown = [], [], [], []
    for fold in folds:
        shown.append(fold.batch_value)
        for scores in fold.blocks:
            value, contributions = valued(scores)
            values.append(value)
            weights.append(len(scores))
            parts.append(contributions - contributions.mean())
    mean = check_finite(float(np.average(values, weights=weights)), name)
    low, high = interval(np.concatenate(parts), mean, level)
    found = Quantity(value=mean, low=low, high=high, kind=kind, level=level, n=sum(weights), condition=condition)
    return found, float(np.mean(shown))


def _product_mean(scores: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the log of the mean of e^T off the diagonal, and by how much each record's row and column exceed it.

    Both in units of the mean: (row mean + column mean) / mean - 2.
    """
    n = len(scores)
    rest = scores.copy()
    np.fill_diagonal(rest, -np.inf)
    top = rest.max()
    mass = np.exp(rest - top)
    mean = mass.sum() / (n * (n - 1))
    both = (mass.sum(axis=0) + mass.sum(axis=1)) / (n - 1)
    return float(top + np.log(mean)), both / mean - 2.0
