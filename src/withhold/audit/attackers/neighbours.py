"""Nearest neighbours: finds clusters, near-duplicates and anything that is only local."""

from typing import ClassVar, Self

import numpy as np
from sklearn.neighbors import NearestNeighbors

from withhold.audit.attackers.attacker import Attacker, Codes, InputKind, Matrix, Reals

# A few neighbours see duplicates, many see regions; their frequencies are averaged and calibrated afterwards.
FEW, MANY = 5, 50
DIRECTIONS = 256


class Neighbours(Attacker):
    """Class frequencies among the nearest rows, smoothed with the prior."""

    name: ClassVar[str] = "neighbours"
    inputs: ClassVar[InputKind] = "dense"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Keep the rows, or a random part of them, as the reference."""
        rows = np.arange(len(X))
        if len(rows) > self.effort.neighbour_rows:
            rows = np.sort(rng.choice(len(rows), self.effort.neighbour_rows, replace=False))
        self._prior = np.bincount(s) / len(s)
        self._classes = np.eye(len(self._prior))[s[rows]]
        self._index = NearestNeighbors(algorithm="brute").fit(np.ascontiguousarray(X[rows, :DIRECTIONS]))
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-frequencies averaged over the two neighbourhood sizes."""
        many = min(MANY, len(self._classes))
        near = self._index.kneighbors(np.ascontiguousarray(X[:, :DIRECTIONS]), many, return_distance=False)
        total = np.zeros((len(X), len(self._prior)))
        for size in (min(FEW, many), many):
            counts = self._classes[near[:, :size]].sum(axis=1)
            total += (counts + self._prior) / (size + 1.0)
        return np.asarray(np.log(total / total.sum(axis=1, keepdims=True)))
