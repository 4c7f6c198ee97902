"""Normal scores of a continuous attribute, learned on a training fold and valid for values with ties.

Ties are spread at random over the ranks they share. The jitter is independent noise, so the score carries exactly the
information of the value, and its marginal is standard normal even where the value has atoms: log-density ratios
against N(0, 1) then stay lower bounds. On the raw value, -1/2 log(1-R^2) would not be one.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.stats import norm

from withhold.audit.statistics.arrays import Reals


@dataclass(frozen=True)
class NormalScores:
    """The ranks of the training values."""

    ordered: Reals

    @classmethod
    def fit(cls, values: Reals) -> Self:
        """Learn from training values without NaN."""
        return cls(np.sort(np.asarray(values, dtype=np.float64)))

    def ranks(self, values: Reals, rng: np.random.Generator) -> Reals:
        """Return randomised ranks in (0, 1), uniform when `values` follow the training distribution."""
        low = np.searchsorted(self.ordered, values, side="left")
        high = np.searchsorted(self.ordered, values, side="right")
        # A value between two training values takes a random place in the gap between their ranks.
        return np.asarray((low + rng.random(len(values)) * (high - low + 1.0)) / (len(self.ordered) + 1.0))

    def transform(self, values: Reals, rng: np.random.Generator) -> Reals:
        """Return normal scores.

        Examples
        --------
        >>> scores = NormalScores.fit(np.arange(999.0))
        >>> bool(abs(scores.transform(np.array([499.0]), np.random.default_rng(0))[0]) < 0.01)
        True
        """
        return np.asarray(norm.ppf(np.clip(self.ranks(values, rng), 1e-12, 1 - 1e-12)))
