"""The law of the log-ratio of one record under a planted leak: its mean, its spread and its ends, by quadrature.

A plant is a noisy code z = g + a c(S) (`audit.leakage.canaries`). Whoever knows its law gives a record the log-ratio
log p(s|z) - log p(s), of mean k = I(S;z); to first order in k its variance is 2k. The audit mixes a share of prior into
each guess, which is done here too.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.integrate import trapezoid
from scipy.stats import norm

from withhold.audit.leakage.canaries.codes import MOST_OF_ENTROPY, shift_for
from withhold.audit.statistics.arrays import Reals
from withhold.data.shares import plug_in_entropy
from withhold.information.calibration import PRIOR_WEIGHT

# Sizes at which the law is computed; between them it is interpolated.
POINTS, SMALLEST = 24, 1e-5
# Points of the grid for each standard deviation of the noise.
GRID = 20


@dataclass(frozen=True)
class Law:
    """The law of log-ratios at every size of a leak about one attribute.

    Attributes
    ----------
    sizes, variances, shifts : ndarray
        Nats, variance of the log-ratio of one record, and the shift a that holds them.
    codes, shares : ndarray
        Codes of the classes and how common they are.
    """

    sizes: Reals
    variances: Reals
    shifts: Reals
    codes: Reals
    shares: Reals

    @classmethod
    def of(cls, codes: Reals, shares: Reals) -> Self:
        """Compute the law for an attribute.

        Parameters
        ----------
        codes, shares : ndarray of shape (k,)
            As `audit.leakage.canaries.codes.row_codes` returns them: the code of each class and its probability.

        Examples
        --------
        >>> law = Law.of(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
        >>> bool(1.8 < law.variance(0.01) / 0.01 < 2.1)
        True
        """
        most = MOST_OF_ENTROPY * min(plug_in_entropy(shares), 3.0)
        sizes = np.geomspace(min(SMALLEST, most / 2), most, POINTS)
        shifts = np.array([shift_for(float(size), codes, shares) for size in sizes])
        variances = np.array([_variance(float(shift), codes, shares) for shift in shifts])
        return cls(sizes, variances, shifts, codes, shares)

    @property
    def entropy(self) -> float:
        """H(S) of the classes, in nats."""
        return plug_in_entropy(self.shares)

    @property
    def surprise(self) -> float:
        """The largest log-ratio possible: the surprise of the rarest class."""
        return float(-np.log(self.shares.min()))

    def variance(self, size: float) -> float:
        """Variance of the log-ratio of one record where `size` nats are told."""
        if size <= self.sizes[0]:
            return float(self.variances[0] * max(size, 0.0) / self.sizes[0])
        return float(np.interp(size, self.sizes, self.variances))

    def least(self, size: float, rows: float) -> float:
        """Smallest log-ratio that guesses about so many rows hold, whatever the truth; at most 0."""
        shift = float(np.interp(max(size, 0.0), np.r_[0.0, self.sizes], np.r_[0.0, self.shifts]))
        far = norm.isf(min(0.5, 0.5 / max(1.0, rows)))
        ends = shift * np.array([self.codes.min(), self.codes.max()]) + np.array([-far, far])
        table = _log_ratios(ends, shift, self.codes, self.shares)
        return float(min(0.0, table.min()))


def _log_ratios(z: Reals, shift: float, codes: Reals, shares: Reals) -> Reals:
    """Return the mixed log-ratio of every class at every point, shape (points, k)."""
    logs = -0.5 * (z[:, None] - shift * codes) ** 2
    top = logs.max(axis=1, keepdims=True)
    ratio = logs - top - np.log((np.exp(logs - top) * shares).sum(axis=1, keepdims=True))
    return np.asarray(np.log((1.0 - PRIOR_WEIGHT) * np.exp(ratio) + PRIOR_WEIGHT))


def _variance(shift: float, codes: Reals, shares: Reals) -> float:
    centres = shift * codes
    low, high = float(centres.min()) - 8.0, float(centres.max()) + 8.0
    grid = np.linspace(low, high, int(np.ceil((high - low) * GRID)) + 1)
    density = shares * np.exp(-0.5 * (grid[:, None] - centres) ** 2) / np.sqrt(2 * np.pi)
    ratio = _log_ratios(grid, shift, codes, shares)
    first = float(trapezoid((density * ratio).sum(axis=1), grid))
    second = float(trapezoid((density * ratio**2).sum(axis=1), grid))
    return max(0.0, second - first**2)
