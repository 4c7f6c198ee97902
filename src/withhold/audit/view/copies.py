"""Copies of rows: how near the nearest rows of the same file are, and how many are the same.

Oversampled classes, interpolated rows and records entered twice stand closer to another row than rows do by chance.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from withhold.audit.view.features import Column

Matrix = npt.NDArray[np.float32]

# Directions that distances are taken in; more columns are turned into so many at random, which keeps what is near near.
DIRECTIONS = 64
# Up to so many rows all distances are taken; of more, those to rows beside it in the order of random directions.
ALL, ORDERS, BESIDE = 8_000, 6, 8
NEAREST = (1, 2, 5, 10)
# Rows compared at once, with all others and with some, and the distance of rows that are the same.
CHUNK, FEW, SAME = 1_024, 256, 1e-6
# Rows that are asked for a twin; it is so much nearer than the next row, which by chance is that share to the power of
# the columns, and so many more of the rows have one.
PROBED, TWIN, LEAST_TWINS = 128, 0.3, 0.05
# Fewer rows or columns have no tenth nearest, or no distance that tells.
LEAST_ROWS, LEAST_COLUMNS = 50, 2


def copy_columns(columns: Sequence[Matrix]) -> Iterator[Column]:
    """Yield log-distances to the nearest rows, their ratios and the number of equal rows, each centred and scaled.

    Parameters
    ----------
    columns : sequence of ndarray of float32, shape (n,)
        What rows are compared by; it never holds S.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32)
    >>> [name for name, _ in copy_columns(list(np.vstack([x, x[:50]]).T))][:2]
    ['distance to row 1', 'distance to row 10']
    """
    distances = distances_of(columns)
    if distances is not None:
        yield from columns_of(distances)


def distances_of(columns: Sequence[Matrix]) -> npt.NDArray[np.float64] | None:
    """Return the distances of each row to its ten nearest others, ascending, shape (n, 10); None where rows are few."""
    if len(columns) < LEAST_COLUMNS or len(columns[0]) < LEAST_ROWS:
        return None
    return _nearest(_turned(columns))


def columns_of(distances: npt.NDArray[np.float64]) -> Iterator[Column]:
    """Yield what attackers are given of such distances."""
    logs = np.log(np.maximum(distances, SAME))
    found = {f"distance to row {k}": logs[:, k - 1] for k in (NEAREST[0], NEAREST[-1])}
    found |= {f"distance to row {k} by row {NEAREST[-1]}": logs[:, k - 1] - logs[:, -1] for k in NEAREST[:-1]}
    found["rows that are the same"] = (distances <= SAME).sum(axis=1).astype(np.float64)
    for name, values in found.items():
        if values.std() > SAME:
            yield name, ((values - values.mean()) / values.std()).astype(np.float32)


def _turned(columns: Sequence[Matrix]) -> Matrix:
    """Return the columns at unit spread, or random sums of them where they are many."""
    n = len(columns[0])
    many = len(columns) > DIRECTIONS
    out = np.zeros((n, DIRECTIONS if many else len(columns)), np.float32)
    rng = np.random.default_rng(0)
    found: list[tuple[Matrix, Matrix]] = []
    for index, column in enumerate(columns):
        spread = float(column.std(dtype=np.float64))
        weights = rng.standard_normal((DIRECTIONS,)).astype(np.float32) / np.float32(DIRECTIONS**0.5)
        if spread <= SAME:
            continue
        standard = (column - np.float32(column.mean(dtype=np.float64))) / np.float32(spread)
        if many:
            found.append((standard, weights))
        else:
            out[:, index] = standard
    # A few rows at a time, whose sums stay in the processor's cache.
    for start in range(0, n if many else 0, CHUNK):
        part = out[start : start + CHUNK]
        for standard, weights in found:
            part += np.outer(standard[start : start + CHUNK], weights)
    return out


def _nearest(points: Matrix) -> npt.NDArray[np.float64]:
    """Return the distances of each row to its nearest others, ascending."""
    n, most = len(points), NEAREST[-1]
    norms = (points**2).sum(axis=1)
    if n <= ALL:
        best = np.empty((n, most), np.int64)
        for start in range(0, n, CHUNK):
            part = norms[None] - 2 * points[start : start + CHUNK] @ points.T
            part[np.arange(len(part)), np.arange(start, start + len(part))] = np.inf
            best[start : start + CHUNK] = np.argpartition(part, most, axis=1)[:, :most]
    else:
        rng = np.random.default_rng(1)
        candidates = np.empty((n, ORDERS * 2 * BESIDE), np.int64)
        steps = np.r_[-BESIDE:0, 1 : BESIDE + 1]
        for turn in range(ORDERS):
            order = np.argsort(points @ rng.standard_normal((points.shape[1],)).astype(np.float32), kind="stable")
            place = (np.arange(n)[:, None] + steps) % n
            candidates[order, turn * 2 * BESIDE : (turn + 1) * 2 * BESIDE] = order[place]
        best = np.empty((n, most), np.int64)
        for start in range(0, n, FEW):
            mine = np.sort(candidates[start : start + FEW], axis=1)
            gaps = norms[mine] - 2.0 * np.matmul(points[mine], points[start : start + FEW, :, None])[:, :, 0]
            gaps[:, 1:][mine[:, 1:] == mine[:, :-1]] = np.inf
            chosen = np.argpartition(gaps, most, axis=1)[:, :most]
            best[start : start + FEW] = np.take_along_axis(mine, chosen, axis=1)
    distances = np.empty((n, most))
    for start in range(0, n, CHUNK):
        mine = points[best[start : start + CHUNK]].astype(np.float64)
        distances[start : start + CHUNK] = np.sqrt(((mine - points[start : start + CHUNK, None]) ** 2).sum(axis=2))
    return np.sort(distances, axis=1)


def without_sign(columns: Iterable[npt.NDArray[np.float64]]) -> Iterator[Column]:
    """Yield distances between rows whose signs are taken off, where rows of a sample have a twin in that alone.

    A booking and its reversal, an augmented vector: each is far from the other, and equal to it but for signs.

    Parameters
    ----------
    columns : iterable of ndarray of shape (n,)
        Numbers, finite.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(100, 4))
    >>> [len(list(without_sign(list(rows.T)))) > 0 for rows in (np.vstack([x, -x]), x)]
    [True, False]
    """
    columns = list(columns)
    signed = [bool((column < 0).any() and (column > 0).any()) for column in columns]
    if len(columns) < LEAST_COLUMNS or not any(signed) or not LEAST_ROWS <= len(columns[0]) <= ALL:
        return
    kept = [np.asarray(np.abs(c) if sign else c, np.float32) for c, sign in zip(columns, signed, strict=True)]
    points, rows = _turned(kept), np.unique(np.linspace(0, len(columns[0]) - 1, PROBED).astype(np.int64))
    squares = ((points**2).sum(axis=1)[None] - 2 * points[rows] @ points.T) + (points[rows] ** 2).sum(axis=1)[:, None]
    nearest = np.sqrt(np.maximum(np.partition(squares, 2, axis=1)[:, 1:3], 0.0))
    if (nearest[:, 0] < TWIN * nearest[:, 1]).mean() > LEAST_TWINS + 2 * TWIN ** points.shape[1]:
        for name, values in columns_of(_nearest(points)):
            yield f"{name} without sign", values
