"""Rows that stand at one place: two numbers of a map in which a row is far nearer to one other than to all else.

Members of a household are not on one point: each device has its own error, and no two values are the same.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from withhold.audit.view.links import Rows
from withhold.audit.view.reading import Reading
from withhold.audit.view.relations import moderate

# Numbers that stand side by side in the file and have a value of their own in so many rows, and the pairs compared.
NEARLY_UNIQUE, LEAST_ROWS, MOST_PAIRS = 0.5, 100, 8
# Rows are at one place where the nearest other is so much nearer than the next: by chance .01 of the rows, and .1 where
# both columns say the same and all stand on a line. They are households where so many more rows are at one place.
NEARER, LEAST_SHARE = 0.1, 0.15
# Rows that are asked whether there are such places before all are.
PROBED = 500


def place_links(numbers: Sequence[Reading]) -> Rows | None:
    """Return for each row the one at its place, over the first two neighbouring columns that have such rows.

    Parameters
    ----------
    numbers : sequence of Reading
        The numbers of a release, in the order of the file.

    Returns
    -------
    ndarray of int, shape (n, 1), or None
        -1 where there is none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> rng = np.random.default_rng(0)
    >>> x, y = np.repeat(rng.uniform(size=(2, 60)), 2, axis=1) + rng.normal(0, 1e-6, (2, 120))
    >>> place_links(list(read_columns(pa.table({"lat": x, "lon": y}))))[:4, 0].tolist()
    [1, 0, 3, 2]
    """
    n = len(numbers[0].codes) if numbers else 0
    fine = [
        len(one.levels) >= NEARLY_UNIQUE * n
        and not one.missing.any()
        and not one.ticks_per_day
        and moderate(np.asarray(one.numbers, np.float64))
        for one in numbers
    ]
    beside = [(a, b) for a, b in pairwise(range(len(numbers))) if fine[a] and fine[b]]
    rows = np.unique(np.linspace(0, n - 1, min(n, PROBED)).astype(np.int64))
    for pair in beside[:MOST_PAIRS] if n >= LEAST_ROWS else []:
        points = np.column_stack([np.asarray(numbers[place].numbers, np.float64) for place in pair])
        points -= points.mean(axis=0)
        points /= np.maximum(points.std(axis=0), 1e-300)
        if not np.isfinite(points).all():
            continue
        tree = cKDTree(points)
        if (_at_one_place(tree, points, rows) >= 0).mean() > LEAST_SHARE:
            return _at_one_place(tree, points, np.arange(n))[:, None]
    return None


def _at_one_place(tree: cKDTree, points: np.ndarray, rows: Rows) -> Rows:
    """Return the row at the place of each of some rows, -1 where there is none."""
    distances, near = tree.query(points[rows], k=3)
    other = np.where(near[:, 0] == rows, near[:, 1], near[:, 0])
    return np.where(distances[:, 1] < NEARER * distances[:, 2], other, -1)
