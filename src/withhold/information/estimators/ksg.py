"""KSG: information from distances to nearest neighbours, for numbers, classes and mixtures of both.

A. Kraskov, H. Stögbauer, P. Grassberger, "Estimating mutual information", Physical Review E 2004 (kraskov2004ksg), the
first form; for a class and numbers B. C. Ross, PLoS ONE 2014 (ross2014mixed); for repeated values W. Gao et al.,
"Estimating Mutual Information for Discrete-Continuous Mixtures", NeurIPS 2017 (gao2017mixture).

Nothing is trained, so nothing is memorised, and in few dimensions it is the most exact. In many dimensions all
neighbours are far and it is far too small: 20 dimensions and 10,000 rows miss most of 2 nats.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from scipy.special import digamma

from withhold.contracts.checks import refused
from withhold.contracts.quantity import Quantity
from withhold.information.estimators.estimator import InformationEstimator, check_finite, interval
from withhold.information.estimators.inputs import Pair, Variable

CONDITION = "The interval is of sampling; the bias, towards 0 and large beyond a few dimensions, is not in it."

COPIES = "one record that stands several times is read as dependence, and its copies are taken for independent rows."

Reals = NDArray[np.float64]


class KSG(InformationEstimator):
    """Nearest-neighbour estimate.

    Parameters
    ----------
    neighbours : int, default=5
        More lower the spread and raise the bias.
    level : float, default=0.95

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=1000)
    >>> b = a + rng.normal(size=1000)  # .347 nat
    >>> abs(KSG().fit(a, b).estimate().value - 0.347) < 0.1
    True
    """

    def __init__(self, *, neighbours: int = 5, level: float = 0.95) -> None:
        self.neighbours = neighbours
        self.level = level

    def _measure(self, pair: Pair) -> Quantity:
        if not isinstance(self.neighbours, int | np.integer) or not 1 <= self.neighbours < len(pair):
            raise refused("neighbours", f"a whole number between 1 and {len(pair) - 1}", self.neighbours)
        terms, coinciding = _terms(pair, int(self.neighbours))
        mean = check_finite(float(terms.mean()), "KSG")
        low, high = interval(mean + WIDER * (terms - mean), mean, self.level)
        copies = f" {100 * coinciding:.3g} % of the rows have copies: {COPIES}" if coinciding else ""
        condition = CONDITION + copies
        return Quantity(
            value=mean, low=low, high=high, kind="estimate", level=self.level, n=len(pair), condition=condition
        )


# Terms of rows that are neighbours move together: over 150 draws of 1,000 Gaussian pairs the spread of the mean was
# 1.10 to 1.18 times what independent terms would give.
WIDER = 1.2


def _terms(pair: Pair, k: int) -> tuple[Reals, float]:
    """Return the summand of each record, and the share of records with numbers that have k copies."""
    n = len(pair)
    radius, found = np.zeros(n), np.full(n, k)
    a, b = (None if side.discrete else side.columns(np.arange(n)) for side in (pair.a, pair.b))
    numbers = [x for x in (a, b) if x is not None]
    # Rows of other classes are infinitely far: neighbours are sought within a class, if there is one.
    cells = np.zeros(n, np.int64)
    for side in (pair.a, pair.b):
        if side.discrete:
            cells = np.unique(np.stack([cells, side.joint_codes()]), axis=1, return_inverse=True)[1].reshape(-1)
    for cell in range(int(cells.max()) + 1):
        rows = np.flatnonzero(cells == cell)
        found[rows] = np.minimum(k, len(rows) - 1)
        if numbers and len(rows) > 1:
            points = np.concatenate(numbers, axis=1)[rows]
            radius[rows] = nearest_distance(points, int(found[rows[0]]))
    tied = radius == 0  # repeated values, or nothing but classes: all that coincide count as neighbours
    if tied.any():
        found[tied] = _coinciding(cells, numbers)[tied]
    counts = [_within(side, x, radius, tied) for side, x in ((pair.a, a), (pair.b, b))]
    alone = found < 1  # no other row of its class: it tells nothing that could be compared
    value = digamma(np.maximum(found, 1)) + digamma(n) - digamma(counts[0]) - digamma(counts[1])
    return np.where(alone, 0.0, value), float(tied.mean()) if numbers else 0.0


def _within(side: Variable, x: Reals | None, radius: Reals, tied: NDArray[np.bool_]) -> Reals:
    """Return how many rows, the row itself included, are nearer than its radius in one variable."""
    if x is None:
        codes = side.joint_codes()
        own: Reals = np.bincount(codes)[codes].astype(np.float64)
        return own - tied  # with ties every count is of others
    inside = count_within(x, np.where(tied, 0.0, np.nextafter(radius, 0.0)))
    return np.maximum(inside - tied, 1.0)


def nearest_distance(points: Reals, k: int) -> Reals:
    """Return each row's distance, in its largest coordinate, to the k-th nearest other row.

    Examples
    --------
    >>> nearest_distance(np.array([[0.0], [1.0], [3.0]]), 1).tolist()
    [1.0, 1.0, 2.0]
    """
    if points.shape[1] <= TREE:
        return np.asarray(cKDTree(points).query(points, k + 1, p=np.inf)[0][:, -1])
    parts = [np.partition(cdist(part, points, "chebyshev"), k, axis=1)[:, k] for part in _chunks(points)]
    return np.concatenate(parts)


def count_within(points: Reals, reach: Reals) -> Reals:
    """Return how many rows, itself included, are no further from each row than its reach.

    Examples
    --------
    >>> count_within(np.array([[0.0], [1.0], [3.0]]), np.array([1.0, 0.5, 9.0])).tolist()
    [2.0, 1.0, 3.0]
    """
    if points.shape[1] <= TREE:
        tree = cKDTree(points)
        return np.asarray(tree.query_ball_point(points, reach, p=np.inf, return_length=True), dtype=np.float64)
    limits = np.split(reach, np.arange(CHUNK, len(reach), CHUNK))
    pairs = zip(_chunks(points), limits, strict=True)
    return np.concatenate(
        [(cdist(part, points, "chebyshev") <= limit[:, None]).sum(axis=1).astype(np.float64) for part, limit in pairs]
    )


def _chunks(points: Reals) -> list[Reals]:
    return np.split(points, np.arange(CHUNK, len(points), CHUNK))


TREE = 8  # columns up to which a tree is faster than all distances: 10,000 rows of 40 columns took 32 s with one
CHUNK = 512  # rows a time


def _coinciding(cells: NDArray[np.int64], numbers: list[Reals]) -> NDArray[np.int64]:
    """Return how many other rows have the same values in all columns."""
    key = np.concatenate([cells[:, None].astype(np.float64), *numbers], axis=1)
    same = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    return np.asarray(np.bincount(same)[same] - 1)
