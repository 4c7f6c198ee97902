"""Quantile attacker of a continuous attribute: its whole conditional distribution, not only its mean."""

from typing import ClassVar, Self

import numpy as np
from scipy.stats import norm

from withhold.audit.attackers.attacker import InputKind, ScoreAttacker
from withhold.audit.attackers.boosting import at_best, stopping
from withhold.audit.statistics.arrays import Matrix, Reals
from withhold.training.trees import TreeRegressor

LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
# No piece of the predicted distribution is narrower than this share of the rows.
NARROWEST = 0.01


class Quantile(ScoreAttacker):
    """Boosted quantile regressions of the rank; between two quantiles the predicted density is flat."""

    name: ClassVar[str] = "quantile"
    inputs: ClassVar[InputKind] = "ordinal"

    def fit(self, X: Matrix, score: Reals, rng: np.random.Generator) -> Self:
        """Fit one boosted regression a level, on ranks in (0, 1)."""
        rank = norm.cdf(score)
        self._models = [
            TreeRegressor(
                loss="quantile",
                quantile=level,
                min_samples_leaf=max(2, min(50, len(X) // 20)),
                random_state=int(rng.integers(2**31)),
                **stopping(max(30, self.effort.boosting_rounds // 3), len(X)),
            ).fit(X, rank)
            for level in LEVELS
        ]
        return self

    def log_ratio(self, X: Matrix, score: Reals) -> Reals:
        """Return the log-density of the rank, whose marginal density is one."""
        levels = np.column_stack([at_best(model, model.staged_predict(X)) for model in self._models])
        inner = np.sort(np.clip(levels, 0.0, 1.0), axis=1)
        edges = np.column_stack([np.zeros(len(X)), inner, np.ones(len(X))])
        widths = np.maximum(np.diff(edges, axis=1), NARROWEST)
        widths /= widths.sum(axis=1, keepdims=True)
        edges = np.cumsum(widths, axis=1)
        piece = (norm.cdf(score)[:, None] > edges[:, :-1]).sum(axis=1)
        mass = np.diff(np.array([0.0, *LEVELS, 1.0]))
        return np.asarray(np.log(mass[piece]) - np.log(widths[np.arange(len(X)), piece]))
