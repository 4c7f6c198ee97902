"""Three columns that tell a class only together: of all triples the products of signs most associated with it.

Where two columns go together their product is nearly constant, and times a column that tells the class by itself it
tells just that: a leak in one column of an embedding had filled the list. What single columns tell is taken off.
"""

import numpy as np
from numpy.typing import NDArray

from withhold.audit.statistics.arrays import Matrix

# Columns and rows that are looked at: the cost is rows by columns to the third. Signs that are the same in more
# than so many rows have no triple worth a look.
WIDEST, MOST_ROWS, MOSTLY = 96, 4_000, 0.9
# Triples kept, from so far above what the largest of so many chance scores reaches.
MOST_TRIPLES, ABOVE = 12, 0.3


def best_triples(sign: Matrix, codes: Matrix) -> NDArray[np.int64]:
    """Return the triples of columns whose products of signs are most associated with a class, beyond chance.

    Parameters
    ----------
    sign : ndarray of shape (n, p)
        Signs of columns, centred.
    codes : ndarray of shape (n, k)
        Class indicators, centred and scaled to unit variance.

    Returns
    -------
    ndarray of int, shape (m, 3)

    Examples
    --------
    >>> sign = np.random.default_rng(0).choice([-1.0, 1.0], (600, 12)).astype(np.float32)
    >>> best_triples(sign, sign[:, [2]] * sign[:, [5]] * sign[:, [9]])[0].tolist()
    [2, 5, 9]
    """
    rows = max(1, MOST_ROWS // codes.shape[1])
    sign, codes = sign[:rows], codes[:rows]
    spread = sign.std(axis=0)
    uneven = 2 * np.sqrt(MOSTLY * (1 - MOSTLY))
    columns = np.sort(np.argsort(-spread, kind="stable")[: min(WIDEST, int((spread >= uneven).sum()))])
    p = len(columns)
    if p < 3:
        return np.zeros((0, 3), np.int64)
    used = sign[:, columns] / spread[columns]
    together, alone = used.T @ used / len(used), used.T @ codes / len(used)
    least = float(np.sqrt(2 * np.log(max(2, codes.shape[1] * p * (p - 1) * (p - 2) // 6)))) + ABOVE
    found: list[tuple[float, int, int, int]] = []
    for first in range(p - 2):
        right = used[:, first + 1 :]
        left = used[:, [first]] * right
        paired, rest = together[first, first + 1 :], together[first + 1 :, first + 1 :]
        score = np.zeros_like(rest)
        for code, own in zip(codes.T, alone.T, strict=True):
            by_one = np.outer(paired, own[first + 1 :])
            told = (left * code[:, None]).T @ right / len(used) - by_one - by_one.T - rest * own[first]
            np.maximum(score, np.abs(told) * len(used) ** 0.5, out=score)
        for i, j in np.argwhere(np.triu(score, 1) > least):
            found.append((float(score[i, j]), first, first + 1 + int(i), first + 1 + int(j)))
    best = [triple for _, *triple in sorted(found, reverse=True)[:MOST_TRIPLES]]
    return columns[np.asarray(best, np.int64).reshape(-1, 3)]
