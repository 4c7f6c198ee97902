"""Which values of a column may stand in a schema as they are, and round numbers between records for all others."""

import numpy as np
from numpy.typing import ArrayLike

# Rows that share a value from which on it is nobody's: as many as a level needs for a feature.
SHARED = 10
# Nothing lies between numbers as near as this: a slope over the distance could overflow.
LEAST_DISTANCE = 1e-290


def shared_rows(n: int) -> int:
    """Return how many of `n` rows must share a value that stands as it is: a twentieth of few rows, never one.

    Examples
    --------
    >>> shared_rows(1000), shared_rows(100), shared_rows(12)
    (10, 5, 2)
    """
    return min(SHARED, max(2, n // 20))


def between(low: ArrayLike, high: ArrayLike) -> np.ndarray:
    """Return a round number strictly between each pair of numbers, NaN where there is none.

    Its binary digits end about where the two begin to differ, so that it tells of neither more than that it is near.

    Examples
    --------
    >>> between(np.array([8.0, 0.1234, 5.0]), np.array([9.0, 0.1399, 5.0])).tolist()
    [8.5, 0.125, nan]
    """
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    with np.errstate(all="ignore"):
        half = high / 2 - low / 2
        step = np.where(half < LEAST_DISTANCE, np.nan, np.ldexp(1.0, np.minimum(np.frexp(half)[1], 1023)))
        first = (np.floor(low / step) + 1) * step
        value = np.where(first < high, first, (np.floor(low / (step / 2)) + 1) * (step / 2))
        return np.where((low < value) & (value < high), value, np.nan)


def whole_between(low: float, high: float, unit: float, phase: float = 0.0) -> float:
    """Return a round number strictly between two on a grid, NaN where there is none.

    The grid is of whole `unit` around `phase`, or of decimals where `unit` is less than one.

    Examples
    --------
    >>> whole_between(1000.0, 1007.0, 1.0), whole_between(0.31, 0.38, 0.01), whole_between(8.0, 9.0, 1.0)
    (1004.0, 0.32, nan)
    """
    a, b = np.rint((low - phase) / unit), np.rint((high - phase) / unit)
    value = float(between(a, b))
    if value != np.rint(value):
        return float("nan")
    return phase + value * unit if unit >= 1 else float(np.round(value * unit, round(-np.log10(unit))))
