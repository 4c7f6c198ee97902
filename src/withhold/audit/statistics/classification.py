"""Scores of a guess that people know: balanced accuracy, AUC, true positives at one per cent false positives."""

import numpy as np
from scipy.stats import rankdata

from withhold.audit.statistics.arrays import Codes, Reals


def balanced_accuracy(log_ratio: Reals, s: Codes) -> float:
    """Return the mean recall of the class with the largest log q(s|z) - log p(s).

    Guessing by likelihood ratio instead of probability is what maximises balanced accuracy under unequal classes.

    Examples
    --------
    >>> balanced_accuracy(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), np.array([0, 1, 0]))
    0.75
    """
    guess = log_ratio.argmax(axis=1)
    return float(np.mean([np.mean(guess[s == c] == c) for c in np.unique(s)]))


def area_under_curve(score: Reals, positive: np.ndarray) -> float:
    """Return the probability that a positive row scores above a negative one, ties counting half.

    Examples
    --------
    >>> area_under_curve(np.array([0.1, 0.9, 0.8]), np.array([False, True, False]))
    1.0
    """
    ranks = rankdata(score)
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    return float((ranks[positive].sum() - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))


def true_positive_rate(score: Reals, positive: np.ndarray, false_positive_rate: float = 0.01) -> float:
    """Return the share of positives above the threshold that at most `false_positive_rate` of negatives exceed.

    Examples
    --------
    >>> true_positive_rate(np.array([0.1, 0.9, 0.8]), np.array([False, True, False]))
    1.0
    """
    negatives = np.sort(score[~positive])
    allowed = int(np.floor(false_positive_rate * len(negatives)))
    threshold = negatives[len(negatives) - 1 - allowed]
    return float(np.mean(score[positive] > threshold))


def one_against_rest(log_ratio: Reals, s: Codes) -> tuple[float | None, float | None]:
    """Return macro AUC and macro true-positive rate at one per cent; None when fewer than two classes are present.

    Examples
    --------
    >>> one_against_rest(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([0, 1]))
    (1.0, 1.0)
    """
    present = np.unique(s)
    if len(present) < 2:
        return None, None
    if log_ratio.shape[1] == 2:
        # Two classes: the second against the first, once.
        present = np.array([1])
    areas, rates = [], []
    for c in present:
        rest = np.delete(log_ratio, c, axis=1).max(axis=1)
        score = log_ratio[:, c] - rest
        areas.append(area_under_curve(score, s == c))
        rates.append(true_positive_rate(score, s == c))
    return float(np.mean(areas)), float(np.mean(rates))
