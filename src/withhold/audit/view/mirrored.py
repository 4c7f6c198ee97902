"""Rows that say the same from the other side: a match entered by either team, a transfer by sender and receiver."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from withhold.audit.view.links import Rows
from withhold.audit.view.reading import Reading

Codes = npt.NDArray[np.int64]

# Columns that may name either side; the share of values that two of them have in common, and of rows with a mirror.
MOST_COLUMNS, IN_COMMON, MIRRORED = 8, 0.5, 0.3
# Candidates of a row that are compared, and columns by which they are.
MOST_CANDIDATES, MOST_COMPARED = 32, 12


def mirror_links(readings: Sequence[Reading]) -> Rows | None:
    """Return for each row one in which the values of two columns stand the other way round; None where few have one.

    Of several the one that agrees with the row in most other columns.

    Parameters
    ----------
    readings : sequence of Reading
        Columns of a release.

    Returns
    -------
    ndarray of int, shape (n, 1), or None
        -1 where there is none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> home, guest = ["a", "b", "c", "d"], ["b", "a", "d", "c"]
    >>> mirror_links(list(read_columns(pa.table({"home": home, "guest": guest, "day": [1, 1, 2, 2]})))).T.tolist()
    [[1, 0, 3, 2]]
    """
    sides = [one for one in readings if 2 <= len(one.levels) <= len(one.codes)][:MOST_COLUMNS]
    for one, other in combinations(sides, 2):
        if one.kind != other.kind:
            continue
        named, of = np.unique(np.concatenate([one.levels, other.levels]), return_inverse=True)
        if len(one.levels) + len(other.levels) - len(named) < IN_COMMON * len(named):
            continue
        left = np.append(of[: len(one.levels)], -1)[one.codes].astype(np.int64)
        right = np.append(of[len(one.levels) :], -1)[other.codes].astype(np.int64)
        known = (left >= 0) & (right >= 0) & (left != right)
        mirror = _mirrors(left, right, known, len(named), [r for r in readings if r not in (one, other)])
        if (mirror >= 0).mean() > MIRRORED:
            return mirror[:, None]
    return None


def _mirrors(left: Codes, right: Codes, known: npt.NDArray[np.bool_], size: int, others: Sequence[Reading]) -> Codes:
    as_written, turned = left * size + right, right * size + left
    order = np.flatnonzero(known)[np.argsort(as_written[known], kind="stable")]
    keys = as_written[order]
    start, stop = np.searchsorted(keys, turned, side="left"), np.searchsorted(keys, turned, side="right")
    compared = [one.codes for one in others[:MOST_COMPARED]]
    best, best_agreement = np.full(len(left), -1), np.full(len(left), -1)
    for step in range(MOST_CANDIDATES):
        rows = np.flatnonzero(known & (start + step < stop))
        if not len(rows):
            break
        candidates = order[start[rows] + step]
        agreement = np.sum([codes[rows] == codes[candidates] for codes in compared], axis=0) if compared else 0
        better = rows[agreement > best_agreement[rows]]
        chosen = candidates[agreement > best_agreement[rows]]
        best_agreement[better] = np.broadcast_to(agreement, len(rows))[agreement > best_agreement[rows]]
        best[better] = chosen
    return best
