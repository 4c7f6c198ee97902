"""Numbers beside those of their neighbours in place or time: a price above its street's, a rate above the day's.

A number that varies smoothly along a map or a calendar says by its size where it stands; what it tells beyond that is
what a curved surface through its nearest neighbours leaves.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from withhold.audit.view.features import Column
from withhold.audit.view.relations import KnownNumbers, scaled

Reals = npt.NDArray[np.float64]

# A number may be a place or a time if each of so many parts of its range holds such a share of the rows.
PARTS, LEAST_SHARE, LEAST_VALUES = 8, 0.02, 60
# Places that are tried, alone and in pairs; numbers compared there; rows that are asked before all of them are.
MOST_PLACES, MOST_NUMBERS, PROBED = 5, 24, 1_000
# Neighbours for each column of a place that the surface goes through, a ridge on its slopes, and the share of the
# variance that it leaves at most. Of a price on a map of 3,000 rows a plane through twelve told S with an area of .87,
# a curved surface through 24 with .96.
NEIGHBOURS, RIDGE, UNEXPLAINED = 12, 1e-3, 0.5
LEAST_ROWS, CHUNK = 200, 4_096


def local_columns(numbers: KnownNumbers, residuals: Sequence[Column] = ()) -> Iterator[Column]:
    """Yield what the nearest rows in one or two columns leave of the numbers that vary smoothly along them.

    Parameters
    ----------
    numbers : KnownNumbers
        Those of a release.
    residuals : sequence of columns
        What is calculated from them, compared as well.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> rng = np.random.default_rng(0)
    >>> day = rng.uniform(0, 1000, 800)
    >>> table = pa.table({"day": day, "level": np.sin(day / 60) + rng.normal(0, 0.1, 800)})
    >>> [name for name, _ in local_columns(KnownNumbers.of(read_columns(table)))]
    ['level beside its neighbours in day']
    """
    names, matrix = numbers.names, numbers.matrix
    if len(matrix) < LEAST_ROWS:
        return
    places = [index for index in range(len(names)) if spread_out(matrix[:, index])][:MOST_PLACES]
    compared = {name: matrix[:, index] for index, name in enumerate(names[:MOST_NUMBERS])}
    compared |= {name: column.astype(np.float64) for name, column in residuals[:MOST_NUMBERS]}
    for where in [(one,) for one in places] + list(combinations(places, 2)):
        points = matrix[:, where] / matrix[:, where].std(axis=0)
        others = {name: values for name, values in compared.items() if name not in [names[one] for one in where]}
        if not others:
            continue
        tree, values = cKDTree(points), np.column_stack(list(others.values()))
        some = np.arange(0, len(points), max(1, len(points) // PROBED))
        left = _beyond(tree, points, values, some).var(axis=0) / np.maximum(values[some].var(axis=0), 1e-300)
        kept = np.flatnonzero(left < UNEXPLAINED)
        if len(kept):
            parts = (np.arange(start, min(start + CHUNK, len(points))) for start in range(0, len(points), CHUNK))
            beyond = np.vstack([_beyond(tree, points, values[:, kept], part) for part in parts])
            for index, column in zip(kept, beyond.T, strict=True):
                named = " and ".join(names[one] for one in where)
                yield from scaled(f"{list(others)[index]} beside its neighbours in {named}", column)


def spread_out(column: npt.NDArray[np.floating]) -> bool:
    """Whether a column has many values in each part of its range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> spread_out(rng.uniform(size=500)), spread_out(rng.normal(size=500))
    (True, False)
    """
    known = column[np.isfinite(column)]
    if len(np.unique(known[: 10 * LEAST_VALUES])) < LEAST_VALUES:
        return False
    return bool(np.histogram(known, PARTS)[0].min() >= LEAST_SHARE * len(known))


def _beyond(tree: cKDTree, points: Reals, values: Reals, rows: npt.NDArray[np.int64]) -> Reals:
    """Return what surfaces of degree two through the nearest other rows leave of the values of `rows`."""
    most = min(NEIGHBOURS * points.shape[1], len(points) - 1)
    near = tree.query(points[rows], k=most + 1)[1]
    # The row itself stands among its nearest, or behind rows at the same place: then the last is left out.
    here = near == rows[:, None]
    itself = np.where(here.any(axis=1), here.argmax(axis=1), most)
    near = near[np.arange(most + 1) != itself[:, None]].reshape(len(rows), most)
    offsets = points[near] - points[rows, None]
    offsets /= np.maximum(np.sqrt((offsets**2).mean(axis=(1, 2), keepdims=True)), 1e-300)
    crossed = offsets[:, :, :1] * offsets[:, :, 1:]
    design = np.concatenate([np.ones((*near.shape, 1)), offsets, offsets**2, crossed], axis=2)
    ridge = np.diag(np.r_[0.0, np.full(design.shape[2] - 1, RIDGE * most)])
    turned = np.swapaxes(design, 1, 2)
    weights = np.linalg.solve(turned @ design + ridge, turned)[:, 0]
    return np.asarray(values[rows] - np.einsum("ij,ijk->ik", weights, values[near]))
