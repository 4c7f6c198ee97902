"""Logistic regression on the classes of rows that a row names, or that name it, where these are known."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.attackers.logistic import fit_logistic
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.audit.view.links import Rows


class Links(Attacker):
    """Knows the classes of the training rows and reads those a row is linked with, over one link and over two."""

    name: ClassVar[str] = "links"
    inputs: ClassVar[InputKind] = "links"

    def fit(self, X: NDArray[Any], s: Codes, rng: np.random.Generator) -> Self:
        """Note the class of each row, then fit on those of other rows; deterministic, `rng` is not used."""
        self._classes = int(s.max()) + 1
        size = int(X.max()) + 1
        self._known = np.full(size + 1, -1)
        self._known[X[:, 0]] = s
        self._links = np.full((size + 1, X.shape[1] - 1), -1)
        self._links[X[:, 0]] = X[:, 1:]
        self._model = fit_logistic(self._features(X), s)
        return self

    def log_proba(self, X: NDArray[Any]) -> Reals:
        """Return log-probabilities of the classes."""
        return self._model.log_proba(self._features(X))

    def _features(self, X: Rows) -> Matrix:
        """Return the class of each linked row as indicators, none where it is unknown or the row itself."""
        own = X[:, 0]
        parts = []
        for column in range(1, X.shape[1]):
            near = X[:, column]
            parts.append(self._class_of(near, own))
            # The last entry stands for every row that was not learned from.
            beyond = self._links[np.where((near >= 0) & (near < len(self._links)), near, -1)]
            parts += [self._class_of(far, own) for far in beyond.T]
        return np.hstack(parts)

    def _class_of(self, rows: Rows, own: Rows) -> Matrix:
        inside = (rows >= 0) & (rows < len(self._known) - 1) & (rows != own)
        codes = np.where(inside, self._known[np.where(inside, rows, -1)], -1)
        return np.asarray(codes[:, None] == np.arange(self._classes), dtype=np.float32)
