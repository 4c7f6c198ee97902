"""Logistic regression on screened pairs and triples: finds columns that tell S only together, which others read late.

Screened on the training fold: the products of raw columns, of their signs, and of one with the other that are most
associated with a class, and products of the signs of three. Without them an interaction of .03 nat among 64 columns
reads .003 to .019.
"""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.attackers.logistic import fit_logistic
from withhold.audit.attackers.remembered import mark, recall, remembers
from withhold.audit.attackers.triples import best_triples
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# The screen costs columns squared; wider inputs are first reduced to the columns most associated with S, singly.
WIDEST = 1_024
MOST_PAIRS = 96
# Of wider inputs still, all pairs of the signs of so many columns are screened, in blocks, and the best so many kept.
FARTHEST, BLOCK, FAR_PAIRS = 4_096, 512, 64
# Normal scores: of 10,000 pairs without any association about four pass 3.5; single columns need less.
PAIR_SCORE, COLUMN_SCORE = 3.5, 2.0
# The largest of m normal scores is about sqrt(2 ln m) less this.
SLACK = 0.4
RIDGE = 10.0
# Columns are remembered by parts that end at multiples of this.
TOGETHER = 64


def association(left: Matrix, right: Matrix, codes: Matrix) -> NDArray[np.float32]:
    """Return the largest |z| over classes of the correlation of each product left_i right_j with a class.

    Parameters
    ----------
    left, right : ndarray of shape (n, p)
        Columns.
    codes : ndarray of shape (n, k)
        Class indicators, centred and scaled to unit variance.

    Returns
    -------
    ndarray of shape (p, p)
        sqrt(n) times the largest absolute correlation.
    """
    n = len(left)
    total = left.T @ right
    squares = left**2
    mean = total / n
    spread = np.sqrt(np.maximum(squares.T @ (squares if left is right else right**2) / n - mean**2, 1e-12))
    best = np.zeros_like(mean)
    for column in codes.T:
        # An indicator has two values: the sum over all rows and that over the fewer of its sides say all, and the
        # product of a matrix with itself costs half.
        few = column > 0 if 2 * np.count_nonzero(column > 0) <= n else column <= 0
        inside, outside = column[few.argmax()], column[few.argmin()]
        own = left[few]
        part = own.T @ (own if left is right else right[few])
        np.maximum(best, np.abs((inside - outside) * part + outside * total) / n / spread, out=best)
    # A product that hardly varies has no reliable correlation.
    best[spread < 1e-3] = 0.0
    return np.asarray(best * np.float32(n**0.5))


def associations(
    left: Matrix, right: Matrix, codes: Matrix, parts: Sequence[tuple[bytes, slice]], what: bytes
) -> NDArray[np.float32]:
    """Return `association`, between parts of the columns that were screened before as it was found then.

    Parameters
    ----------
    left, right : ndarray of shape (n, p)
        Columns; where they are the same, the lower triangle is not needed.
    parts : sequence of (bytes, slice)
        What names the values of each part of the columns, and where it lies.
    what : bytes
        What was made of the values.
    """
    if len(parts) == 1:
        return association(left, right, codes)
    about = b"association" + what + mark(codes)
    best = np.zeros((left.shape[1], left.shape[1]), np.float32)
    for i, (name, one) in enumerate(parts):
        for other_name, other in parts[i if left is right else 0 :]:
            a = left[:, one]
            b = a if left is right and one == other else right[:, other]
            best[one, other] = recall(about + name + other_name, partial(association, a, b, codes))
    return best


def middle(X: Matrix) -> Matrix:
    """Return the median of each column; the mean where no value is above it, as where most of a flag are set.

    Examples
    --------
    >>> np.round(middle(np.array([[0.0, 1.0], [1.0, 1.0], [5.0, 0.0]], np.float32)).astype(float), 2).tolist()
    [1.0, 0.67]
    """
    median = np.median(X, axis=0)
    return np.asarray(np.where(median >= X.max(axis=0), X.mean(axis=0), median), dtype=np.float32)


def beyond_chance(columns: int) -> float:
    """Return the score that about one pair of so many columns without any association passes, at least `PAIR_SCORE`.

    Examples
    --------
    >>> round(beyond_chance(64), 2), round(beyond_chance(3000), 2)
    (3.5, 5.14)
    """
    pairs = max(2, columns * (columns - 1) // 2)
    return max(PAIR_SCORE, float(np.sqrt(2 * np.log(pairs))) - SLACK)


def far_pairs(X: Matrix, codes: Matrix) -> NDArray[np.int64]:
    """Return the columns of the pairs of signs, of all there are, whose products are most associated with a class.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    codes : ndarray of shape (n, k)
        Class indicators, centred and scaled to unit variance.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 40)).astype(np.float32)
    >>> s = (X[:, 3] * X[:, 7] > 0).astype(np.float32)
    >>> sorted(far_pairs(X, ((s - s.mean()) / s.std())[:, None])[:2].tolist())
    [3, 7]
    """
    columns = np.argsort(-X.var(axis=0), kind="stable")[:FARTHEST]
    sign = np.where(X[:, columns] > middle(X[:, columns]), 1.0, -1.0).astype(np.float32)
    sign -= sign.mean(axis=0)
    sign /= np.maximum(sign.std(axis=0), 1e-6)
    found: list[tuple[float, int, int]] = []
    for start in range(0, len(columns), BLOCK):
        left = sign[:, start : start + BLOCK]
        score = np.max([np.abs(left.T @ (sign * column[:, None])) for column in codes.T], axis=0) / len(X) ** 0.5
        score[np.arange(left.shape[1])[:, None] + start >= np.arange(len(columns))] = 0.0
        best = (
            np.argpartition(-score, FAR_PAIRS, axis=None)[:FAR_PAIRS]
            if score.size > FAR_PAIRS
            else np.arange(score.size)
        )
        found += [(float(score.flat[i]), start + int(i) // len(columns), int(i) % len(columns)) for i in best]
    found = sorted(found, reverse=True)[:FAR_PAIRS]
    return np.asarray([columns[place] for _, *pair in found for place in pair], np.int64)


class Pairs(Attacker):
    """Logistic regression on the columns and products of columns that a screen finds associated with S."""

    name: ClassVar[str] = "pairs"
    inputs: ClassVar[InputKind] = "dense"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Screen products on these rows only, then fit; deterministic, `rng` is not used."""
        X = np.clip(X, -6.0, 6.0)
        codes = np.eye(int(s.max()) + 1, dtype=np.float32)[s]
        if codes.shape[1] == 2:
            codes = codes[:, :1]
        codes = (codes - codes.mean(axis=0)) / np.maximum(codes.std(axis=0), 1e-6)
        centre, spread = X.mean(axis=0), X.std(axis=0)
        single = np.abs((X - centre).T @ codes).max(axis=1) / np.maximum(spread, 1e-6) / len(X) ** 0.5
        single[spread < 1e-6] = 0.0
        alone = np.argsort(-single, kind="stable")[:WIDEST]
        self._columns = np.unique(np.r_[alone, far_pairs(X, codes)] if X.shape[1] > WIDEST else alone)
        self._centre = centre[self._columns]
        # What is constant here becomes 0: the rounding of its mean, scaled up, would hand on the other column instead.
        self._spread = np.where(spread[self._columns] > 1e-6, spread[self._columns], np.inf).astype(np.float32)
        own = X[:, self._columns]
        # A test leak comes last: the others are those of the leak before it.
        last = (own.shape[1] - 1) // TOGETHER * TOGETHER if remembers() else 0
        places = [slice(0, last), slice(last, own.shape[1])] if last else [slice(0, own.shape[1])]
        parts = [(mark(own[:, place]), place) for place in places]
        self._middle = np.concatenate([recall(b"middle" + name, partial(middle, own[:, at])) for name, at in parts])
        # Signs are centred: the product with a flag that most rows have would tell what the other column tells alone.
        above = np.count_nonzero(own > self._middle, axis=0)
        self._balance = ((2 * above - len(own)) / len(own)).astype(np.float32)
        raw, sign = self._raw_and_sign(own)
        sides = (raw, raw, b"raw"), (sign, sign, b"sign"), (raw, sign, b"both")
        self._pairs = [
            (kind, i, j)
            for kind, (left, right, what) in enumerate(sides)
            for i, j in self._screen(associations(left, right, codes, parts, what), kind < 2, beyond_chance(X.shape[1]))
        ]
        self._triples = best_triples(sign, codes)
        enough = max(COLUMN_SCORE, float(np.sqrt(2 * np.log(X.shape[1]))) - 2 * SLACK)
        self._singles = np.flatnonzero(single[self._columns] > enough)
        features = self._features(raw, sign)
        self._feature_spread = np.maximum(features.std(axis=0), 1e-6)
        self._model = fit_logistic(features / self._feature_spread, s, RIDGE)
        self._forget_others()
        return self

    def _forget_others(self) -> None:
        """Keep what guesses are made of: of hundreds of columns that were screened a few."""
        paired = [column for _, *pair in self._pairs for column in pair]
        kept = np.unique(np.concatenate([self._singles, self._triples.ravel(), np.array(paired, np.int64)]))
        place = np.zeros(len(self._columns), np.int64)
        place[kept] = np.arange(len(kept))
        self._singles, self._triples = place[self._singles], place[self._triples]
        self._pairs = [(kind, int(place[i]), int(place[j])) for kind, i, j in self._pairs]
        self._columns, self._centre, self._spread = self._columns[kept], self._centre[kept], self._spread[kept]
        self._middle, self._balance = self._middle[kept], self._balance[kept]

    @staticmethod
    def _screen(scores: NDArray[np.float32], symmetric: bool, least: float) -> list[tuple[int, int]]:
        if symmetric:
            scores = np.triu(scores, 1)
        else:
            np.fill_diagonal(scores, 0.0)
        far = np.flatnonzero(scores > least)
        order = far[np.argsort(-scores.ravel()[far], kind="stable")[:MOST_PAIRS]]
        return [(int(i), int(j)) for i, j in zip(*np.unravel_index(order, scores.shape), strict=True)]

    def _raw_and_sign(self, own: Matrix) -> tuple[Matrix, Matrix]:
        sign = np.where(own > self._middle, np.float32(1.0), np.float32(-1.0))
        return (own - self._centre) / self._spread, sign - self._balance

    def _features(self, raw: Matrix, sign: Matrix) -> Matrix:
        sides = ((raw, raw), (sign, sign), (raw, sign))
        products = [sides[kind][0][:, i] * sides[kind][1][:, j] for kind, i, j in self._pairs]
        products += [sign[:, triple].prod(axis=1) for triple in self._triples]
        # The leading column keeps the matrix non-empty when nothing passed the screen: then only the prior is learned.
        return np.column_stack([np.zeros(len(raw), np.float32), raw[:, self._singles], *products])

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes."""
        features = self._features(*self._raw_and_sign(np.clip(X[:, self._columns], -6.0, 6.0)))
        return self._model.log_proba(features / self._feature_spread)
