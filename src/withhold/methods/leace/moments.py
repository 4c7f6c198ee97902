"""Means and covariances of features and concepts, gathered a batch at a time in double precision."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from withhold.data.attributes import Attribute, Attributes

CHUNK = 65_536  # rows cast to double precision at a time


@dataclass
class CrossMoments:
    """Cross-covariance of the features with one attribute, over the rows where it is known.

    A categorical attribute is a one-hot block with a column for each level seen so far; a level that first appears in
    a later batch was zero in every earlier row, so its statistics start at zero.
    """

    levels: dict[str, int]
    n: int
    mean_x: np.ndarray
    mean_z: np.ndarray
    scatter_zz: np.ndarray
    scatter_xz: np.ndarray

    def update(self, X: Any, Z: np.ndarray) -> None:
        """Add the rows of one batch (Chan, Golub and LeVeque's pairwise update)."""
        m = Z.shape[0]
        if m == 0:
            return
        mean_x, mean_z = _mean(X), Z.mean(axis=0)
        centred = Z - mean_z
        scatter_xz = np.asarray(X.T @ centred)  # the mean of X drops out: centred sums to zero
        weight = self.n * m / (self.n + m)
        dx, dz = mean_x - self.mean_x, mean_z - self.mean_z
        self.scatter_xz += scatter_xz + weight * np.outer(dx, dz)
        self.scatter_zz += (centred**2).sum(axis=0) + weight * dz**2
        self.mean_x += dx * m / (self.n + m)
        self.mean_z += dz * m / (self.n + m)
        self.n += m

    def grow(self, levels: tuple[str, ...]) -> None:
        """Add a zero column for each level not seen before."""
        new = [level for level in levels if level not in self.levels]
        for level in new:
            self.levels[level] = len(self.levels)
        self.mean_z = np.append(self.mean_z, np.zeros(len(new)))
        self.scatter_zz = np.append(self.scatter_zz, np.zeros(len(new)))
        self.scatter_xz = np.concatenate([self.scatter_xz, np.zeros((len(self.mean_x), len(new)))], axis=1)

    def correlation_units(self) -> np.ndarray:
        """Return cov(x, z) / sd(z): columns of S in their own unit; constant ones are left out."""
        sd = np.sqrt(self.scatter_zz / max(1, self.n - 1))
        varying = sd > 0
        return self.scatter_xz[:, varying] / max(1, self.n - 1) / sd[varying]


@dataclass
class Moments:
    """Running mean and scatter of the features, and the cross-covariance with each attribute.

    Attributes
    ----------
    n : int
        Rows seen.
    mean : ndarray of shape (n_features,)
    scatter : ndarray of shape (n_features, n_features) or None
        Sum of centred products; None where only the cross-covariances are wanted.
    lowest, highest : ndarray of shape (n_features,)
    crosses : dict of str to CrossMoments
        By attribute; "joint" holds the product of several categorical ones.
    """

    mean: np.ndarray
    scatter: np.ndarray | None
    lowest: np.ndarray
    highest: np.ndarray
    n: int = 0
    crosses: dict[str, CrossMoments] = field(default_factory=dict)

    @classmethod
    def empty(cls, d: int, scatter: bool = True) -> "Moments":
        """Return the moments of no rows of `d` features."""
        scattered = np.zeros((d, d)) if scatter else None
        return cls(np.zeros(d), scattered, np.full(d, np.inf), np.full(d, -np.inf))

    @property
    def constant(self) -> np.ndarray:
        """Which columns hold one value in every row: sums over them would be rounding, so their moments are 0."""
        return np.asarray(self.lowest == self.highest)

    def update(self, X: Any, sensitive: Attributes) -> None:
        """Add a batch: a dense or sparse matrix and its attributes."""
        concepts = list(_concepts(sensitive))
        for attribute in concepts:
            d = len(self.mean)
            start = CrossMoments({}, 0, np.zeros(d), np.zeros(0), np.zeros(0), np.zeros((d, 0)))
            cross = self.crosses.setdefault(attribute.name, start)
            cross.grow(attribute.levels or ("value",))
        for begin in range(0, X.shape[0], CHUNK):
            part = slice(begin, begin + CHUNK)
            rows = X[part].astype(np.float64)
            self._add(rows)
            for attribute in concepts:
                cross, known = self.crosses[attribute.name], attribute.known[part]
                cross.update(rows if known.all() else rows[known], _design(attribute, part, known, cross.levels))

    def covariance(self) -> np.ndarray | None:
        """Return the covariance of the features with n - 1 in the denominator."""
        if self.scatter is None:
            return None
        covariance = (self.scatter + self.scatter.T) / (2 * max(1, self.n - 1))
        covariance[self.constant], covariance[:, self.constant] = 0.0, 0.0
        return np.asarray(covariance)

    def cross_covariance(self) -> np.ndarray:
        """Return the cross-covariances of all attributes side by side, each column of S in units of its spread."""
        cross = np.concatenate([cross.correlation_units() for cross in self.crosses.values()], axis=1)
        cross[self.constant] = 0.0
        return cross

    def _add(self, X: Any) -> None:
        m, mean = X.shape[0], _mean(X)
        low, high = X.min(axis=0), X.max(axis=0)
        if sp.issparse(X):
            low, high = low.toarray().ravel(), high.toarray().ravel()
        self.lowest, self.highest = np.minimum(self.lowest, low), np.maximum(self.highest, high)
        delta = mean - self.mean
        if self.scatter is not None:
            if sp.issparse(X):
                own = np.asarray((X.T @ X).todense()) - m * np.outer(mean, mean)
            else:
                own = (X - mean).T @ (X - mean)
            self.scatter += own + self.n * m / (self.n + m) * np.outer(delta, delta)
        self.mean += delta * m / (self.n + m)
        self.n += m


def _concepts(sensitive: Attributes) -> Iterator[Attribute]:
    """Each attribute, and the product of several: a linear reader may be after a combination."""
    yield from sensitive
    joint = sensitive.joint() if len(sensitive) > 1 else None
    if joint is not None:
        yield joint


def _design(attribute: Attribute, part: slice, known: np.ndarray, levels: dict[str, int]) -> np.ndarray:
    if attribute.kind == "continuous":
        return np.asarray(attribute.values[part][known, None])
    columns = np.array([levels[level] for level in attribute.levels])
    return np.asarray(np.eye(len(levels))[columns[attribute.codes[part][known]]])


def _mean(X: Any) -> np.ndarray:
    return np.asarray(X.mean(axis=0)).ravel()
