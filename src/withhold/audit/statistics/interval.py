"""Intervals for mean log-ratios: clustered by subject, simultaneous over the panel, honest about rare records."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from withhold.audit.statistics.arrays import Codes, Reals

DRAWS = 20_000


@dataclass(frozen=True)
class Intervals:
    """One interval an attacker; all hold together at the level they were asked for."""

    mean: Reals
    low: Reals
    high: Reals
    n: int


def cluster_sums(values: Reals, groups: Codes | None) -> Reals:
    """Sum rows by group, shape (clusters, columns); without groups each row is its own cluster."""
    if groups is None:
        return values
    _, codes = np.unique(groups, return_inverse=True)
    total = np.zeros((int(codes.max()) + 1, values.shape[1]))
    np.add.at(total, codes, values)
    return total


def simultaneous_intervals(
    log_ratios: Reals,
    least: Reals,
    most: float,
    level: float,
    rng: np.random.Generator,
    groups: NDArray[np.int64] | None = None,
    makers: NDArray[np.int64] | None = None,
) -> Intervals:
    """Return intervals for the mean of each column that hold together at `level`.

    The half-width is a studentised maximum over columns: with Gaussian multipliers the bootstrap law of the
    studentised means is exactly normal with their correlation matrix, so that law is drawn from instead of
    resampling rows; a t quantile corrects for few clusters. Each side then gets log(2/alpha)/clusters times the most
    that one more record could add: `most` upwards (the surprise of the rarest class) and -`least` downwards (the
    worst guess the attacker would make), because records too rare to be in the sample do not show in its variance.

    Rows that one of several sanitisers released share its luck: where their means differ by more than records do, the
    half-width is that of a t interval over sanitisers, column by column, if it is the larger.

    Parameters
    ----------
    log_ratios : ndarray of shape (n, m)
        Per-record log-ratios, one column an attacker.
    least : ndarray of shape (m,)
        Smallest log-ratio that each attacker's guesses allow, whatever the truth; at most 0.
    most : float
        Largest log-ratio possible.
    level : float
        Joint coverage.
    rng : Generator
        For the maximum.
    groups : ndarray of shape (n,) or None
        Subjects.
    makers : ndarray of shape (n,) or None
        Which of several sanitisers released each row.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> few = simultaneous_intervals(np.zeros((10, 1)), np.zeros(1), np.log(2), 0.95, rng)
    >>> bool(few.high[0] > 0.2)
    True
    """
    n, m = log_ratios.shape
    mean = log_ratios.mean(axis=0)
    sums = cluster_sums(log_ratios - mean, groups)
    clusters = len(sums)
    alpha = 1.0 - level
    rare = np.log(2.0 / alpha) / clusters
    if clusters < 2:
        return Intervals(mean, np.full(m, -np.inf), np.full(m, np.inf), n)
    error = _error(sums, n)
    active = error > 1e-12
    quantile = norm.ppf(1.0 - alpha / 2)
    if active.sum() > 1:
        scaled = sums[:, active] / np.sqrt((sums[:, active] ** 2).sum(axis=0))
        values, vectors = np.linalg.eigh(scaled.T @ scaled)
        root = vectors * np.sqrt(np.clip(values, 0.0, None))
        draws = np.abs(rng.standard_normal((DRAWS, int(active.sum()))) @ root.T).max(axis=1)
        quantile = float(np.quantile(draws, level))
    # The tail probability of the simultaneous quantile, carried over to Student's t.
    quantile = float(t.isf(norm.sf(quantile), df=clusters - 1))
    half = quantile * error
    if makers is not None:
        shared = cluster_sums(log_ratios - mean, makers)
        if len(shared) > 1:
            half = np.maximum(half, t.isf(alpha / 2, df=len(shared) - 1) * _error(shared, n))
    return Intervals(mean, mean - half + rare * np.minimum(least, 0.0), mean + half + rare * most, n)


def _error(sums: Reals, n: int) -> Reals:
    """Return the standard error of the mean of n rows from the sums of their clusters, about the mean."""
    clusters = len(sums)
    return np.asarray(np.sqrt((sums**2).sum(axis=0) * clusters / (clusters - 1.0)) / n)
