"""The bound from a sample: certificates frozen on one half of the rows, their value confined on the other.

For a certificate (lambda, mu), with r the distribution of S in the first half and nu = mu - lambda log r, and for any
prediction q(u|x) fitted on the first half,

    loss(k) >= E[nu(U, S) + log q(U|X)] - lambda KL(p_S || r) - g(lambda, mu) - lambda k,

because -H(U|X) >= E log q(U|X): H(U) cancels against I(U;X) = H(U) - H(U|X). Over the second half, whose rows neither
the certificate nor q has seen,

* the mean is confined by the empirical Bernstein inequality (Maurer and Pontil 2009, Theorem 4), for each certificate
  at an equal part of three quarters of the error;
* KL(p_S || r) <= sum of (p - r)^2 / r, with p(s) confined by Clopper and Pearson's interval, for each class at an equal
  part of the last quarter.

So all budgets hold together with the stated level, for independent rows. Certificates are made from counts with one
half added to each cell, which keeps prices of unseen cells finite; that cannot make the bound wrong.

The plug-in I(U;S) of n rows is too high by about (|U|-1)(|S|-1)/(2n). The bootstrap of information is not valid near
independence (the estimate is then not normal); the band here is for display.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from withhold.information.bounds.certificate import Certificate
from withhold.information.bounds.envelope import Envelope
from withhold.information.bounds.sides import lines_below

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]

# Share of the prior in every prediction: log q is then bounded.
PRIOR_SHARE = 0.01
CELL_PRIOR = 0.5


@dataclass(frozen=True)
class Confined:
    """The finite-sample bound.

    Attributes
    ----------
    low, high : ndarray, shape (n_budgets,)
        Ends of the frozen bound's own value; the loss is at least `low`, whatever `high` is.
    certificates : tuple of Certificate
        The frozen lines.
    n : int
        Rows of the second half.
    """

    low: Reals
    high: Reals
    certificates: tuple[Certificate, ...]
    n: int


def mixed_with_prior(predicted: Reals, prior: Reals) -> Reals:
    """Return log of predictions that keep a share for the prior, so that no row counts without limit."""
    found: Reals = np.log((1.0 - PRIOR_SHARE) * predicted + PRIOR_SHARE * prior)
    return found


def freeze(counts: Reals) -> tuple[Certificate, ...]:
    """Return certificates made from one half's counts of (u, s), all of finite slope.

    Examples
    --------
    >>> all(np.isfinite(line.slope) for line in freeze(np.array([[90.0, 10.0], [10.0, 90.0]])))
    True
    """
    smoothed = counts + CELL_PRIOR
    return tuple(lines_below(smoothed / smoothed.sum()))


def confine(
    certificates: Sequence[Certificate],
    reference: Reals,
    u: Codes,
    s: Codes,
    log_predicted: Reals,
    least_log: float,
    budgets: Reals,
    level: float = 0.95,
) -> Confined:
    """Return the interval of the frozen bound on rows that were not used to make it.

    Parameters
    ----------
    certificates : sequence of Certificate
        Of finite slope.
    reference : ndarray, shape (n_s,)
        r, positive.
    u, s : ndarray of int, shape (n,)
        Codes of the second half.
    log_predicted : ndarray, shape (n,)
        log q(u_i | x_i); zeros where X tells U.
    least_log : float
        The smallest value `log_predicted` can take for any row.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> u = rng.integers(0, 2, 4000); s = np.where(rng.random(4000) < 0.9, u, 1 - u)
    >>> counts = np.histogram2d(u[:2000], s[:2000], bins=2)[0]
    >>> ks = np.array([0.0, 0.1])
    >>> found = confine(freeze(counts), counts.sum(0) / 2000, u[2000:], s[2000:], np.zeros(2000), 0.0, ks)
    >>> bool((found.low < [0.5545, 0.3412]).all() and (found.low > [0.3, 0.1]).all())  # the truth, for any release
    True
    """
    error = 1.0 - level
    divergence = _divergence(reference, s, 0.25 * error)
    share = 0.75 * error / (2 * len(certificates))
    lows, highs = [], []
    for line in certificates:
        group_reference = np.bincount(line.groups, reference).astype(np.float64)
        nu = line.prices - line.slope * np.log(group_reference)
        height, _ = Envelope(group_reference).evaluate(line.slope, nu)
        rows = nu[u, line.groups[s]] + log_predicted
        width = _bernstein(rows, float(nu.max() - nu.min()) - least_log, share)
        middle = float(rows.mean()) - height
        lows.append(middle - width - line.slope * (divergence + budgets))
        highs.append(middle + width - line.slope * budgets)
    low, high = np.max(lows, axis=0), np.max(highs, axis=0)
    return Confined(np.maximum(0.0, low), np.maximum(0.0, high), tuple(certificates), len(u))


def _bernstein(values: Reals, width: float, error: float) -> float:
    """Half width of the one-sided empirical Bernstein bound for values within `width`."""
    n, log_term = len(values), float(np.log(2.0 / error))
    return float(np.sqrt(2.0 * values.var(ddof=1) * log_term / n) + 7.0 * width * log_term / (3.0 * (n - 1)))


def _divergence(reference: Reals, s: Codes, error: float) -> float:
    """Upper end of KL(p_S || reference) from a sample of S."""
    n, classes = len(s), len(reference)
    seen = np.bincount(s, minlength=classes)
    tail = error / (2 * classes)
    low = np.where(seen > 0, beta.ppf(tail, np.maximum(seen, 1), n - seen + 1), 0.0)
    high = np.where(seen < n, beta.ppf(1.0 - tail, seen + 1, np.maximum(n - seen, 1)), 1.0)
    furthest = np.maximum((high - reference) ** 2, (reference - low) ** 2)
    return float((furthest / reference).sum())
