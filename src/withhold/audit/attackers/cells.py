"""Neighbours in two columns: finds pairs of columns whose fine cells differ in class where neither tells alone.

A checkerboard of eight by eight fields is no product of two columns, and trees cut one column at a time: they find no
first cut. All pairs are screened by chi-squared over the cells of a grid; in the best, each row asks its neighbours,
and those on the lines across stripes and rings.
"""

from collections.abc import Iterator
from typing import ClassVar, Self

import numpy as np
from scipy.spatial import cKDTree

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.attackers.lines import best_lines
from withhold.audit.attackers.logistic import fit_logistic
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# Equal-mass cells along each column; the most columns compared (their pairs cost columns squared), rows counted, and
# rows whose neighbours are asked to learn what the answers say, a dozen weights.
CELLS, WIDEST, MOST_ROWS, MOST_ASKED = 8, 96, 12_000, 8_000
# Pairs that are kept, from this many standard deviations of chi-squared; of 4,560 without any relation .1 pass 4.
MOST_PAIRS, SCORE = 6, 4.0
# Neighbours that are asked in two columns, a few and more, and on a line; and rows of the prior among them.
NEIGHBOURS, ON_A_LINE, PRIOR_ROWS, RIDGE = (5, 15), (15,), 1.0, 0.1


class Cells(Attacker):
    """Logistic regression on what the neighbours in the best pairs of columns say; the row itself is not asked."""

    name: ClassVar[str] = "cells"
    inputs: ClassVar[InputKind] = "ordinal"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Screen the pairs on these rows, then ask neighbours; deterministic, `rng` is not used."""
        classes = int(s.max()) + 1
        self._prior = np.bincount(s, minlength=classes) / len(s)
        screened = X[:MOST_ROWS, :WIDEST]
        self._pairs, together = best_pairs(ranks_among(screened, levels_of(screened)), s[:MOST_ROWS], classes)
        self._columns = sorted({column for pair in self._pairs for column in pair})
        self._levels = levels_of(X[:, self._columns])
        self._lines = [
            (pair, line)
            for pair in (self._pairs if together else [])
            for line in best_lines(screened[:, pair].astype(np.float64), s[:MOST_ROWS], classes)
        ]
        self._s, self._trees = np.eye(classes)[s], []
        some = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_ASKED)).astype(np.int64))
        # Each class is among those who are asked.
        some = np.union1d(some, np.unique(s, return_index=True)[1])
        shares: list[Reals] = []
        for points, asked in self._places(X):
            self._trees.append(cKDTree(points))
            shares += self._ask(len(self._trees) - 1, points[some], asked, some)
        if shares:
            self._model = fit_logistic(np.hstack(shares).astype(np.float32), s[some], RIDGE)
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes; the prior where no pair tells."""
        if not self._pairs:
            return np.tile(np.log(self._prior), (len(X), 1))
        places = enumerate(self._places(X))
        shares = [share for index, (points, asked) in places for share in self._ask(index, points, asked)]
        return self._model.log_proba(np.hstack(shares).astype(np.float32))

    def _places(self, X: Matrix) -> Iterator[tuple[Reals, tuple[int, ...]]]:
        """Yield where rows stand, in each pair of columns and on each line, and how many neighbours are asked there."""
        ranks = ranks_among(X[:, self._columns], self._levels)
        for one, other in self._pairs:
            yield ranks[:, [self._columns.index(one), self._columns.index(other)]], NEIGHBOURS
        for pair, line in self._lines:
            yield line.along(X[:, pair].astype(np.float64))[:, None], ON_A_LINE

    def _ask(self, index: int, points: Reals, asked: tuple[int, ...], own: Codes | None = None) -> list[Reals]:
        """Return the log-share of each class but the first among the neighbours, against the prior.

        Of rows that are known, `own` says which they are: they do not answer for themselves.
        """
        beside_itself = own is not None
        k = min(max(asked) + beside_itself, len(self._s))
        near = self._trees[index].query(points, k=list(range(1, k + 1)))[1]
        classes = self._s[near]
        if own is not None:
            # The row itself is taken out, wherever it stands among equals.
            classes *= (near != own[:, None])[:, :, None]
        found = []
        for few in asked:
            counts = classes[:, : few + beside_itself].sum(axis=1)
            likely = (counts + PRIOR_ROWS * self._prior) / (counts.sum(axis=1, keepdims=True) + PRIOR_ROWS)
            found.append(np.log(likely[:, 1:] / self._prior[1:]) - np.log(likely[:, :1] / self._prior[:1]))
        return found


def levels_of(X: Matrix) -> list[Matrix]:
    """Return the values of each column in order, without missing ones."""
    return [np.unique(column[~np.isnan(column)]) for column in X.T]


def ranks_among(X: Matrix, levels: list[Matrix]) -> Reals:
    """Return the place of each value among `levels` of its column, 0 to 1; missing values stand apart.

    Examples
    --------
    >>> ranks_among(np.array([[3.0], [np.nan]], np.float32), [np.array([1.0, 3.0], np.float32)]).tolist()
    [[0.5], [-1.0]]
    """
    ranks = np.empty(X.shape)
    for column, known in enumerate(levels):
        values = X[:, column]
        ranks[:, column] = np.where(np.isnan(values), -1.0, np.searchsorted(known, values) / max(1, len(known)))
    return ranks


def best_pairs(ranks: Reals, s: Codes, classes: int) -> tuple[list[tuple[int, int]], bool]:
    """Return the pairs of columns whose cells differ most in class, and whether beyond what each tells alone.

    Parameters
    ----------
    ranks : ndarray of shape (n, p)
        Columns, by place.
    s : ndarray of int, shape (n,)

    Examples
    --------
    >>> x = np.random.default_rng(0).uniform(size=(4000, 3))
    >>> board = ((x[:, 0] * 8).astype(int) + (x[:, 2] * 8).astype(int)) % 2
    >>> best_pairs(x, board, 2)
    ([(0, 2)], True)
    """
    n, p = ranks.shape
    codes = np.empty((n, p), np.int64)
    for column in range(p):
        cuts = np.unique(np.quantile(ranks[:, column], np.arange(1, CELLS) / CELLS))
        codes[:, column] = np.searchsorted(cuts, ranks[:, column], side="right")
    hot = np.zeros((n, p * CELLS), np.float32)
    hot[np.arange(n)[:, None], codes + CELLS * np.arange(p)] = 1.0
    total = hot.T @ hot
    rest = total.copy()
    shares = np.bincount(s, minlength=classes) / n
    pair = np.zeros((p, p))
    single = np.zeros(p)
    for one in range(classes):
        own = hot[s == one] if one < classes - 1 else hot[:0]
        # Of one matrix the product with itself costs half.
        inside = rest if one == classes - 1 else own.T @ own
        rest = rest - inside
        expected = total * np.float32(shares[one])
        gap = np.where(total > 0, (inside - expected) ** 2 / np.maximum(expected, 1e-9), 0.0)
        pair += gap.reshape(p, CELLS, p, CELLS).sum(axis=(1, 3))
        single += np.diag(gap).reshape(p, CELLS).sum(axis=1)
    filled = (total.reshape(p, CELLS, p, CELLS) > 0).sum(axis=(1, 3))
    freedom = np.maximum(1.0, (filled - 1.0) * (classes - 1))
    beyond = (pair - single[:, None] - single[None] - freedom) / np.sqrt(2.0 * freedom)
    together = _above(beyond)
    return together or _above((pair - freedom) / np.sqrt(2.0 * freedom)), bool(together)


def _above(score: Reals) -> list[tuple[int, int]]:
    """Return the pairs of the highest scores that chance hardly reaches."""
    score = np.where(np.tri(len(score), dtype=bool), -np.inf, score)
    order = np.argsort(-score, axis=None, kind="stable")[:MOST_PAIRS]
    return [(int(i), int(j)) for i, j in zip(*np.unravel_index(order, score.shape), strict=True) if score[i, j] > SCORE]
