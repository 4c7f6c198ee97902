"""Randomised response with k answers: for labels and categorical conditions.

The true answer is kept with probability e^eps / (e^eps + k - 1), else one of the others is given, all alike (Warner,
1965; Kairouz, Oh and Viswanath, 2016). The probability of another answer is rounded up to a multiple of 2^-64, so that
the log-ratio of the program's own coin is at most epsilon.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.contracts.checks import refused
from withhold.contracts.errors import DataError
from withhold.privacy.exact_sampling import random_words, uniform_below
from withhold.privacy.expansion import share
from withhold.privacy.mechanism import Enumeration, Exact, Mechanism, exact

_ONE = 1 << 64


class RandomisedResponse(Mechanism):
    """Keep a category or give another one: pure epsilon for codes 0 ... k - 1.

    Parameters
    ----------
    epsilon : int, float, str or Fraction
        Exact; floats are read as they print.
    categories : int
        k, the number of possible answers, which must be public.

    Examples
    --------
    >>> mechanism = RandomisedResponse(2, categories=10)
    >>> round(mechanism.kept, 3)
    0.451
    >>> answers = mechanism.randomise(np.zeros(1000, dtype=int))
    >>> bool(300 < (answers == 0).sum() < 600)
    True
    """

    reference = "kairouz2016extremal"

    def __init__(self, epsilon: Exact, categories: int) -> None:
        self.epsilon = exact(epsilon, "epsilon", "RandomisedResponse")
        if categories < 2:
            raise refused("categories", "at least 2", categories)
        self.categories = int(categories)
        # exp(-eps) / (exp(-eps) + 1 / (k - 1)): the probability of another answer.
        self._others = share(self.epsilon, Fraction(1, self.categories - 1)).floor(64) + 1

    @property
    def kept(self) -> float:
        """The probability of the true answer."""
        return (_ONE - self._others) / _ONE

    def randomise(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Return an answer for each code."""
        codes = self._codes(values)
        moved = random_words(len(codes)) < self._others
        shift = 1 + uniform_below(self.categories - 1, len(codes))
        return np.where(moved, (codes + shift) % self.categories, codes)

    def log_probabilities(self, value: NDArray[Any], outputs: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-probability of each answer for one code."""
        kept = math.log((_ONE - self._others) / _ONE)
        other = math.log(self._others / _ONE / (self.categories - 1))
        return np.where(np.asarray(outputs) == value, kept, other)

    def covered(self) -> tuple[str, ...]:
        """Return what of a record the promise extends to."""
        return (f"which of the {self.categories} categories it has",)

    @classmethod
    def enumeration(cls) -> Enumeration:
        """Return three categories."""
        return Enumeration(cls("3/2", categories=3), np.arange(3), np.arange(3), complete=True)

    def _codes(self, values: NDArray[Any]) -> NDArray[np.int64]:
        codes = np.asarray(values)
        whole = codes.ndim == 1 and np.issubdtype(codes.dtype, np.integer)
        if whole and (not len(codes) or (codes.min() >= 0 and codes.max() < self.categories)):
            return codes.astype(np.int64)
        got = f"{codes.dtype} of shape {codes.shape}" if not whole else f"codes {codes.min()} to {codes.max()}"
        raise DataError(
            f"Answers to randomise must be integers from 0 to {self.categories - 1}, one per record (got {got}). "
            "List all categories beforehand, a missing one too."
        )
