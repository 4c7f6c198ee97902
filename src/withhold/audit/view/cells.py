"""Cutting a column of the original into few cells, and putting the released column into the same ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from withhold.audit.view.reading import Reading

Codes = npt.NDArray[np.int64]

# Design, section 4: 12 quantiles; a zero cell and 6 quantiles of the rest where more than half is zero.
QUANTILES, QUANTILES_BESIDE_ZERO, MOSTLY_ZERO = 12, 6, 0.5
# Levels that keep a cell of their own; the rest share one. Levels of fewer rows never have one.
MOST_LEVELS, LEAST_ROWS = 63, 10
# Rounding to three digits leaves whole numbers up to the first; from the second on zeros are hard to count.
WRITTEN_OUT, LARGEST_WRITTEN = 1_000, 1e12


@dataclass(frozen=True)
class Cells:
    """How a column is cut.

    Attributes
    ----------
    labels : tuple of str
        What each cell holds; numbers are rounded so that no single value is shown.
    levels : tuple
        Exact values with a cell of their own, in the order of their cells; empty for a cut number.
    edges : tuple of float
        Inner edges of a cut number; empty otherwise.
    zero : bool
        Whether the first cell of a cut number holds the zeros.
    """

    labels: tuple[str, ...]
    levels: tuple[Any, ...] = ()
    edges: tuple[float, ...] = ()
    zero: bool = False

    @classmethod
    def fit(cls, reading: Reading, rows: npt.NDArray[np.bool_]) -> "Cells":
        """Cut at what the chosen rows hold.

        Parameters
        ----------
        rows : ndarray of bool, shape (n,)
            Rows that cells are made of (the training part).

        Examples
        --------
        >>> import pyarrow as pa
        >>> from withhold.audit.view.reading import read_column
        >>> ages = read_column(pa.table({"age": list(range(60))}), "age")
        >>> cells = Cells.fit(ages, np.ones(60, bool))
        >>> len(cells.labels), cells.labels[1], np.bincount(cells.place(ages))[:12].tolist()
        (14, '5 to 9', [5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5])
        """
        codes = reading.codes[rows & ~reading.missing]
        counts = np.bincount(codes, minlength=len(reading.levels))
        numbers = reading.kind == "number"
        if numbers and (counts > 0).sum() > QUANTILES:
            values = reading.levels[codes]
            zero = bool((values == 0).mean() > MOSTLY_ZERO)
            rest = values[values != 0] if zero else values
            parts = QUANTILES_BESIDE_ZERO if zero else QUANTILES
            edges = (
                np.unique(np.quantile(rest[np.isfinite(rest)], np.arange(1, parts) / parts, method="higher"))
                if len(rest)
                else rest
            )
            whole = bool((np.mod(values[np.isfinite(values)], 1) == 0).all())
            between = [
                _interval(low, high, reading, whole) for low, high in zip((None, *edges), (*edges, None), strict=True)
            ]
            labels = (*(["0"] if zero else []), *between, "another value", "missing")
            return cls(labels, edges=tuple(edges.tolist()), zero=zero)
        own = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
        own = np.sort(own[counts[own] >= LEAST_ROWS])
        levels = tuple(reading.levels[own].tolist())
        names = [_day(level, reading) if reading.dated else _text(level) for level in levels]
        return cls((*names, "another value", "missing"), levels=levels)

    @property
    def count(self) -> int:
        """Number of cells, those of other and of missing values included."""
        return len(self.labels)

    def place(self, reading: Reading) -> Codes:
        """Return the cell of each row of a column; the released column may hold other types and values."""
        table = self._place_levels(reading)
        return table[np.where(reading.missing, len(reading.levels), reading.codes)]

    def _place_levels(self, reading: Reading) -> Codes:
        other, missing = self.count - 2, self.count - 1
        if self.levels or not self.edges:
            own = {_text(level): cell for cell, level in enumerate(self.levels)}
            return np.asarray([*(own.get(_text(level), other) for level in reading.levels.tolist()), missing], np.int64)
        try:
            values = np.asarray([float(level) for level in reading.levels.tolist()])
        except ValueError:
            return np.append(np.full(len(reading.levels), other, np.int64), missing)
        cells = np.searchsorted(np.asarray(self.edges), values, side="right") + int(self.zero)
        if self.zero:
            cells = np.where(values == 0, 0, cells)
        return np.append(cells, missing).astype(np.int64)


def _text(level: object) -> str:
    """Spell a level so that 1, 1.0 and "1" are the same class."""
    return f"{level:.12g}" if isinstance(level, float) else str(level)


def _interval(low: float | None, high: float | None, reading: Reading, whole: bool) -> str:
    """Name the numbers from `low` on and below `high`; of `whole` numbers the last one that is among them."""
    if low is None and high is None:
        return "any"
    if low is None:
        return f"before {_rounded(high, reading)}" if reading.dated else f"below {_rounded(high, reading)}"
    if high is None:
        return f"{_rounded(low, reading)} or later" if reading.dated else f"{_rounded(low, reading)} or more"
    if whole and not reading.dated and max(-low, high) <= WRITTEN_OUT:
        return f"{low:.0f}" if high == low + 1 else f"{low:.0f} to {high - 1:.0f}"
    first, last = _rounded(low, reading), _rounded(high, reading)
    return first if first == last else f"{first} to {last}"


def _rounded(value: float | None, reading: Reading) -> str:
    """Write a number with three digits, a date as its month."""
    if value is None:
        return "any"
    if reading.dated:
        return _day(value, reading)[:-3]
    text = f"{value:.3g}"
    return f"{float(text):,.0f}" if "e+" in text and abs(value) < LARGEST_WRITTEN else text


def _day(value: float, reading: Reading) -> str:
    return str(np.datetime64(0, "D") + int(value // reading.ticks_per_day))
