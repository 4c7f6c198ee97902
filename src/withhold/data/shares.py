"""Shares of classes, with half a record added to each where one that was not seen stays possible; their entropy."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def smoothed_shares(counts: ArrayLike) -> NDArray[Any]:
    """Return the shares of all cells of `counts` together (Jeffreys' prior: half a record in each).

    Examples
    --------
    >>> smoothed_shares([1, 2]).tolist()
    [0.375, 0.625]
    """
    more = np.asarray(counts) + 0.5
    return np.asarray(more / more.sum())


def plug_in_entropy(counts: ArrayLike) -> float:
    """Return the entropy in nats of classes that are there so many times, or with such shares; 0 of none.

    Examples
    --------
    >>> round(plug_in_entropy([3, 0, 3]), 6), plug_in_entropy([5]), plug_in_entropy([])
    (0.693147, 0.0, 0.0)
    """
    there = np.asarray(counts, dtype=float)
    shares = there[there > 0] / max(there.sum(), np.finfo(float).tiny)
    return max(0.0, float(-(shares * np.log(shares)).sum()))
