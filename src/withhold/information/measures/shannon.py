"""Shannon's measures of a discrete joint, in nats: entropy, mutual and conditional mutual information.

Everything is computed from logarithms of masses, so joints with masses of 1e-300 are as good as others, and results
that are zero by theory are zero up to rounding.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from withhold.contracts.errors import InvalidParameterError
from withhold.information.measures.joint import (
    TOLERANCE,
    Axes,
    Reals,
    check_joint,
    check_masses,
    grouped,
    log_masses,
    positions,
)


def entropy(p: ArrayLike, axis: int | tuple[int, ...] | None = None) -> Reals | np.float64:
    """Return the entropy of `p`, or of each distribution along `axis`, in nats.

    Parameters
    ----------
    p : array_like
        Probabilities: of the whole joint, or with `axis` one distribution for each remaining position.
    axis : int, tuple of int or None
        Axes over which a distribution extends; None for all.

    Examples
    --------
    >>> round(float(entropy([[0.25, 0.25], [0.25, 0.25]])), 6)
    1.386294
    >>> entropy([[1.0, 0.0], [0.5, 0.5]], axis=1).round(6).tolist()
    [0.0, 0.693147]
    """
    array = check_masses(p, "The distribution 'p'")
    total = array.sum(axis=axis, keepdims=True)
    if array.ndim == 0 or not bool((np.abs(total - 1.0) <= TOLERANCE).all()):
        worst = float(total.flat[np.abs(total - 1.0).argmax()])
        raise InvalidParameterError(
            f"p must be probabilities that sum to 1 along 'axis' (got a total of {worst:g}). Divide by the totals."
        )
    result = np.maximum(entr(array / total).sum(axis=axis), 0.0)
    return np.float64(result) if np.ndim(result) == 0 else np.asarray(result)


def conditional_entropy(
    p: ArrayLike, a: Axes = 0, given: Axes | None = None, *, names: Sequence[str] | None = None
) -> float:
    """Return H(A | given) of a joint in nats; `given` defaults to all other axes.

    Examples
    --------
    >>> conditional_entropy([[0.5, 0.0], [0.0, 0.5]])
    0.0
    """
    joint = check_joint(p)
    first = positions(a, names, joint.ndim)
    second = _rest(joint.ndim, first) if given is None else positions(given, names, joint.ndim)
    table = grouped(joint, first, second)
    log_given = log_masses(table.sum(axis=0, keepdims=True))
    return max(0.0, -_expectation(table, log_masses(table) - _finite(log_given)))


def mutual_information(
    p: ArrayLike, a: Axes = 0, b: Axes | None = None, *, names: Sequence[str] | None = None
) -> float:
    """Return I(A; B) of a joint in nats.

    Parameters
    ----------
    p : array_like
        Joint probabilities, one axis a variable.
    a, b : int, str, or sequence of them
        Axes of A and of B; by default the first axis and all others.
    names : sequence of str, optional
        Names of the axes, if `a` and `b` use names.

    Examples
    --------
    >>> round(mutual_information([[0.4, 0.1], [0.1, 0.4]]), 6)
    0.192745
    >>> p = np.zeros((2, 2, 2))
    >>> p[[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]] = 0.25  # X = U xor S
    >>> mutual_information(p, "X", "S", names=("U", "S", "X"))
    0.0
    """
    joint = check_joint(p)
    first = positions(a, names, joint.ndim)
    second = _rest(joint.ndim, first) if b is None else positions(b, names, joint.ndim)
    return _conditional(grouped(joint, first, second, ()))


def conditional_mutual_information(
    p: ArrayLike, a: Axes = 0, b: Axes = 1, given: Axes | None = None, *, names: Sequence[str] | None = None
) -> float:
    """Return I(A; B | given) of a joint in nats; `given` defaults to all other axes.

    Examples
    --------
    >>> p = np.zeros((2, 2, 2))
    >>> p[[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]] = 0.25  # the third is the exclusive or of the others
    >>> round(conditional_mutual_information(p), 6)
    0.693147
    """
    joint = check_joint(p)
    first, second = positions(a, names, joint.ndim), positions(b, names, joint.ndim)
    third = _rest(joint.ndim, first + second) if given is None else positions(given, names, joint.ndim)
    return _conditional(grouped(joint, first, second, third))


def _conditional(table: Reals) -> float:
    """I(A; B | C) of a table (a, b, c): the mean of log p(abc) p(c) / (p(ac) p(bc)), in logs throughout."""
    own, given = log_masses(table), log_masses(table.sum(axis=(0, 1), keepdims=True))
    left, right = log_masses(table.sum(axis=1, keepdims=True)), log_masses(table.sum(axis=0, keepdims=True))
    return max(0.0, _expectation(table, own + _finite(given) - _finite(left) - _finite(right)))


def _expectation(p: Reals, values: Reals) -> float:
    return float(np.sum(p * np.where(p > 0, values, 0.0)))


def _finite(logs: Reals) -> Reals:
    """Log masses with 0 for mass 0: such cells carry no weight, and -inf minus -inf would be NaN."""
    return np.where(np.isneginf(logs), 0.0, logs)


def _rest(ndim: int, taken: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis for axis in range(ndim) if axis not in taken)
