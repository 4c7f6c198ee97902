"""Logistic regression on words: finds the word, the code or the ending that stands more often in one class."""

import warnings
from typing import ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.statistics.arrays import Codes, Reals

# Tokens that are kept, by how much they differ between classes: few where one word tells all, many where style does.
# On notes of 15 to 40 words with one telling word, 5,000 rows, 30 read .62 nat of .62; 3,000 read .55.
KEPT = (30, 300, 3_000)
# Of the training rows, those on which the number of tokens is chosen; and rows that a token stands in at least.
WATCHED, LEAST_ROWS = 0.25, 3
ITERATIONS = 200


class Words(Attacker):
    """Multinomial logistic regression on the tokens that differ most between the classes of the training rows."""

    name: ClassVar[str] = "words"
    inputs: ClassVar[InputKind] = "words"

    def fit(self, X: csr_matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Choose how many tokens are kept on part of the rows, then fit on all."""
        watched = rng.random(X.shape[0]) < WATCHED
        if len(np.unique(s[watched])) == len(np.unique(s[~watched])) == s.max() + 1:
            losses = []
            order = telling(X[~watched], s[~watched])
            for kept in KEPT:
                guess = _fit(X[~watched][:, order[:kept]], s[~watched]).predict_log_proba(X[watched][:, order[:kept]])
                losses.append(-guess[np.arange(len(guess)), s[watched]].mean())
            kept = KEPT[int(np.argmin(losses))]
        else:
            kept = KEPT[0]
        self._columns = telling(X, s)[:kept]
        self._model = _fit(X[:, self._columns], s)
        return self

    def log_proba(self, X: csr_matrix) -> Reals:
        """Return log-probabilities of the classes."""
        return np.asarray(self._model.predict_log_proba(X[:, self._columns]), dtype=np.float64)


def telling(X: csr_matrix, s: Codes) -> np.ndarray:
    """Return tokens, those whose presence differs most between classes first (by chi-squared, one degree of freedom).

    Examples
    --------
    >>> X = csr_matrix(np.array([[1, 1], [1, 0], [0, 1], [0, 0]] * 3, dtype=np.float32))
    >>> telling(X, np.array([1, 1, 0, 0] * 3)).tolist()
    [0, 1]
    """
    n, classes = X.shape[0], int(s.max()) + 1
    present = csr_matrix((np.ones(len(X.data), np.float32), X.indices, X.indptr), shape=X.shape)
    seen = np.asarray(present.T @ np.eye(classes)[s])
    total, shares = seen.sum(axis=1), np.bincount(s, minlength=classes) / n
    usable = total >= LEAST_ROWS
    expected = np.outer(total, shares)
    absent = np.maximum((n - total)[:, None] * shares, 1e-9)
    gain = ((seen - expected) ** 2 * (1 / np.maximum(expected, 1e-9) + 1 / absent)).sum(axis=1)
    order = np.argsort(-np.where(usable, gain, -1.0), kind="stable")
    return np.asarray(order[: max(1, int(usable.sum()))])


def _fit(X: csr_matrix, s: Codes) -> LogisticRegression:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # ending early under-states a leak and is no error
        return LogisticRegression(C=1.0, max_iter=ITERATIONS).fit(X, s)
