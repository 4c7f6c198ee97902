"""Histogram gradient boosting: finds thresholds, rare levels and interactions along the columns.

Where no single column tells anything, the first trees split at random until two splits meet. How long that takes is
luck, so trees wait for progress a third of all rounds, and what they grew while they waited in vain is not used: on a
checkerboard of .41 nat a wait of ten rounds read .17 in some folds where this reads .34.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.training.trees import TreeClassifier

# Below this many rows a held-out part is too small to stop on, and more rounds than these only learn rows by heart.
EARLY_STOPPING_ROWS, FEW_ROWS_ROUNDS = 1_000, 80
# The share of the rounds that trees wait for progress.
WAITING = 1 / 3


def rounds_for(rounds: int, classes: int) -> int:
    """Return the rounds that keep the cost of `classes` trees a round near that of two.

    Examples
    --------
    >>> rounds_for(200, 2), rounds_for(200, 16)
    (200, 50)
    """
    return rounds if classes <= 4 else max(20, rounds * 4 // classes)


def stopping(rounds: int, rows: int) -> dict[str, Any]:
    """Return how many rounds trees grow at most on so many rows, and how they stop.

    Examples
    --------
    >>> stopping(200, 5000)["n_iter_no_change"], stopping(200, 500)["max_iter"]
    (66, 80)
    """
    if rows < EARLY_STOPPING_ROWS:
        return {"max_iter": min(rounds, FEW_ROWS_ROUNDS), "early_stopping": False}
    return {"max_iter": rounds, "early_stopping": True, "n_iter_no_change": max(10, int(WAITING * rounds))}


def at_best(model: Any, staged: Iterator[Reals]) -> Reals:
    """Return of the predictions round by round those of the round that guessed the held-out rows best.

    scikit-learn stops there some rounds late and keeps the trees that made guesses worse.
    """
    scores = model.validation_score_
    rounds = model.n_iter_ if len(scores) == 0 else max(1, int(np.argmax(scores)))
    return np.asarray(next(islice(staged, rounds - 1, None)))


class Boosting(Attacker):
    """scikit-learn's histogram gradient boosting on category codes and raw numbers."""

    name: ClassVar[str] = "boosting"
    inputs: ClassVar[InputKind] = "ordinal"
    leaves: ClassVar[int] = 31
    least_rows: ClassVar[int] = 20

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Fit, stopping on a held-out tenth where there are rows enough."""
        # A class of one row cannot be held out and learned from: then the rounds are those of few rows.
        rows = len(X) if np.bincount(s).min() >= 2 else 0
        self._model = TreeClassifier(
            learning_rate=0.1,
            max_leaf_nodes=self.leaves,
            min_samples_leaf=max(2, min(self.least_rows, len(X) // 20)),
            l2_regularization=1.0,
            validation_fraction=0.1,
            random_state=int(rng.integers(2**31)),
            **stopping(rounds_for(self.effort.boosting_rounds, int(s.max()) + 1), rows),
        ).fit(X, s)
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes."""
        return np.asarray(np.log(np.clip(at_best(self._model, self._model.staged_predict_proba(X)), 1e-12, None)))
