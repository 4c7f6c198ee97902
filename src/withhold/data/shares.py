"""Shares of classes with half a record added to each: a class that was not seen stays possible."""

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
