"""Histogram gradient boosting: finds thresholds, rare levels and interactions along the columns."""

from typing import ClassVar, Self

import numpy as np

from withhold.audit.arrays import Codes, Matrix, Reals
from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.training.trees import TreeClassifier

# Below this many rows a held-out part is too small to stop on.
EARLY_STOPPING_ROWS = 1_000


def rounds_for(rounds: int, classes: int) -> int:
    """Return the rounds that keep the cost of `classes` trees a round near that of two.

    Examples
    --------
    >>> rounds_for(200, 2), rounds_for(200, 16)
    (200, 50)
    """
    return rounds if classes <= 4 else max(20, rounds * 4 // classes)


class Boosting(Attacker):
    """scikit-learn's histogram gradient boosting on category codes and raw numbers."""

    name: ClassVar[str] = "boosting"
    inputs: ClassVar[InputKind] = "ordinal"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Fit, stopping on a held-out tenth where there are rows enough."""
        smallest = int(np.bincount(s).min())
        self._model = TreeClassifier(
            learning_rate=0.1,
            max_iter=rounds_for(self.effort.boosting_rounds, int(s.max()) + 1),
            max_leaf_nodes=31,
            min_samples_leaf=max(2, min(20, len(X) // 20)),
            l2_regularization=1.0,
            early_stopping=len(X) >= EARLY_STOPPING_ROWS and smallest >= 2,
            validation_fraction=0.1,
            n_iter_no_change=10,
            random_state=int(rng.integers(2**31)),
        ).fit(X, s)
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes."""
        return np.asarray(np.log(np.clip(self._model.predict_proba(X), 1e-12, None)))
