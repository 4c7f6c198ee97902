"""The time between two dates of a record: days from booking to visit, hours from one clock to another."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading, read_column

Reals = npt.NDArray[np.float64]

# Dates that are compared; the units in which a difference is given, the largest in which nearly all are whole.
MOST_DATES, UNITS, NEARLY_ALL = 4, (86_400.0, 3_600.0, 60.0), 0.95


def between_dates(times: Sequence[tuple[str, Reals]]) -> Iterator[Reading]:
    """Yield the differences of dates as columns of whole numbers, of days where that is exact, else of less.

    Parameters
    ----------
    times : sequence of (str, ndarray of shape (n,))
        Names of columns of dates, and seconds since 1970, NaN where missing.

    Examples
    --------
    >>> booked, seen = np.array([0.0, 86_400.0]), np.array([172_800.0, 432_000.0])
    >>> [(one.name, one.numbers.tolist()) for one in between_dates([("booked", booked), ("seen", seen)])]
    [('booked to seen', [2.0, 4.0])]
    """
    for (first, one), (second, other) in combinations(times[:MOST_DATES], 2):
        apart = other - one
        known = np.isfinite(apart)
        units = [unit for unit in UNITS if (apart[known] % unit == 0).mean() >= NEARLY_ALL] if known.any() else []
        if known.any():
            whole = np.floor(np.where(known, apart, 0.0) / (units[0] if units else 1.0)).astype(np.int64)
            name = f"{first} to {second}"
            yield replace(read_column(pa.table({name: pa.array(whole, mask=~known)}), name), source=second)


def odd_values(reading: Reading) -> Iterator[Column]:
    """Yield whether a whole number is odd, where some are and some are not.

    Examples
    --------
    >>> [(name, column.tolist()) for name, column in odd_values(read_column(pa.table({"a": [2, 3]}), "a"))]
    [('a is odd', [0.0, 1.0])]
    """
    odd = np.append(reading.levels % 2, 0)[reading.codes].astype(np.float32)
    if 0 < odd.sum() < np.count_nonzero(~reading.missing):
        yield f"{reading.name} is odd", odd
