"""Boosted trees that are fitted on any column.

scikit-learn's cannot cut a column into cells where none of the rows has a value: an empty column of an export, or a
laboratory value that nobody has in one fold, in the rows kept for stopping, in the sample that cells are made of.
"""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

# Where so few rows have a value, or so small a share, some part of the rows may have none at all.
FEW_ROWS, FEW = 64, 1e-3
# Trees keep a count of every cell of every column for each of their leaves: beyond so many cells (from 1,569 columns
# on) a column is cut into fewer, and none is left out. Where cells are many for the rows, looking through them takes
# most of the time: on 479 columns of 1,700 rows three quarters of it.
MOST_CELLS, CELLS_PER_ROW, FEWEST_BINS, USUAL_BINS = 400_000, 20, 32, 255


def cells_for(rows: int, columns: int) -> int:
    """Return into how many cells at most trees cut each of so many columns.

    Examples
    --------
    >>> cells_for(50_000, 64), cells_for(400, 20), cells_for(1_700, 479), cells_for(50_000, 10_000)
    (255, 255, 70, 40)
    """
    most = min(MOST_CELLS, CELLS_PER_ROW * rows)
    return max(FEWEST_BINS, min(USUAL_BINS, most // max(1, columns)))


class _AnyColumn:
    """Puts a number below all values where a value is missing from a column of few: missing stays told from known."""

    max_bins: int

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Self:
        """Fit on rows `X`, NaN where a value is missing."""
        known = len(X) - np.count_nonzero(np.isnan(X), axis=0)
        hollow = np.flatnonzero((known < len(X)) & (known <= max(FEW_ROWS, FEW * len(X))))
        lowest = np.nanmin(X[:, hollow], axis=0, initial=0.0)
        self._filled_with = np.full(X.shape[1], np.nan, X.dtype)
        self._filled_with[hollow] = lowest - np.abs(lowest) - 1.0
        self.max_bins = min(self.max_bins, cells_for(*X.shape))
        super().fit(self._filled(X), y)  # type: ignore[misc]
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the guesses for rows `X`."""
        return np.asarray(super().predict(self._filled(X)))  # type: ignore[misc]

    def staged_predict(self, X: NDArray[Any]) -> Iterator[NDArray[Any]]:
        """Yield the guesses for rows `X` after each round."""
        yield from super().staged_predict(self._filled(X))  # type: ignore[misc]

    def _filled(self, X: NDArray[Any]) -> NDArray[Any]:
        hollow = np.flatnonzero(~np.isnan(self._filled_with))
        if not len(hollow):
            return X
        X = X.copy()
        X[:, hollow] = np.where(np.isnan(X[:, hollow]), self._filled_with[hollow], X[:, hollow])
        return X


class TreeClassifier(_AnyColumn, HistGradientBoostingClassifier):
    """scikit-learn's `HistGradientBoostingClassifier`, for any column.

    Examples
    --------
    >>> X = np.array([[0.0, np.nan], [1.0, np.nan]] * 20)
    >>> TreeClassifier(max_iter=5).fit(X, X[:, 0]).predict(X[:2]).tolist()
    [0.0, 1.0]
    """

    def predict_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return the probabilities of the classes for rows `X`."""
        return np.asarray(super().predict_proba(self._filled(X)))

    def staged_predict_proba(self, X: NDArray[Any]) -> Iterator[NDArray[Any]]:
        """Yield the probabilities of the classes for rows `X` after each round."""
        yield from super().staged_predict_proba(self._filled(X))


class TreeRegressor(_AnyColumn, HistGradientBoostingRegressor):
    """scikit-learn's `HistGradientBoostingRegressor`, for any column.

    Examples
    --------
    >>> X = np.array([[0.0, np.nan], [1.0, np.nan]] * 20)
    >>> TreeRegressor(max_iter=200).fit(X, X[:, 0]).predict(X[:2]).round(2).tolist()
    [0.0, 1.0]
    """
