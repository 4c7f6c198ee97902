"""What an attacker gains who guesses: Rényi entropy, Sibson's information and maximal leakage of a discrete joint.

Shannon's information averages over records; maximal leakage is the worst over all attributes that depend on S: no
attacker's chance of guessing any of them grows by more than its exponential (Issa, Wagner, Kamath 2020).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from withhold.information.measures.divergence import check_order
from withhold.information.measures.joint import Axes, Reals, check_joint, grouped, log_masses, positions
from withhold.information.measures.shannon import entropy, mutual_information


def renyi_entropy(p: ArrayLike, order: float) -> float:
    """Return the Rényi entropy of a distribution in nats; order infinity is the min-entropy.

    Examples
    --------
    >>> round(renyi_entropy([0.5, 0.25, 0.25], 2.0), 6), round(renyi_entropy([0.5, 0.25, 0.25], np.inf), 6)
    (0.980829, 0.693147)
    """
    check_order(order)
    logs = log_masses(check_joint(p, "The distribution 'p'"))
    logs = logs[~np.isneginf(logs)]
    if order == 1:
        return float(entropy(np.exp(logs)))
    if order == np.inf:
        return max(0.0, float(-logs.max()))
    return max(0.0, float(logsumexp(order * logs) / (1 - order)))


def sibson_information(
    p: ArrayLike, order: float, s: Axes = 0, z: Axes | None = None, *, names: Sequence[str] | None = None
) -> float:
    """Return Sibson's information of some order about S in Z, in nats; order 1 is the mutual information.

    Parameters
    ----------
    p : array_like
        Joint probabilities.
    order : float
        Above 0; infinity gives maximal leakage.
    s, z : int, str or sequence of them
        Axes of S and of Z; by default the first and all others.
    names : sequence of str, optional

    Returns
    -------
    float

    Examples
    --------
    >>> round(sibson_information([[0.4, 0.1], [0.1, 0.4]], 2.0), 6)
    0.307485
    """
    check_order(order)
    if order == 1:
        return mutual_information(p, s, z, names=names)
    if order == np.inf:
        return maximal_leakage(p, s, z, names=names)
    log_s, log_given = _channel(p, s, z, names)
    if order == 0:
        return max(0.0, float(-logsumexp(np.where(np.isneginf(log_given), -np.inf, log_s), axis=0).max()))
    inner = logsumexp(log_s + order * log_given, axis=0) / order
    return max(0.0, float(order / (order - 1) * logsumexp(inner)))


def maximal_leakage(p: ArrayLike, s: Axes = 0, z: Axes | None = None, *, names: Sequence[str] | None = None) -> float:
    """Return log of sum over z of the largest p(z | s), in nats.

    Its exponential bounds how many times likelier a guess of any function of S, even a random one, becomes right once
    Z is seen. It depends on which values S can take and not on how often, and is at least the mutual information.

    Examples
    --------
    >>> round(maximal_leakage([[0.4, 0.1], [0.1, 0.4]]), 6)
    0.470004
    >>> round(maximal_leakage(np.outer([0.3, 0.7], [0.5, 0.5])), 12)
    0.0
    """
    _, log_given = _channel(p, s, z, names)
    return max(0.0, float(logsumexp(log_given.max(axis=0))))


def _channel(p: ArrayLike, s: Axes, z: Axes | None, names: Sequence[str] | None) -> tuple[Reals, Reals]:
    """Return log p(s) as a column and log p(z | s), for the values of S that occur."""
    joint = check_joint(p)
    first = positions(s, names, joint.ndim)
    rest = tuple(axis for axis in range(joint.ndim) if axis not in first)
    table = grouped(joint, first, rest if z is None else positions(z, names, joint.ndim))
    table = table[table.sum(axis=1) > 0]
    log_s = log_masses(table.sum(axis=1, keepdims=True))
    return log_s, log_masses(table) - log_s
