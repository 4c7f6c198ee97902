"""How the relation of two columns came through: the pair scores of sdmetrics, and how strong it was and is.

The scores follow sdmetrics 0.32 (`ColumnPairTrends`), so that they can be compared with what others report. Missing
values are a category of their own beside a category, and are left out between two numbers. A number beside a category
is cut into ten cells of equal width between the least and greatest value of *its own* table, missing values in the cell
of the greatest. That flatters a column whose range moved, so a pair counts as broken by other figures: the strength of
the relation on cells that both tables share, and how far the joint table moved beyond both its margins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from withhold.audit.fidelity.marginals import cells_of, total_variation
from withhold.audit.fidelity.matched import Matched
from withhold.contracts.fidelity_record import PairFidelity

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# A change of r or V by .1 makes or breaks a small effect (J. Cohen, Statistical power analysis, 1988, chapters 3, 7).
BROKEN = 0.1
# What this many standard deviations of independent columns explain in a table of few rows counts as no change.
CHANCE = 3.0
# From where on sdmetrics 0.32 counts a pair as related in the original.
RELATED_NUMBERS, RELATED = 0.5, 0.3
# sdmetrics' cells of a number (the default of `numpy.histogram_bin_edges`).
EQUAL_WIDTH = 10
# Joint tables of at most so many cells are counted whole.
DENSE = 1_000_000


class Coded(NamedTuple):
    """One column as few codes, before and after, and how many codes there can be."""

    sides: tuple[Codes, Codes]
    size: int


@dataclass(frozen=True, eq=False)
class Paired:
    """One column made ready for pairs."""

    column: Matched

    @cached_property
    def numbers(self) -> tuple[Floats, Floats]:
        """Values of a numeric column before and after, NaN where missing."""
        return self.column.values(self.column.before), self.column.values(self.column.after)

    @cached_property
    def discrete(self) -> Coded:
        """The categories that sdmetrics counts."""
        if self.column.numeric:
            first, second = (_equal_width(values) for values in self.numbers)
            return Coded((first, second), EQUAL_WIDTH + 2)
        size = len(self.column.levels) + 1
        first, second = (np.where(codes < 0, size - 1, codes) for codes in (self.column.before, self.column.after))
        return Coded((first, second), size)

    @cached_property
    def cells(self) -> Coded:
        """Few cells that both tables share, those of missing values included."""
        cells = cells_of(self.column)
        return Coded((cells[self.column.before], cells[self.column.after]), int(cells[-1]) + 1)

    @cached_property
    def cells_moved(self) -> float:
        """Total variation over the cells, missing values included."""
        sides, size = self.cells
        n = max(1, len(sides[0]))
        return total_variation(*(np.bincount(cells, minlength=size) / n for cells in sides))


@dataclass(frozen=True)
class Pair:
    """What was found of a pair: the record, how far it changed, and what only the means need."""

    result: PairFidelity
    changed: float
    related: bool
    impossible: npt.NDArray[np.bool_] | None = None
    by_chance: float | None = None


def compare_pair(first: Paired, second: Paired) -> Pair:
    """Compare a pair of columns before and after.

    Parameters
    ----------
    first, second : Paired
        Of the same rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.fidelity.matched import shared_columns
    >>> before = pa.table({"a": ["x", "y"] * 50, "b": ["u", "v"] * 50})
    >>> after = pa.table({"a": ["x", "y"] * 50, "b": ["u", "v", "v", "u"] * 25})
    >>> found = compare_pair(*(Paired(column) for column in shared_columns(before, after)[0])).result
    >>> found.score, round(found.before, 1), found.after, found.impossible, found.broken
    (0.5, 1.0, 0.0, 0.5, True)
    """
    numbers = first.column.numeric and second.column.numeric
    if numbers:
        (before, n), (after, m) = (_correlation(*both) for both in zip(first.numbers, second.numbers, strict=True))
        # A column that became constant has no correlation left; sdmetrics would skip the pair, which flatters.
        score = None if before is None else 1.0 - abs(before - (after or 0.0)) / 2
        changed = abs((before or 0.0) - (after or 0.0))
        if before is not None and after is not None:
            chance = CHANCE * (1.0 - min(abs(before), abs(after)) ** 2) / np.sqrt(min(n, m))
            changed = changed if changed > chance else 0.0
        related = before is not None and abs(before) > RELATED_NUMBERS
    else:
        score, association = _contingency(first.discrete, second.discrete)
        before, after, changed = _strength(first, second)
        related = association is not None and association > RELATED
    impossible, by_chance = None, None
    if not first.column.numeric and not second.column.numeric:
        impossible, by_chance = _impossible(first.column, second.column)
    result = PairFidelity(
        columns=[first.column.name, second.column.name],
        score=_rounded(score),
        measure="correlation" if numbers else "cramers_v",
        before=_rounded(before),
        after=_rounded(after),
        impossible=None if impossible is None else _share_of_known(impossible, first.column, second.column),
        broken=changed > BROKEN,
    )
    return Pair(result, changed, related, impossible, by_chance)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _equal_width(values: Floats) -> Codes:
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    with np.errstate(over="ignore", invalid="ignore"):
        edges = np.linspace(low, high, EQUAL_WIDTH + 1)
    if not np.isfinite(edges).all():  # numbers as far apart as floats reach
        return np.zeros(len(values), np.int64)
    return np.digitize(values, edges).astype(np.int64)


def _correlation(x: Floats, y: Floats) -> tuple[float | None, int]:
    """Return Pearson's r of the rows that have both, None where it is undefined; and how many these are."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return None, len(x)
    with np.errstate(all="ignore"):
        x, y = ((v / np.abs(v).max() - np.mean(v / np.abs(v).max())) for v in (x, y))
        r = float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))
    return (float(np.clip(r, -1.0, 1.0)) if np.isfinite(r) else None), len(x)


def _contingency(first: Coded, second: Coded) -> tuple[float | None, float | None]:
    """Return 1 - total variation of the joint tables, and Cramer's V of the original without correction."""
    n = len(first.sides[0])
    if not n:
        return None, None
    before, after, margins = _tables(first, second)
    squared, rows, columns = _phi_squared(before, *margins)
    least = min(rows, columns) - 1
    score = 1.0 - total_variation(before / n, after / n)
    return score, None if least < 1 else float(np.sqrt(squared / least))


def _tables(first: Coded, second: Coded) -> tuple[Codes, Codes, tuple[Codes, Codes]]:
    """Return how many rows hold each combination, before and after, and of which codes each combination is."""
    before, after = (a * second.size + b for a, b in zip(first.sides, second.sides, strict=True))
    size = first.size * second.size
    held = np.arange(size)
    if size > DENSE:
        held, index = np.unique(np.concatenate([before, after]), return_inverse=True)
        before, after, size = index[: len(before)], index[len(before) :], len(held)
    margins = held // second.size, held % second.size
    return np.bincount(before, minlength=size), np.bincount(after, minlength=size), margins


def _phi_squared(table: Codes, first: Codes, second: Codes) -> tuple[float, int, int]:
    """Return chi squared per row of a table, and how many codes of each side occur in it."""
    rows, columns = np.bincount(first, weights=table), np.bincount(second, weights=table)
    held = np.flatnonzero(table)
    squared = float((table[held] ** 2 / (rows[first[held]] * columns[second[held]])).sum()) - 1.0
    return max(0.0, squared), int((rows > 0).sum()), int((columns > 0).sum())


def _strength(first: Paired, second: Paired) -> tuple[float, float, float]:
    """Return V before and after on shared cells, and how far the relation changed beyond margins and chance."""
    n = len(first.cells.sides[0])
    if not n:
        return 0.0, 0.0, 0.0
    raw, released, margins = _tables(first.cells, second.cells)
    found = [_phi_squared(table, *margins) for table in (raw, released)]
    before, after = (_corrected_v(*one, n) for one in found)
    # What two samples of the same people would differ by: the mean absolute difference of two binomial shares.
    shares = raw / n
    chance = float(np.sqrt(shares * (1 - shares) / (np.pi * n)).sum())
    turned = total_variation(shares, released / n) - max(first.cells_moved, second.cells_moved) - chance
    return before, after, max(0.0, turned, abs(after - before) if _beyond_chance(before, after, found, n) else 0.0)


def _beyond_chance(before: float, after: float, found: Sequence[tuple[float, int, int]], n: int) -> bool:
    """Whether V changed by more than chi squared varies between independent columns (its variance is 2 df)."""
    rows, columns = (max(one[side] for one in found) for side in (1, 2))
    least = min(rows, columns) - 1
    if least < 1:
        return False
    return bool(abs(after**2 - before**2) > CHANCE * np.sqrt(2 * (rows - 1) * (columns - 1)) / (n * least))


def _corrected_v(squared: float, rows: int, columns: int, n: int) -> float:
    """Return Cramer's V without its bias (W. Bergsma, J. Korean Stat. Soc. 42, 2013); 0 where one is constant."""
    if n < 2 or min(rows, columns) < 2:
        return 0.0
    corrected = max(0.0, squared - (rows - 1) * (columns - 1) / (n - 1))
    least = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
    return float(min(1.0, np.sqrt(corrected / least))) if least > 0 else 0.0


def _impossible(first: Matched, second: Matched) -> tuple[npt.NDArray[np.bool_] | None, float | None]:
    """Return the released rows whose combination no row of the original has, and their share by chance."""
    size = len(second.levels) + 1
    before, after = (
        np.where((a < 0) | (b < 0), -1, a * size + b)
        for a, b in ((first.before, second.before), (first.after, second.after))
    )
    seen, counts = np.unique(before[before >= 0], return_counts=True)
    if not len(seen) or not (after >= 0).any():
        return None, None
    return (after >= 0) & ~np.isin(after, seen), float((counts == 1).sum() / counts.sum())


def _share_of_known(impossible: npt.NDArray[np.bool_], first: Matched, second: Matched) -> float:
    known = (first.after >= 0) & (second.after >= 0)
    return round(float(impossible.sum() / known.sum()), 4)
