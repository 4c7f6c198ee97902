"""What becomes of an original, learned from pairs of original and released records: a regression and its spread."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.covariance import ledoit_wolf

from withhold.audit.statistics.arrays import Reals
from withhold.data.splits import split_rows

# Random hidden units: with as many features a ridge regression bends where a network would.
HIDDEN = 512
PENALTIES = (1e-6, 1e-4, 1e-2, 1e-1, 1.0)
# Part of the rows on which the penalty is chosen and the spread around the regression is measured.
INNER = 0.2
# Of the variance of a coordinate: a deviation below this is rounding.
LEAST_VARIANCE = 1e-8


@dataclass(frozen=True)
class Correspondence:
    """Expected release of an original, and coordinates in which deviations from it are alike in all directions.

    Attributes
    ----------
    hidden : tuple of ndarray or None
        Weights and offsets of the random units.
    centre, spread : ndarray
        Of the features of the training rows.
    weights : ndarray of shape (q, k)
    offset : ndarray of shape (k,)
        Mean release.
    root : ndarray of shape (k, k)
        Square root of the inverse covariance of deviations.
    """

    hidden: tuple[Reals, Reals] | None
    centre: Reals
    spread: Reals
    weights: Reals
    offset: Reals
    root: Reals

    @classmethod
    def fit(
        cls, X: NDArray[np.floating], Z: NDArray[np.floating], rng: np.random.Generator, bent: bool = False
    ) -> Self:
        """Regress `Z` on `X`, linearly or with random hidden units.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            Originals.
        Z : ndarray of shape (n, k)
            What was released of each.
        bent : bool
            Whether to add the hidden units.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(500, 3))
        >>> found = Correspondence.fit(X, X @ rng.normal(size=(3, 2)), rng)
        >>> found.deviations(X, X @ np.zeros((3, 2))).shape
        (500, 2)
        """
        n, p = X.shape
        hidden = None
        if bent:
            hidden = (rng.normal(size=(p, HIDDEN)) / np.sqrt(max(p, 1)), rng.normal(size=HIDDEN))
        features = _features(X, hidden)
        kept, held = split_rows(n, INNER, rng)
        centre, spread = features[kept].mean(axis=0), features[kept].std(axis=0)
        spread = np.where(spread > 1e-9, spread, 1.0)
        features = (features - centre) / spread
        offset = Z[kept].mean(axis=0, dtype=np.float64)
        target = Z[kept] - offset
        values, vectors = np.linalg.eigh(features[kept].T @ features[kept] / len(kept))
        turned = vectors.T @ (features[kept].T @ target) / len(kept)
        best: tuple[float, Reals, Reals] | None = None
        for penalty in PENALTIES:
            weights = vectors @ (turned / (np.maximum(values, 0.0) + penalty)[:, None])
            deviation = Z[held] - offset - features[held] @ weights
            loss = float((deviation**2).sum())
            if best is None or loss < best[0]:
                best = (loss, weights, deviation)
        _, weights, deviation = best if best is not None else (0.0, turned, target)
        # Each coordinate has its own spread; only correlations are shrunk.
        scale = np.sqrt(
            np.maximum(deviation.var(axis=0), LEAST_VARIANCE * np.maximum(target.var(axis=0), LEAST_VARIANCE))
        )
        variances, axes = np.linalg.eigh(ledoit_wolf(deviation / scale)[0])
        root = (axes / np.sqrt(np.maximum(variances, LEAST_VARIANCE))) / scale[:, None]
        return cls(hidden, centre, spread, weights, offset, root)

    def expected(self, X: NDArray[np.floating]) -> Reals:
        """Return the expected release of `X`, in coordinates of equal deviation."""
        features = (_features(X, self.hidden) - self.centre) / self.spread
        return np.asarray((self.offset + features @ self.weights) @ self.root)

    def placed(self, Z: NDArray[np.floating]) -> Reals:
        """Return released records in the same coordinates."""
        return np.asarray(Z.astype(np.float64) @ self.root)

    def deviations(self, X: NDArray[np.floating], Z: NDArray[np.floating]) -> Reals:
        """Return how far each release lies from what was expected of its original."""
        return np.asarray(self.placed(Z) - self.expected(X))


def _features(X: NDArray[np.floating], hidden: tuple[Reals, Reals] | None) -> Reals:
    plain = X.astype(np.float64)
    if hidden is None:
        return plain
    weights, offsets = hidden
    return np.hstack([plain, np.maximum(plain @ weights + offsets, 0.0)])
