"""Rows of one household: found by the answers that its members share, though no column names it.

Columns are weighted by how much oftener nearest rows agree in them than rows do by chance, nearest rows are found anew
with these weights, and so on (as records are linked without a key: Fellegi and Sunter, JASA 1969).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from withhold.audit.view.alike import alike_links
from withhold.audit.view.links import Rows, find_links
from withhold.audit.view.reading import Reading

Reals = npt.NDArray[np.float64]

# Columns of so many levels, at least so many columns and rows; of more rows the comparison of all pairs takes minutes.
LEVELS, LEAST_COLUMNS, LEAST_ROWS, MOST_ROWS, MOST_COLUMNS = 50, 6, 100, 20_000, 200
# Rows on which weights are learned, rounds, nearest rows that are given.
SAMPLE, ROUNDS, NEAREST, CHUNK = 600, 6, 3, 1_024
# There are households where this share of the rows is nearer to another than all but one in a hundred rows are when
# each column is shuffled.
HOUSEHOLDS, CHANCE = 0.1, 0.99


def household_links(readings: Sequence[Reading]) -> Rows | None:
    """Return each row's nearest rows under weights that the columns themselves suggest; None where nobody stands near.

    Parameters
    ----------
    readings : sequence of Reading
        Categories of a release.

    Returns
    -------
    ndarray of int, shape (n, 3), or None
    """
    usable = [r for r in readings if 2 <= len(r.levels) <= LEVELS][:MOST_COLUMNS]
    n = len(readings[0].codes) if readings else 0
    if len(usable) < LEAST_COLUMNS or not LEAST_ROWS <= n <= MOST_ROWS:
        return None
    codes = np.column_stack([reading.codes for reading in usable])
    rng = np.random.default_rng(0)
    shuffled = np.column_stack([rng.permutation(column) for column in codes.T])
    asked = np.sort(rng.permutation(n)[:SAMPLE])
    weights = learned_weights(codes, asked)
    height = _nearest(codes, weights, asked)[1]
    chance = _nearest(shuffled, learned_weights(shuffled, asked), asked)[1]
    if (height > np.quantile(chance, CHANCE)).mean() < HOUSEHOLDS:
        return None
    return _nearest(codes, weights, np.arange(n))[0]


def learned_weights(codes: npt.NDArray[np.int32], asked: Rows) -> Reals:
    """Return how much agreement in each column speaks for one household, learned from the nearest rows of some.

    Parameters
    ----------
    codes : ndarray of int32, shape (n, p)
    asked : ndarray of int
        The rows whose nearest are looked for.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> shared = np.repeat(rng.integers(0, 5, (200, 9)), 2, axis=0)
    >>> own = rng.integers(0, 5, (400, 9))
    >>> weights = learned_weights(np.hstack([shared, own]).astype(np.int32), np.arange(400))
    >>> bool(weights[:9].min() > weights[9:].max())
    True
    """
    chance = np.array([((np.bincount(column + 1) / len(codes)) ** 2).sum() for column in codes.T])
    weights = -np.log(chance)
    for _ in range(ROUNDS):
        near = _nearest(codes, weights, asked)[0][:, 0]
        mutual = _nearest(codes, weights, near)[0][:, 0] == asked
        if not mutual.any():
            break
        agree = (codes[asked[mutual]] == codes[near[mutual]]).mean(axis=0).clip(0.01, 0.99)
        weights = np.maximum(np.log(agree / chance) - np.log((1 - agree) / (1 - chance).clip(0.01)), 0.0)
    return np.asarray(weights)


def _nearest(codes: npt.NDArray[np.int32], weights: Reals, asked: Rows) -> tuple[Rows, Reals]:
    """Return the nearest other rows of those asked and, of the nearest, the share of the weight in which both agree."""
    n, p = codes.shape
    width = int(codes.max()) + 2
    places = (codes + 1 + width * np.arange(p)).ravel()
    scaled = np.tile(np.sqrt(weights), n).astype(np.float32)
    hot = csr_matrix((scaled, places, np.arange(0, n * p + 1, p)), shape=(n, width * p))
    dense = hot[:, np.unique(places)].toarray()
    near, height = np.empty((len(asked), NEAREST), np.int64), np.empty(len(asked))
    for start in range(0, len(asked), CHUNK):
        rows = asked[start : start + CHUNK]
        part = dense[rows] @ dense.T
        index = np.arange(len(rows))
        part[index, rows] = -1.0
        top = np.argpartition(-part, NEAREST, axis=1)[:, :NEAREST]
        order = np.argsort(-np.take_along_axis(part, top, axis=1), axis=1, kind="stable")
        near[start : start + len(rows)] = np.take_along_axis(top, order, axis=1)
        height[start : start + len(rows)] = part[index, near[start : start + len(rows), 0]]
    return near, height / max(float(weights.sum()), 1e-9)


def links_of(
    keys: Sequence[Reading],
    categories: Sequence[Reading],
    texts: Sequence[Reading] = (),
    further: Sequence[Rows | None] = (),
) -> Rows | None:
    """Return the number of each row and of all rows it is linked with, by keys, households, groups, or `further`."""
    named, others = find_links(keys, texts), [*further, household_links(categories), alike_links([*categories, *keys])]
    near = [rows for rows in others if rows is not None]
    if not near:
        return named
    own = np.arange(len(near[0]))[:, None] if named is None else named
    return np.hstack([own, *near])
