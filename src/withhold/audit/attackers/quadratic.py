"""Quadratic discriminant analysis: finds classes that differ in mean, scale or correlation."""

from typing import ClassVar, Self

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import log_softmax

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# More directions than this cost cubically and are estimated badly; the view orders them by variance.
DIRECTIONS = 256
# Even the best-estimated covariance is drawn a little towards the pooled one, so that constants cannot divide by zero.
LEAST_SHRINKAGE = 0.02


class Quadratic(Attacker):
    """Gaussian classes, each covariance shrunk towards the pooled one as far as the class is small."""

    name: ClassVar[str] = "qda"
    inputs: ClassVar[InputKind] = "whitened"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Fit means and shrunken covariances; deterministic, `rng` is not used."""
        X = X[:, :DIRECTIONS].astype(np.float64)
        n, d = X.shape
        k = int(s.max()) + 1
        counts = np.bincount(s, minlength=k)
        self._log_prior = np.log(counts / n)
        self._means = np.stack([X[s == c].mean(axis=0) for c in range(k)])
        centred = X - self._means[s]
        pooled = centred.T @ centred / n
        pooled[np.diag_indices(d)] += LEAST_SHRINKAGE * (np.trace(pooled) / d + 1e-6)
        self._factors: list[Reals] = []
        for c in range(k):
            shrinkage = max(LEAST_SHRINKAGE, d / (d + counts[c]))
            own = centred[s == c]
            covariance = (1 - shrinkage) * (own.T @ own) / counts[c] + shrinkage * pooled
            root = cholesky(covariance, lower=True)
            # Rows are many: the inverse is worked out once.
            self._factors.append(solve_triangular(root, np.eye(d), lower=True).T)
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes by Bayes' rule."""
        X = X[:, :DIRECTIONS].astype(np.float64)
        joint = np.empty((len(X), len(self._means)))
        for c, (mean, factor) in enumerate(zip(self._means, self._factors, strict=True)):
            turned = (X - mean) @ factor
            joint[:, c] = self._log_prior[c] - 0.5 * (turned**2).sum(axis=1) + np.log(np.diag(factor)).sum()
        return np.asarray(log_softmax(joint, axis=-1))
