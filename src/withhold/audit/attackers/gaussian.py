"""Gaussian attackers of a continuous attribute: a predicted mean of its normal score, with an honest spread.

The residual spread is estimated on rows the mean was not fitted on, so over-fitting widens it instead of hiding.
"""

from typing import ClassVar, Self

import numpy as np
from sklearn.linear_model import Ridge

from withhold.audit.attackers.attacker import InputKind, ScoreAttacker
from withhold.audit.attackers.boosting import at_best, stopping
from withhold.audit.statistics.arrays import Matrix, Reals
from withhold.training.trees import TreeRegressor

# Share of the rows on which the spread of the residuals is estimated.
HELD = 0.15


def gaussian_log_ratio(score: Reals, mean: Reals, spread: float) -> Reals:
    """Return log N(score; mean, spread^2) - log N(score; 0, 1).

    Examples
    --------
    >>> float(gaussian_log_ratio(np.array([0.3]), np.array([0.0]), 1.0)[0])
    0.0
    """
    return np.asarray(0.5 * (score**2 - ((score - mean) / spread) ** 2) - np.log(spread))


def split(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to fit on and the rows to estimate the spread on; the same rows where there are too few."""
    order = rng.permutation(n)
    held = round(HELD * n)
    return (order, order) if held < 2 else (order[held:], order[:held])


class LinearGaussian(ScoreAttacker):
    """Ridge regression of the normal score."""

    name: ClassVar[str] = "linear_gaussian"
    inputs: ClassVar[InputKind] = "dense"

    def fit(self, X: Matrix, score: Reals, rng: np.random.Generator) -> Self:
        """Fit the mean, then a slope and a spread on held rows."""
        kept, held = split(len(X), rng)
        self._model = Ridge(alpha=10.0).fit(X[kept], score[kept])
        self._slope, self._spread = _slope_and_spread(self._model.predict(X[held]), score[held])
        return self

    def log_ratio(self, X: Matrix, score: Reals) -> Reals:
        """Return the Gaussian log-ratio of each row."""
        return gaussian_log_ratio(score, self._slope * self._model.predict(X).astype(np.float64), self._spread)


class BoostedGaussian(ScoreAttacker):
    """Gradient boosting of the normal score."""

    name: ClassVar[str] = "boosted_gaussian"
    inputs: ClassVar[InputKind] = "ordinal"

    def fit(self, X: Matrix, score: Reals, rng: np.random.Generator) -> Self:
        """Fit the mean, then a slope and a spread on held rows."""
        kept, held = split(len(X), rng)
        self._model = TreeRegressor(
            min_samples_leaf=max(2, min(20, len(X) // 20)),
            random_state=int(rng.integers(2**31)),
            **stopping(self.effort.boosting_rounds, len(X)),
        ).fit(X[kept], score[kept])
        self._slope, self._spread = _slope_and_spread(self._mean(X[held]), score[held])
        return self

    def log_ratio(self, X: Matrix, score: Reals) -> Reals:
        """Return the Gaussian log-ratio of each row."""
        return gaussian_log_ratio(score, self._slope * self._mean(X), self._spread)

    def _mean(self, X: Matrix) -> Reals:
        return at_best(self._model, self._model.staged_predict(X)).astype(np.float64)


def _slope_and_spread(mean: Reals, score: Reals) -> tuple[float, float]:
    # One extra row of mean 0 and unit score keeps both finite on a handful of rows and is nothing on thousands.
    mean, score = mean.astype(np.float64), score.astype(np.float64)
    slope = float(np.clip(mean @ score / (mean @ mean + 1.0), 0.0, 1.5))
    spread = float(np.sqrt((((score - slope * mean) ** 2).sum() + 1.0) / (len(score) + 1.0)))
    return slope, max(spread, 0.02)
