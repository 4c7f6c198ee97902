"""Copies that show in a part of the columns alone: beside noise or other types distances over all columns say nothing.

Two ways: distances over the columns of each type by themselves; and how many columns there are in which a row stands
next to the same other row, which sixty columns of noise hardly change.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from withhold.audit.view.copies import ALL, LEAST_ROWS, copy_columns
from withhold.audit.view.features import Column, standardised
from withhold.audit.view.reading import Reading

Reals = npt.NDArray[np.float64]

# Columns of a type from which distances are taken, types, and the share of all columns that they have at most where
# rows are many: distances over a few more cost as much and say the same.
LEAST_COLUMNS, MOST_TYPES, PART = 4, 3, 0.75
# A row is next to those within so large a share of all rows in the order of a column, as long as so many pairs of rows
# are counted; a column has to hold a value of its own in this share of the rows.
NEXT, MOST_PAIRS, NEARLY_UNIQUE = 0.005, 4_000_000, 0.5


def part_columns(readings: Sequence[Reading], columns: int) -> Iterator[Column]:
    """Yield distances to the nearest rows over the numbers of each type, where these are not all columns.

    Parameters
    ----------
    readings : sequence of Reading
        The numbers of a release.
    columns : int
        All columns of the release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> x = np.random.default_rng(0).normal(size=(80, 4))
    >>> readings = list(read_columns(pa.table({f"x{i}": column for i, column in enumerate(x.T)})))
    >>> [name for name, _ in part_columns(readings, 5)][:1]
    ['distance to row 1']
    >>> list(part_columns(readings, 4))
    []
    """
    types: dict[tuple[str, bool, bool], list[Reading]] = defaultdict(list)
    for reading in readings:
        if reading.kind == "number" and not reading.ticks_per_day:
            whole = bool((reading.levels == np.floor(reading.levels)).all())
            types[reading.source * (reading.name != reading.source), whole, bool(reading.missing.any())].append(reading)
    parts = [part for part in types.values() if LEAST_COLUMNS <= len(part) < columns]
    for part in sorted(parts, key=len, reverse=True)[:MOST_TYPES]:
        if len(part) <= PART * columns or len(part[0].codes) <= ALL:
            yield from copy_columns([_standard(reading) for reading in part])


def next_columns(readings: Sequence[Reading]) -> Iterator[Column]:
    """Yield in how many columns a row stands next to the same other row, at most, and how near it stands there.

    Parameters
    ----------
    readings : sequence of Reading
        The numbers of a release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> x = np.random.default_rng(0).normal(size=(400, 30))
    >>> x[1, :6] = x[0, :6]
    >>> table = pa.table({f"x{i}": column for i, column in enumerate(x.T)})
    >>> sorted(np.argsort(dict(next_columns(list(read_columns(table))))["nearness in columns"])[-2:].tolist())
    [0, 1]
    """
    n = len(readings[0].codes) if readings else 0
    fine = [one for one in readings if len(one.levels) >= NEARLY_UNIQUE * n]
    if not LEAST_ROWS <= n <= ALL or len(fine) < LEAST_COLUMNS:
        return
    reach = max(1, int(min(NEXT * n, MOST_PAIRS / (n * len(fine)))))
    pairs, near = [], []
    for reading in fine:
        order = np.argsort(_standard(reading), kind="stable")
        for step in range(1, reach + 1):
            one, other = order[:-step], order[step:]
            pairs.append(np.minimum(one, other) * n + np.maximum(one, other))
            near.append(np.full(len(one), np.log(n / (2.0 * step)), np.float32))
    met = np.concatenate(pairs)
    order = np.argsort(met, kind="stable")
    met, weights = met[order], np.concatenate(near)[order]
    start = np.r_[0, np.flatnonzero(met[1:] != met[:-1]) + 1]
    found = {
        "columns next to one row": np.diff(np.r_[start, len(met)]).astype(np.float64),
        "nearness in columns": np.add.reduceat(weights, start).astype(np.float64),
    }
    for name, scores in found.items():
        best = np.zeros(n)
        np.maximum.at(best, met[start] // n, scores)
        np.maximum.at(best, met[start] % n, scores)
        yield name, ((best - best.mean()) / (best.std() or 1.0)).astype(np.float32)


def _standard(reading: Reading) -> npt.NDArray[np.float32]:
    """Return a column at unit spread however small it was, 0 where it is missing or infinite."""
    return standardised(np.asarray(reading.numbers, np.float64)[:, None], least=0.0)[:, 0]
