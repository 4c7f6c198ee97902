"""The spacing of a column's values, and the values that so many rows share that they name nobody."""

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict

from withhold.data.arrow_types import family

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


# Values with up to this many decimals are rounded back to them.
MOST_DECIMALS = 6
# Seconds of the natural units, the largest first.
_UNITS = (86400.0, 3600.0, 60.0, 1.0, 1e-3, 1e-6)
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class Grid(BaseModel):
    """What decoded values are rounded to.

    Attributes
    ----------
    step : int or None
        Distance of neighbouring stored integers (integers 1; times the natural unit that all seen values share).
    decimals : int or None
        Decimals of floats, where six suffice for all seen values.

    Examples
    --------
    >>> Grid.of(np.array([0.25, 1.5]), pa.float64())
    Grid(step=None, decimals=2)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int | None = None
    decimals: int | None = None

    @classmethod
    def of(cls, unique: np.ndarray, kind: pa.DataType) -> "Grid":
        """Return the grid of sorted distinct values that are stored as `kind`."""
        if family(kind) == "temporal":
            return cls(step=_time_step(unique, kind))
        if family(kind) != "float":
            return cls(step=None if family(kind) == "decimal" else 1)
        dtype = np.dtype(kind.to_pandas_dtype())
        sample = unique[:: max(1, len(unique) // 500)]
        for decimals in range(MOST_DECIMALS + 1):
            if _fits(sample, decimals, dtype) and _fits(unique, decimals, dtype):
                return cls(decimals=decimals)
        return cls()

    @property
    def unit(self) -> float | None:
        """Distance of neighbouring values, None without a grid."""
        return float(self.step) if self.step is not None else None if self.decimals is None else 10.0**-self.decimals

    def round(self, values: np.ndarray, anchor: float) -> np.ndarray:
        """Return `values` rounded to the grid; `anchor` lies on it."""
        if self.step is not None:
            return np.asarray(anchor + self.step * np.rint((values - anchor) / self.step))
        return values if self.decimals is None else np.round(values, self.decimals)


def _fits(values: np.ndarray, decimals: int, dtype: np.dtype) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        return bool((np.round(values, decimals).astype(dtype) == values.astype(dtype)).all())


def _time_step(unique: np.ndarray, kind: pa.DataType) -> int:
    if pa.types.is_date32(kind):
        return 1
    tick = 1e-3 if pa.types.is_date64(kind) else _SECONDS[kind.unit]
    common = int(np.gcd.reduce(np.diff(unique).astype(np.int64))) if len(unique) > 1 else 1
    # Only natural units: a spacing that merely happened in the data is no property of the column.
    steps = (round(unit / tick) for unit in _UNITS if unit >= tick)
    return next((step for step in steps if step and common % step == 0), 1)
