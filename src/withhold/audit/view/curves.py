"""Relations of degree two that hold nearly: a distance by two points, a rate by a sum, a product plus a product.

Of few columns all products of two are taken; a sum of them that hardly varies is a relation, and what is left of it
tells who was calculated otherwise. Products are of centred columns, so that a column is not taken for its own square.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

# Products grow with the square of the columns; more columns are not looked at.
MOST_COLUMNS = 14
# A sum of products is a relation where it keeps less than this of their variance, and how many are given.
UNEXPLAINED, MOST = 1e-3, 6
# How often a relation is fitted anew to the half of the rows that obey it best.
STEPS = 5
# Rows from which a relation is read, as many times the products.
TIMES = 5


def curve_columns(names: Sequence[str], matrix: Reals) -> Iterator[tuple[str, Reals]]:
    """Yield what is left of each relation of degree two.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    matrix : ndarray of shape (n, p)
        Columns of which none is a sum of the others, nearly.

    Examples
    --------
    >>> a, b, c = np.random.default_rng(0).uniform(1, 9, (3, 300))
    >>> [name for name, _ in curve_columns(("a", "b", "c", "rate"), np.column_stack([a, b, c, a / (b + c)]))]
    ['products of a, b, c and rate, 1']
    """
    n, p = matrix.shape
    count = p + p * (p + 1) // 2
    if not 3 <= p <= MOST_COLUMNS or n < TIMES * count:
        return
    z = (matrix - matrix.mean(axis=0)) / np.maximum(matrix.std(axis=0), 1e-300)
    one, other = np.triu_indices(p)
    products = np.hstack([z, z[:, one] * z[:, other]])
    spread = products.std(axis=0)
    products = (products - products.mean(axis=0)) / np.maximum(spread, 1e-9)
    variances, directions = np.linalg.eigh(products.T @ products / n)
    for place in np.flatnonzero(variances < UNEXPLAINED)[:MOST]:
        weights = directions[:, place]
        weights = _concentrated(products, weights) if place == 0 else weights
        heavy = [names[i] for i in range(p) if _share(weights, one, other, p, i) > 1 / (4 * p)]
        said = f"{', '.join(heavy[:-1])} and {heavy[-1]}" if len(heavy) > 1 else "".join(heavy)
        yield f"products of {said}, {place + 1}", products @ weights


def _concentrated(products: Reals, weights: Reals) -> Reals:
    """Return the sum that varies least among the rows that obey it best: those calculated otherwise bend it no more."""
    for _ in range(STEPS):
        left = products @ weights
        off = np.abs(left - np.median(left))
        near = products[off <= np.median(off)]
        near = near - near.mean(axis=0)
        weights = np.linalg.eigh(near.T @ near)[1][:, 0]
    return weights


def _share(weights: Reals, one: npt.NDArray[np.int64], other: npt.NDArray[np.int64], p: int, column: int) -> float:
    """Return how much of a direction a column has a part in."""
    here = np.append(np.arange(p) == column, (one == column) | (other == column))
    return float((weights[here] ** 2).sum())
