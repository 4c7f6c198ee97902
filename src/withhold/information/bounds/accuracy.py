"""From nats to words: how often an attacker is right who learns k nats about S.

Both ends are for the given distribution of S, and for all releases with I(S;Z) = k:

* at most: the inverse of the rate-distortion function of S under "wrong or right". Each guess needs one value of Z only
  (merging the others keeps the accuracy and lowers I), so the programme is convex; by its dual (Blahut 1972) every
  slope and every distribution of guesses proves an upper end. For two equally likely classes the binary symmetric
  channel reaches it.
* at least: the smallest accuracy of the best guess. Posteriors with one best guess are a polytope whose corners are the
  uniform distributions over sets of classes, and entropy is concave there: a linear programme over those sets. For two
  equally likely classes erasure reaches it.

Accuracy counts every record alike; balanced accuracy counts every class alike. An attacker above the upper end proves
that the release leaks more than k.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.special import entr

from withhold.contracts.checks import refused
from withhold.contracts.errors import InvalidParameterError
from withhold.information.measures.joint import check_joint

Reals = NDArray[np.float64]
Score = Literal["accuracy", "balanced_accuracy"]

# 2**12 sets of classes; beyond, the lower end is chance.
MOST_SETS = 12
ITERATIONS = 300
SLOPES = 48
# exp(-300) is still a number, and so are its square and inverse.
STEEPEST = 300.0


def attacker_accuracy(prior: ArrayLike, leakage: float, score: Score = "accuracy") -> tuple[float, float]:
    """Return how often the best attacker is right on a release with I(S;Z) = leakage: at least, at most.

    Parameters
    ----------
    prior : array_like, shape (n_classes,)
        p(s).
    leakage : float
        k in nats. The upper end holds for every release that leaks at most k.
    score : {"accuracy", "balanced_accuracy"}

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> [tuple(round(end, 3) for end in attacker_accuracy([0.5, 0.5], k)) for k in (0.02, 0.1)]
    [(0.514, 0.6), (0.572, 0.72)]
    """
    p = check_joint(prior, "The distribution 'prior'")
    if p.ndim != 1 or leakage < 0 or not np.isfinite(leakage):
        raise InvalidParameterError(
            f"leakage must be a number from 0 on, and prior a list of classes (got {leakage!r} and {p.ndim} axes)."
        )
    if score not in ("accuracy", "balanced_accuracy"):
        raise refused("score", "'accuracy' or 'balanced_accuracy'", score)
    p = p[p > 0]
    gain = np.ones(len(p)) if score == "accuracy" else 1.0 / (len(p) * p)
    known = min(leakage, float(entr(p).sum()))
    chance = float((p * gain).max())
    return max(chance, _least(p, gain, known)), max(chance, _most(p, gain, known))


def _most(p: Reals, gain: Reals, leakage: float) -> float:
    if leakage >= float(entr(p).sum()) - 1e-15:
        return 1.0
    middle, width, best = 0.0, np.log(1e5), 1.0
    for _ in range(4):  # every slope is valid: finer grids around the best one only tighten
        slopes = np.exp(np.linspace(middle - width, middle + width, SLOPES))
        slopes = np.minimum(slopes, STEEPEST / gain.max())
        ends = _ends(p, gain, leakage, slopes)
        middle, width = float(np.log(slopes[ends.argmin()])), 2.0 * width / SLOPES
        best = min(best, float(ends.min()))
    return best


def _ends(p: Reals, gain: Reals, leakage: float, slopes: Reals) -> Reals:
    """Return the upper end that each slope proves, after Blahut's iteration on the distribution of guesses."""
    # exp(slope * gain) on the diagonal, one elsewhere, divided by its largest entry.
    power = slopes[:, None] * gain
    top = power.max(axis=1)
    right, wrong = np.exp(power - top[:, None]), np.exp(-top)[:, None]
    guess = np.tile(p, (len(slopes), 1))
    for _ in range(ITERATIONS):
        normal = wrong + guess * (right - wrong)
        ratio = p / normal
        factor = wrong * (ratio.sum(axis=1, keepdims=True) - ratio) + right * ratio
        guess = guess * factor
        guess /= guess.sum(axis=1, keepdims=True)
    normal = wrong + guess * (right - wrong)
    ratio = p / normal
    factor = wrong * (ratio.sum(axis=1, keepdims=True) - ratio) + right * ratio
    found: Reals = (leakage + (p * np.log(normal)).sum(axis=1) + top + np.log(factor.max(axis=1))) / slopes
    return found


def _least(p: Reals, gain: Reals, leakage: float) -> float:
    if len(p) > MOST_SETS:
        return 0.0
    sets = ((np.arange(1, 2 ** len(p))[:, None] >> np.arange(len(p))) & 1).astype(np.float64)
    corners = sets / gain
    total = corners.sum(axis=1)
    corners /= total[:, None]
    left = entr(corners).sum(axis=1)
    limit = float(entr(p).sum()) - leakage
    # A little slack where rounding would leave no solution: the limit is that of an equality at both ends.
    solved = linprog(1.0 / total, A_ub=left[None], b_ub=[limit + 1e-12], A_eq=corners.T, b_eq=p, bounds=(0, None))
    return float(solved.fun) - 1e-9 if solved.status == 0 else 0.0
