"""Logistic regression: finds what any linear reading of the release finds."""

import warnings
from typing import ClassVar, Self

import numpy as np
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from withhold.audit.arrays import Codes, Matrix, Reals
from withhold.audit.attackers.attacker import Attacker, InputKind

# Weak on purpose: a stronger ridge hides rare one-hot columns, from which linear erasure is read back.
RIDGE = 1.0
ITERATIONS = 100


def fit_logistic(X: Matrix, s: Codes, ridge: float = RIDGE) -> LogisticRegression:
    """Fit a multinomial logistic regression; stopping early under-states a leak and is no error."""
    model = LogisticRegression(C=1.0 / ridge, max_iter=ITERATIONS, tol=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, s)
    return model


def predict_log_proba(model: LogisticRegression, X: Matrix) -> Reals:
    """Return log-probabilities from the scores; the logarithm of a rounded probability would be minus infinity."""
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    return np.asarray(log_softmax(scores, axis=-1))


class Logistic(Attacker):
    """Multinomial logistic regression on one-hot columns and standardised numbers."""

    name: ClassVar[str] = "logistic"
    inputs: ClassVar[InputKind] = "dense"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Fit by L-BFGS; deterministic, `rng` is not used."""
        self._model = fit_logistic(X, s)
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes."""
        return predict_log_proba(self._model, X)
