"""Counts of what the values of a table or matrix are like, taken while they are coded: for the fit and for new rows.

Ranges and cells come from the fit. Counting costs about a tenth of coding a column of numbers (two comparisons a value;
cells are counted on some values of each pass), so a stream of any length is watched at its usual speed.
"""

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

# Inner edges of the cells of a number: its deciles at the fit.
DECILES = np.arange(1, 10) / 10
# Values of each pass that are put into cells; two thousand in all tell shares to a hundredth.
SAMPLED = 512
# Rows of a matrix from which ranges and cells are read.
RANGED = 5_000
# Rows of a matrix that are compared at a time.
PASS = 32_768
# Never-seen levels that are named, and that are counted by name.
EXAMPLES, HELD = 3, 1_000
# Smaller counts are not told apart in what is stored, and as many rows lie at or beyond each end of a range.
LEAST_RECORDS = 10
# How often a limit that equals a record's value is moved, by half as much each time.
HALVINGS = 30
# Codes of levels that were never seen, and of missing values where none was at the fit.
UNSEEN, ABSENT = -1, -2


GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


class ColumnTally:
    """Counts of one column.

    Attributes
    ----------
    rows, missing, below, above, unseen : int
        Rows in all; missing values; numbers outside the end knots; levels without a feature of their own.
    cells : ndarray of int
        Values in each cell: between deciles, or each level.
    strange : dict of str to int
        Rows of levels that were never seen, by name; of at most a thousand names.

    Examples
    --------
    >>> age = ColumnTally(low=18.0, high=90.0, edges=np.array([30.0, 50.0]))
    >>> age.numbers(np.array([17.0, 40.0, np.nan]), np.array([False, False, True]))
    >>> age.rows, age.missing, age.below, age.above, age.cells.tolist()
    (3, 1, 1, 0, [1, 1, 0])
    """

    def __init__(
        self,
        low: float = -np.inf,
        high: float = np.inf,
        edges: np.ndarray | None = None,
        levels: int = 0,
        sampled: int | None = None,
    ) -> None:
        self.low, self.high, self.sampled = low, high, sampled
        self.edges = np.empty(0) if edges is None else edges
        self.rows = self.missing = self.below = self.above = self.unseen = 0
        self.cells = np.zeros(levels or len(self.edges) + 1, dtype=np.int64)
        self.strange: dict[str, int] = {}

    def numbers(self, values: np.ndarray, missing: np.ndarray | None) -> None:
        """Count numbers, NaN where missing."""
        self.missing += 0 if missing is None else int(np.count_nonzero(missing))
        self.below += int(np.count_nonzero(values < self.low))
        self.above += int(np.count_nonzero(values > self.high))
        self.place(values, missing)

    def place(self, values: np.ndarray, missing: np.ndarray | None) -> None:
        """Count rows, and put numbers into cells."""
        self.rows += len(values)
        rows = slice(None) if self.sampled is None else spread_rows(len(values), self.sampled)
        part = values[rows] if missing is None else values[rows][~missing[rows]]
        self.cells += np.bincount(np.searchsorted(self.edges, part, side="right"), minlength=len(self.cells))

    def levels(self, codes: np.ndarray, missing: int | None) -> None:
        """Count codes of levels; `missing` is the code of missing values where that is a level."""
        counts = np.bincount(codes - ABSENT, minlength=len(self.cells) - ABSENT)
        self.rows += len(codes)
        self.unseen += int(counts[UNSEEN - ABSENT])
        self.missing += int(counts[0] if missing is None else counts[missing - ABSENT])
        self.cells += counts[-ABSENT:]

    def remember(self, names: Sequence[object], rows: Sequence[int]) -> None:
        """Count rows of levels that were never seen by the levels' names."""
        for name, count in zip(map(str, names), rows, strict=True):
            if name in self.strange or len(self.strange) < HELD:
                self.strange[name] = self.strange.get(name, 0) + count

    @property
    def examples(self) -> list[str]:
        """Names of levels that were never seen, the most frequent first; none of few records, which it would point at.

        Examples
        --------
        >>> job = ColumnTally(levels=2)
        >>> job.remember(["king", "nurse"], [1, 12])
        >>> job.examples
        ['nurse']
        """
        often = [name for name, count in self.strange.items() if count >= LEAST_RECORDS]
        return sorted(often, key=lambda name: -self.strange[name])[:EXAMPLES]


class Tally:
    """Counts of all columns.

    Parameters
    ----------
    columns : mapping of str to ColumnTally
        By name, in order.
    """

    def __init__(self, columns: Mapping[str, ColumnTally]) -> None:
        self.columns = dict(columns)

    @classmethod
    def of_matrix(cls, matrix: np.ndarray) -> Self:
        """Return an empty tally whose ranges and cells are read off (some of) the rows of a matrix.

        Examples
        --------
        >>> seen = Tally.of_matrix(np.arange(1000.0)[:, None])
        >>> seen.matrix(np.arange(1000.0)[:, None])
        >>> seen.columns["x0"].cells.tolist(), seen.columns["x0"].below
        ([104, 100, 100, 100, 100, 100, 100, 100, 100, 96], 12)
        """
        ordered = np.sort(matrix[spread_rows(len(matrix), RANGED)], axis=0)
        n = len(ordered)
        beyond = min(LEAST_RECORDS, max(1, n // 20))
        places = np.array([beyond - 1, *np.minimum(np.ceil(DECILES * n).astype(int), n - 1), n - beyond])
        limits = _rounded(ordered, places)
        return cls(
            {
                f"x{j}": ColumnTally(float(limits[0, j]), float(limits[-1, j]), np.unique(limits[1:-1, j]))
                for j in range(matrix.shape[1])
            }
        )

    @property
    def rows(self) -> int:
        """Number of rows counted."""
        return max((column.rows for column in self.columns.values()), default=0)

    def empty(self) -> "Tally":
        """Return a tally with the same ranges and cells for new rows: only some values a pass are put into cells."""
        return Tally(
            {
                name: ColumnTally(c.low, c.high, c.edges, 0 if len(c.edges) else len(c.cells), SAMPLED)
                for name, c in self.columns.items()
            }
        )

    def matrix(self, matrix: np.ndarray) -> None:
        """Count the rows of a matrix without missing values."""
        columns = list(self.columns.values())
        low, high = np.array([[c.low, c.high] for c in columns], dtype=matrix.dtype).reshape(-1, 2).T
        for start in range(0, len(matrix), PASS):
            part = matrix[start : start + PASS]
            # Row by row through memory: column by column takes three times as long.
            below, above = np.count_nonzero(part < low, axis=0), np.count_nonzero(part > high, axis=0)
            for j, column in enumerate(columns):
                column.below += int(below[j])
                column.above += int(above[j])
                column.place(part[:, j], None)

    def state(self) -> dict[str, np.ndarray]:
        """Return ranges, cells and counts as arrays; counts from one to nine are stored as nine."""
        columns = list(self.columns.values())
        counts = np.array([[c.rows, c.missing, c.below, c.above, c.unseen] for c in columns], dtype=np.int64)
        cells = np.concatenate([[], *(c.cells for c in columns)]).astype(np.int64)
        return {
            "counts": _shown(counts.reshape(len(columns), 5)),
            "cells": _shown(cells),
            "ranges": np.array([[c.low, c.high] for c in columns], dtype=np.float64).reshape(len(columns), 2),
            "edges": np.concatenate([[], *(c.edges for c in columns)]).astype(np.float64),
            "sizes": np.array([[len(c.edges), len(c.cells)] for c in columns], dtype=np.int64).reshape(len(columns), 2),
        }

    @classmethod
    def restore(cls, names: Sequence[str], state: Mapping[str, np.ndarray]) -> Self:
        """Take back what `state` returned."""
        sizes, n = state["sizes"], len(names)
        shapes = {"sizes": (n, 2), "ranges": (n, 2), "counts": (n, 5)}
        flat = state["edges"].ndim == state["cells"].ndim == 1
        if not flat or any(state[part].shape != shape or np.isnan(state[part]).any() for part, shape in shapes.items()):
            raise ValueError("counts of other columns")
        negative = any(state[part].min(initial=0) < 0 for part in ("counts", "cells"))
        if negative or (state["ranges"][:, 0] > state["ranges"][:, 1]).any() or np.isnan(state["edges"]).any():
            raise ValueError("counts below zero, or ranges that end before they begin")
        totals = (len(state["edges"]), len(state["cells"]))
        if sizes.min(initial=0) < 0 or tuple(sizes.astype(object).sum(axis=0)) != totals:
            raise ValueError("counts of other cells")
        columns, edge, cell = {}, 0, 0
        for name, (low, high), counts, (edges, cells) in zip(
            names, state["ranges"], state["counts"].tolist(), sizes.tolist(), strict=True
        ):
            column = ColumnTally(low, high, state["edges"][edge : edge + edges], 0 if edges else cells)
            column.rows, column.missing, column.below, column.above, column.unseen = counts
            column.cells = state["cells"][cell : cell + cells]
            columns[name] = column
            edge, cell = edge + edges, cell + cells
        return cls(columns)


def spread_rows(n: int, most: int) -> np.ndarray:
    """Return at most `most` of n rows, spread evenly over them without any period: records may repeat every few rows.

    Multiples of the golden ratio, modulo 1, fill the interval evenly at every length (Weyl's sequence).

    Examples
    --------
    >>> spread_rows(3, 5).tolist(), np.bincount(spread_rows(100_000, 800) % 8).tolist()
    ([0, 1, 2], [101, 100, 99, 101, 100, 99, 101, 99])
    """
    if n <= most:
        return np.arange(n)
    return np.asarray((np.arange(most) * GOLDEN % 1.0 * n).astype(np.int64))


def _shown(counts: np.ndarray) -> np.ndarray:
    return np.where((counts > 0) & (counts < LEAST_RECORDS), LEAST_RECORDS - 1, counts)


def _rounded(ordered: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return about the values at some places of sorted columns, as round as the ten rows around them allow.

    What is not shared by that many rows is no record's value, so that none stands in an artifact.
    """
    reach = LEAST_RECORDS // 2
    values = ordered[places].astype(np.float64)
    low, high = (ordered[np.clip(places + side, 0, len(ordered) - 1)] for side in (-reach, reach))
    with np.errstate(over="ignore"):
        spread = high.astype(np.float64) / 4 - low.astype(np.float64) / 4
    step = np.where(spread > 0, np.ldexp(1.0, np.frexp(spread)[1]), 0.0)
    out = np.where(step > 0, np.rint(values / np.where(step > 0, step, 1.0)) * step, values)
    for row, size in zip(out, step, strict=True):
        for halving in range(1, HALVINGS):
            equal = (ordered == row).sum(axis=0)
            own = (equal > 0) & (equal < LEAST_RECORDS) & (size > 0)
            if not own.any():
                break
            row += np.where(own, size / 2**halving, 0.0)
    return np.asarray(out)
