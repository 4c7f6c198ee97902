"""How far the distribution of one column moved: distances, shares of single values, missing values."""

from typing import Any

import numpy as np
import numpy.typing as npt

from withhold.audit.fidelity.matched import Matched
from withhold.audit.view.suppression import LEAST_RECORDS
from withhold.contracts.fidelity_record import ColumnFidelity, Issue, LevelShare

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# What is promised of a release that analyses can be run on: no share computed from a column is off by more than eight
# points, no value of more than five rows in a hundred by more than three, nor the missing ones. Our own choice.
MOVED, LEVEL, LEVEL_MOVED, MISSING_MOVED = 0.08, 0.05, 0.03, 0.03
# Cells of a number: one for each value of so large a share, and so many of equal mass for the rest.
HEAP, QUANTILES = 0.05, 10
# Levels of a category that keep a cell of their own in pairs.
OWN_CELLS = 12


def measure_column(column: Matched) -> ColumnFidelity:
    """Compare one column before and after.

    Returns
    -------
    ColumnFidelity
        Without what is said of pairs.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.fidelity.matched import shared_columns
    >>> before, after = pa.table({"a": ["x"] * 60 + ["y"] * 40}), pa.table({"a": ["x"] * 90 + ["y"] * 10})
    >>> found = measure_column(next(shared_columns(before, after)[0]))
    >>> found.distance, [(one.level, one.before, one.after) for one in found.levels], found.issues
    (0.3, [('x', 0.6, 0.9), ('y', 0.4, 0.1)], ['marginal_moved', 'levels_lost'])
    """
    gone = [int((codes < 0).sum()) for codes in (column.before, column.after)]
    n = max(1, len(column.before))
    distance, moved = _distances(column)
    levels = _levels(column)
    issues: list[Issue] = ["marginal_moved"] if moved is not None and moved > MOVED else []
    issues += ["missing_moved"] if abs(gone[1] - gone[0]) / n > MISSING_MOVED else []
    issues += ["levels_lost"] if levels else []
    return ColumnFidelity(
        kind=column.kind,
        distance=_rounded(distance),
        moved=_rounded(moved),
        missing_before=share(gone[0], n),
        missing_after=round(gone[1] / n, 4),
        levels=levels,
        issues=issues,
        usable=not issues,
        note=column.note,
    )


def share(count: int, n: int) -> float | None:
    """Return a share of the original's rows; None where fewer than ten rows make it, or make the rest.

    Examples
    --------
    >>> share(30, 100), share(0, 100), share(3, 100), share(96, 100)
    (0.3, 0.0, None, None)
    """
    few = 0 < count < LEAST_RECORDS or 0 < n - count < LEAST_RECORDS
    return None if few else round(count / max(1, n), 4)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _distances(column: Matched) -> tuple[float | None, float | None]:
    """Return the distance that sdmetrics has, and a lower bound on total variation; 1 where one table is empty."""
    first, second = column.counts
    if column.shares is None:
        nothing = not first.sum() and not second.sum()
        return (None, None) if nothing else (1.0, 1.0)
    before, after = column.shares
    if not column.numeric:
        whole = total_variation(before, after)
        return whole, whole
    steps = np.abs(np.cumsum(before[:-1] - after[:-1]))  # what is no number stands at the end
    furthest = max(float(steps.max(initial=0.0)), float(after[-1]))
    cells = cells_of(column)[:-1]
    mass = [np.bincount(cells, weights=one, minlength=cells.max(initial=0) + 1) for one in (before, after)]
    return furthest, max(furthest, total_variation(*mass))


def total_variation(before: npt.NDArray[Any], after: npt.NDArray[Any]) -> float:
    """Return half the sum of absolute differences: the most by which any share differs.

    Examples
    --------
    >>> round(total_variation(np.array([0.5, 0.5]), np.array([0.8, 0.2])), 3)
    0.3
    """
    return float(min(1.0, np.abs(before - after).sum() / 2))


def cells_of(column: Matched) -> Codes:
    """Cut a column into few cells, by its original.

    Returns
    -------
    ndarray of int, shape (k + 2,)
        The cell of each of the k levels, of what is none of them, and last of missing values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.fidelity.matched import shared_columns
    >>> ages = pa.table({"age": [40] * 10 + list(range(50, 70))})
    >>> cells_of(next(shared_columns(ages, ages)[0])).tolist()[:6]
    [10, 0, 0, 1, 1, 2]
    """
    counts = column.counts[0][:-1]
    if column.numeric:
        cells = _cells_of_numbers(counts)
    else:
        own = np.argsort(-counts, kind="stable")[:OWN_CELLS]
        cells = np.full(len(counts), len(own), np.int64)
        cells[own] = np.arange(len(own))
    last = cells.max(initial=0)
    return np.append(cells, [last + 1, last + 2])


def _cells_of_numbers(counts: Codes) -> Codes:
    total = counts.sum()
    held = np.flatnonzero(counts)
    if not total:
        return np.zeros(len(counts), np.int64)
    heaps = counts >= HEAP * total
    rest = np.where(heaps, 0, counts)
    if len(held) <= QUANTILES:
        heaps = counts > 0
        rest = np.zeros_like(counts)
    middle = np.cumsum(rest) - rest / 2
    cells = 1 + np.minimum((QUANTILES * middle / max(1, rest.sum())).astype(np.int64), QUANTILES - 1)
    cells[: held[0]], cells[held[-1] + 1 :] = QUANTILES + 1, QUANTILES + 2  # beyond all values of the original
    cells[heaps] = QUANTILES + 3 + np.arange(heaps.sum())
    return np.unique(cells, return_inverse=True)[1].astype(np.int64)


def _levels(column: Matched) -> list[LevelShare]:
    """Return the common values whose share moved, the worst first."""
    if column.shares is None:
        return []
    before, after = (one[:-1] for one in column.shares)
    moves = np.abs(after - before)
    worst = np.flatnonzero((np.maximum(before, after) > LEVEL) & (moves > LEVEL_MOVED))
    worst = worst[np.argsort(-moves[worst], kind="stable")]
    counts, known = column.counts[0], int(column.counts[0].sum())
    return [
        LevelShare(
            level=column.label(one),
            before=share(int(counts[one]), known) if counts[one] else None,
            after=round(float(after[one]), 4),
        )
        for one in worst.tolist()
    ]
