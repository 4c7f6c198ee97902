"""The one interface of all estimators: `fit` on two variables, `estimate` a quantity that says what it is."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from scipy.stats import t
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from withhold.contracts.errors import InvalidTypeError, NumericalError
from withhold.contracts.quantity import Quantity, check_level
from withhold.information.estimators.inputs import Pair, read_pair


class InformationEstimator(BaseEstimator, ABC):
    """Estimates the mutual information of two variables in nats.

    Floats are continuous; strings, booleans and integers of at most 20 values are classes. Rows are taken as
    independent records. What is trained is valued on rows it was not trained on.

    Attributes
    ----------
    least : int
        Rows needed.
    takes : tuple of str
        Which pairs: both continuous, one of each, both discrete.
    """

    least: ClassVar[int] = 40
    takes: ClassVar[tuple[str, ...]] = ("continuous", "mixed", "discrete")
    level: float

    def fit(self, a: Any, b: Any) -> Self:
        """Measure how much `a` and `b` tell about each other.

        Parameters
        ----------
        a, b : array_like of shape (n,) or (n, columns)
        """
        check_level(self.level)
        pair = read_pair(a, b, self.least)
        if pair.kind not in self.takes:
            raise InvalidTypeError(
                f"The pair given to {type(self).__name__} must be {' or '.join(self.takes)} (got {pair.kind}). Cast: "
                "floats are numbers, strings and integers are classes. MINE and KSG take any pair."
            )
        found = self._measure(pair)
        self.quantity_ = found
        return self

    def estimate(self) -> Quantity:
        """Return the information with its kind, interval and number of rows."""
        if not hasattr(self, "quantity_"):
            raise NotFittedError(f"{type(self).__name__} has not been fitted. Call fit(a, b).")
        return self.quantity_

    @abstractmethod
    def _measure(self, pair: Pair) -> Quantity:
        """Return the quantity for a checked pair."""


def check_finite(value: float, name: str) -> float:
    """Return `value`; a NaN or infinity is an error that names the estimator.

    Examples
    --------
    >>> check_finite(0.5, "MINE")
    0.5
    """
    if np.isfinite(value):
        return float(value)
    raise NumericalError(f"{name} became {float(value)!r}: its critic ran away. Lower the rate, or use fewer steps.")


def interval(contributions: np.ndarray, value: float, level: float) -> tuple[float, float]:
    """Return the interval around `value`, a mean of contributions that are nearly independent, by Student's t.

    Examples
    --------
    >>> low, high = interval(np.array([0.0, 1.0, 2.0]), 1.0, 0.95)
    >>> round(low, 3), round(high, 3)
    (-1.484, 3.484)
    """
    n = len(contributions)
    reach = float(t.isf((1 - level) / 2, n - 1)) * float(np.std(contributions, ddof=1)) / n**0.5
    return value - reach, value + reach
