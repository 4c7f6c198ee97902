"""Logistic regression on screened pairs: finds two columns that tell S only together, which the others read too late.

Screened on the training fold: the products of raw columns, of their signs, and of one with the other that are most
associated with a class. Without them an interaction of .03 nat among 64 columns reads .003 to .019.
"""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.attackers.logistic import fit_logistic
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# The screen costs columns squared; wider inputs are first reduced to the columns most associated with S, singly.
WIDEST = 1_024
MOST_PAIRS = 96
# Normal scores: of 10,000 pairs without any association about four pass 3.5; single columns need less.
PAIR_SCORE, COLUMN_SCORE = 3.5, 2.0
RIDGE = 10.0


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
    mean = left.T @ right / n
    spread = np.sqrt(np.maximum((left**2).T @ (right**2) / n - mean**2, 1e-12))
    best = np.zeros_like(mean)
    for column in codes.T:
        np.maximum(best, np.abs(left.T @ (right * column[:, None])) / n / spread, out=best)
    # A product that hardly varies has no reliable correlation.
    best[spread < 1e-3] = 0.0
    return np.asarray(best * np.float32(n**0.5))


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
        self._columns = np.sort(np.argsort(-single, kind="stable")[:WIDEST])
        self._centre, self._spread = centre[self._columns], np.maximum(spread[self._columns], 1e-6)
        self._median = np.median(X[:, self._columns], axis=0)
        raw, sign = self._raw_and_sign(X)
        self._pairs = [
            (kind, i, j)
            for kind, (left, right) in enumerate(((raw, raw), (sign, sign), (raw, sign)))
            for i, j in self._screen(association(left, right, codes), symmetric=kind < 2)
        ]
        self._singles = np.flatnonzero(single[self._columns] > COLUMN_SCORE)
        features = self._features(X)
        self._feature_spread = np.maximum(features.std(axis=0), 1e-6)
        self._model = fit_logistic(features / self._feature_spread, s, RIDGE)
        return self

    @staticmethod
    def _screen(scores: NDArray[np.float32], symmetric: bool) -> list[tuple[int, int]]:
        if symmetric:
            scores = np.triu(scores, 1)
        else:
            np.fill_diagonal(scores, 0.0)
        order = np.argsort(-scores, axis=None, kind="stable")[:MOST_PAIRS]
        order = order[scores.ravel()[order] > PAIR_SCORE]
        return [(int(i), int(j)) for i, j in zip(*np.unravel_index(order, scores.shape), strict=True)]

    def _raw_and_sign(self, X: Matrix) -> tuple[Matrix, Matrix]:
        own = X[:, self._columns]
        return (own - self._centre) / self._spread, np.where(own > self._median, 1.0, -1.0).astype(np.float32)

    def _features(self, X: Matrix) -> Matrix:
        raw, sign = self._raw_and_sign(X)
        sides = ((raw, raw), (sign, sign), (raw, sign))
        products = [sides[kind][0][:, i] * sides[kind][1][:, j] for kind, i, j in self._pairs]
        # The leading column keeps the matrix non-empty when nothing passed the screen: then only the prior is learned.
        return np.column_stack([np.zeros(len(X), np.float32), raw[:, self._singles], *products])

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes."""
        features = self._features(np.clip(X, -6.0, 6.0)) / self._feature_spread
        return self._model.log_proba(features)
