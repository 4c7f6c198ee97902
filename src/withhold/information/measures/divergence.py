"""How far two discrete distributions are apart: total variation, Kullback-Leibler and Rényi divergence."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.information.measures.joint import Reals, check_joint, log_masses


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Return half the sum of |p - q|: the most by which any event's probability differs.

    Examples
    --------
    >>> round(total_variation([0.5, 0.5], [0.9, 0.1]), 6)
    0.4
    """
    first, second = _pair(p, q)
    return float(0.5 * np.abs(first - second).sum())


def kullback_leibler(p: ArrayLike, q: ArrayLike) -> float:
    """Return the mean of log p/q under p in nats; infinite where q is zero and p is not.

    Examples
    --------
    >>> round(kullback_leibler([0.5, 0.5], [0.9, 0.1]), 6), kullback_leibler([0.5, 0.5], [1.0, 0.0])
    (0.510826, inf)
    """
    return renyi_divergence(p, q, 1.0)


def renyi_divergence(p: ArrayLike, q: ArrayLike, order: float) -> float:
    """Return the Rényi divergence in nats: log sum p^order q^(1-order) / (order - 1).

    Parameters
    ----------
    p, q : array_like
        Distributions of the same shape.
    order : float
        At least 0; 1 is the Kullback-Leibler divergence, infinity the log of the largest ratio.

    Returns
    -------
    float

    Examples
    --------
    >>> round(renyi_divergence([0.5, 0.5], [0.9, 0.1], 2.0), 6)
    1.021651
    >>> round(renyi_divergence([0.5, 0.5], [0.9, 0.1], np.inf), 6)
    1.609438
    """
    check_order(order)
    first, second = _pair(p, q)
    held = first > 0
    log_p, log_q = log_masses(first[held]), log_masses(second[held])
    if order >= 1 and bool(np.isneginf(log_q).any()):
        return float(np.inf)
    if order == np.inf:
        return max(0.0, float((log_p - log_q).max()))
    if order == 1:
        return max(0.0, float(np.sum(first[held] * (log_p - log_q))))
    return max(0.0, float(logsumexp(order * log_p + (1 - order) * log_q) / (order - 1)))


def check_order(order: float) -> None:
    """Refuse an order below zero or NaN.

    Examples
    --------
    >>> check_order(-1.0)
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: The 'order' of a Rényi measure must be a float >= 0. Got -1.0. ...
    """
    if not order >= 0:
        why, remedy = "Other orders have no reading as information.", "Use 1 for Shannon's, inf for the worst case."
        raise InvalidParameterError(
            sentence("The 'order' of a Rényi measure", "a float >= 0", repr(order), why, remedy)
        )


def _pair(p: ArrayLike, q: ArrayLike) -> tuple[Reals, Reals]:
    first, second = check_joint(p, "The distribution 'p'"), check_joint(q, "The distribution 'q'")
    if first.shape != second.shape:
        got, why = f"{first.shape} and {second.shape}", "Cells are compared one by one."
        raise InvalidParameterError(
            sentence(
                "The distributions 'p' and 'q'",
                "of one shape",
                got,
                why,
                "Give both the same cells, empty ones with 0.",
            )
        )
    return first, second
