"""How much epsilon a mechanism certainly has: a lower bound from releases of two records, the worst two there are.

A promise of epsilon says P(E | a) <= e^eps P(E | b) + delta for every event E. Releases of two records a and b, many of
each, show how far it is used: events are thresholds on a score, the better the more the score tells the two apart; the
one that separates them best is chosen on some of the releases and counted on the others, and the rates' ends by Clopper
and Pearson give a value that epsilon exceeds with the stated confidence. A value above what is promised refutes the
promise. A small one proves nothing: other records, or another score, may show more.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.audit.statistics.proportion import binomial_intervals
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.quantity import Quantity, check_level

# Thresholds compared on the part that chooses.
_MOST_THRESHOLDS = 200
LEAST_RELEASES = 100


def epsilon_lower_bound(
    first: NDArray[Any],
    second: NDArray[Any],
    *,
    delta: float = 0.0,
    level: float = 0.999,
    choosing: float = 0.5,
) -> Quantity:
    """Bound from below the epsilon of a mechanism that released two records many times.

    Parameters
    ----------
    first, second : ndarray, shape (n,)
        Scores of the releases of one record and of the other, in the order they were drawn; large where the release
        looks like one of the first record. Any score is valid, the log-likelihood ratio is best.
    delta : float, default=0.0
        Probability that the promise exempts.
    level : float, default=0.999
        Confidence.
    choosing : float, default=0.5
        Share of the releases that the threshold is chosen on; the others are counted.

    Returns
    -------
    Quantity
        A lower bound, at least 0; `n` is how many releases of each record were counted.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> first, second = rng.laplace(0.5, 1.0, 40_000), rng.laplace(-0.5, 1.0, 40_000)  # epsilon 1
    >>> found = epsilon_lower_bound(first, second)
    >>> bool(0.9 < found.value < 1.0), found.n
    (True, 20000)
    """
    check_level(level)
    _check(first, second, delta, choosing)
    at = [max(1, int(choosing * len(scores))) for scores in (first, second)]
    chosen = [np.sort(scores[:k]) for scores, k in zip((first, second), at, strict=True)]
    counted = [np.asarray(scores[k:]) for scores, k in zip((first, second), at, strict=True)]
    pooled = np.unique(np.concatenate(chosen))
    if len(pooled) > _MOST_THRESHOLDS:
        # Even steps, and steps that halve towards both ends, where the largest ratios may be.
        halving = len(pooled) * 0.5 ** np.arange(1, 40)
        steps = np.concatenate([np.linspace(0, len(pooled) - 1, _MOST_THRESHOLDS), halving, len(pooled) - 1 - halving])
        pooled = pooled[np.unique(np.clip(steps, 0, len(pooled) - 1).astype(np.int64))]
    sides = [_bounds([_counts(scores, pooled, side) for scores in chosen], side, at, delta, level) for side in (0, 1)]
    side, place = divmod(int(np.argmax(sides)), len(pooled))
    counts = [_counts(np.sort(scores), pooled[[place]], side) for scores in counted]
    value = float(_bounds(counts, side, [len(scores) for scores in counted], delta, level)[0])
    return Quantity(
        value=max(0.0, value),
        kind="lower_bound",
        unit="epsilon",
        level=level,
        n=min(map(len, counted)),
        condition=None if delta == 0 else f"delta {delta:g}",
    )


def _counts(ordered: NDArray[Any], thresholds: NDArray[Any], side: int) -> NDArray[np.int64]:
    """Count the scores that are at least (side 0) or at most (side 1) each threshold."""
    if side == 0:
        return np.asarray(len(ordered) - np.searchsorted(ordered, thresholds, side="left"))
    return np.asarray(np.searchsorted(ordered, thresholds, side="right"))


def _bounds(
    counts: Sequence[NDArray[np.int64]], side: int, n: Sequence[int], delta: float, level: float
) -> NDArray[np.float64]:
    """Return the bound that each event gives, from the counts of both records; `side` is the likelier one's."""
    low = binomial_intervals(counts[side], n[side], level)[0] - delta
    high = binomial_intervals(counts[1 - side], n[1 - side], level)[1]
    return np.log(low / high, out=np.full(len(low), -np.inf), where=low > 0)


def _check(first: NDArray[Any], second: NDArray[Any], delta: float, choosing: float) -> None:
    for scores in (first, second):
        if np.ndim(scores) != 1 or len(scores) < LEAST_RELEASES or np.isnan(scores).any():
            got = f"an array of shape {np.shape(scores)}" + (", with NaN" if np.isnan(scores).any() else "")
            raise DataError(f"The scores must be at least {LEAST_RELEASES} numbers, one per release (got {got}).")
    if not (0 <= delta < 1 and 0 < choosing < 1):
        raise InvalidParameterError(
            f"delta must be from 0 to below 1, and choosing between 0 and 1 (got {delta} and {choosing})."
        )
