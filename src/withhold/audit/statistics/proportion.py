"""Interval of a rate that was counted."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv


def binomial_interval(successes: float, n: int, level: float) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson for a rate; successes may be parts, as for ties.

    Examples
    --------
    >>> [round(end, 4) for end in binomial_interval(0, 100, 0.95)]
    [0.0, 0.0362]
    """
    low, high = binomial_intervals(np.array([successes]), n, level)
    return float(low[0]), float(high[0])


def binomial_intervals(
    successes: NDArray[Any], n: int, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the intervals of several rates among `n`.

    Examples
    --------
    >>> low, high = binomial_intervals(np.array([0, 100]), 100, 0.95)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.9638], [0.0362, 1.0])
    """
    tail = (1.0 - level) / 2
    k = np.asarray(successes, np.float64)
    low = np.where(k <= 0, 0.0, betaincinv(np.maximum(k, 1e-9), n - k + 1, tail))
    high = np.where(k >= n, 1.0, betainccinv(k + 1, np.maximum(n - k, 1e-9), tail))
    return low, high
