"""Logistic regression: finds what any linear reading of the release finds."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.special import log_softmax

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.contracts.errors import NumericalError

# Weak on purpose: a stronger ridge hides rare one-hot columns, from which linear erasure is read back.
RIDGE = 1.0
ITERATIONS = 100
# Wider inputs than this are fitted column by column: factorising their covariance would cost more than it saves.
WIDEST = 1_536
# Rows added up in single precision before they join the sums in double precision.
CHUNK = 8_192
# The fit ends where no direction of unit curvature promises more than this squared, in nats over all rows.
SLOPE = 0.003


def product(A: Matrix, B: Matrix) -> Matrix:
    """Return A @ B, which must be finite.

    OpenBLAS may raise the flag of an invalid operation for lanes of its buffers that are no part of the product
    (numpy#24067), so the flag says nothing; an operation of the product itself would leave NaN in it.

    Examples
    --------
    >>> product(np.array([[np.inf, 1.0]], np.float32), np.array([[0.0], [1.0]], np.float32))
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.NumericalError: A product of finite numbers came out infinite or as NaN.
    """
    with np.errstate(invalid="ignore"):
        found = A @ B
    if not np.isfinite(found).all():
        raise NumericalError("A product of finite numbers came out infinite or as NaN.")
    return found


@dataclass(frozen=True)
class Linear:
    """A multinomial logistic model.

    Attributes
    ----------
    slopes : ndarray of shape (p, k)
    offsets : ndarray of shape (k,)
        One column a class; those of two classes are opposite.
    """

    slopes: Reals
    offsets: Reals

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities; scores are taken as they are, a rounded probability could be zero."""
        scores = product(X, self.slopes.astype(np.float32)).astype(np.float64) + self.offsets
        return np.asarray(log_softmax(scores, axis=-1))


def fit_logistic(X: Matrix, s: Codes, ridge: float = RIDGE) -> Linear:
    """Fit a multinomial logistic regression; stopping early under-states a leak and is no error.

    The minimum of cross-entropy + ridge/2 |slopes|^2 is searched by L-BFGS in coordinates in which the columns are
    uncorrelated, where a dozen steps do what takes a hundred along correlated columns.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    s : ndarray of shape (n,)
        Classes 0..k-1, each present.

    Examples
    --------
    >>> X = np.array([[-1.0], [1.0], [-1.0], [1.0]], np.float32)
    >>> fitted = fit_logistic(X, np.array([0, 1, 1, 1]))
    >>> fitted.log_proba(X).argmax(axis=1).tolist()
    [1, 1, 1, 1]
    """
    n, k = len(X), int(s.max()) + 1
    # One score tells two classes apart.
    scores = 1 if k == 2 else k
    with_one = np.column_stack([X, np.ones(n, np.float32)])
    p = with_one.shape[1]
    shares = np.bincount(s, minlength=k) / n
    curvature = float((shares * (1.0 - shares)).mean()) if k > 2 else float(shares[0] * shares[1])
    penalty = np.append(np.full(p - 1, ridge), 0.0)[:, None]
    turn = _coordinates(with_one, curvature, penalty[:, 0])
    target = np.zeros((n, k), np.float32)
    target[np.arange(n), s] = 1.0

    def turned(vectors: Reals, back: bool) -> Reals:
        if turn.ndim == 1:
            return turn[:, None] * vectors
        return np.asarray((turn.T if back else turn) @ vectors)

    def objective(flat: Reals) -> tuple[float, Reals]:
        weights = turned(flat.reshape(p, scores), False)
        logits = product(with_one, weights.astype(np.float32))
        loss, residual = _two_classes(logits, s) if scores == 1 else _many_classes(logits, s, target)
        slope = product(with_one.T, residual).astype(np.float64) + penalty * weights
        return loss + float(0.5 * (penalty * weights**2).sum()), turned(slope, True).ravel()

    start = np.zeros((p, scores))
    options = {"maxiter": ITERATIONS, "gtol": SLOPE, "ftol": 1e-10}
    found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    weights = turned(found.x.reshape(p, scores), False)
    if scores == 1:
        weights = np.hstack([-weights / 2, weights / 2])
    return Linear(weights[:-1], weights[-1])


def _coordinates(X: Matrix, curvature: float, penalty: Reals) -> Reals:
    """Return A such that the loss at its start is about as curved in every direction of v, weights = A v.

    Of many columns only its diagonal, as a vector.
    """
    n, p = X.shape
    if p > WIDEST:
        diagonal = np.einsum("ij,ij->j", X, X, dtype=np.float64)
        return np.asarray(1.0 / np.sqrt(curvature * diagonal + penalty + 1e-6 * n))
    second = np.zeros((p, p))
    for start in range(0, n, CHUNK):
        part = X[start : start + CHUNK]
        second += part.T @ part
    # Only speed depends on these coordinates: a little is added so that collinear columns cannot stop it.
    second = curvature * second + np.diag(penalty + 1e-6 * curvature * np.trace(second) / p + 1e-9)
    return np.asarray(solve_triangular(cholesky(second, lower=True), np.eye(p), lower=True).T)


def _two_classes(logits: Matrix, s: Codes) -> tuple[float, Matrix]:
    score = logits[:, 0]
    signed = np.where(s == 1, -score, score)
    loss = float(np.logaddexp(np.float32(0.0), signed).sum(dtype=np.float64))
    return loss, (1.0 / (1.0 + np.exp(-np.clip(score, -60.0, 60.0))) - s).astype(np.float32)[:, None]


def _many_classes(logits: Matrix, s: Codes, target: Matrix) -> tuple[float, Matrix]:
    logits -= logits.max(axis=1, keepdims=True)
    likely = np.exp(logits)
    total = likely.sum(axis=1)
    loss = np.log(total).sum(dtype=np.float64) - logits[np.arange(len(s)), s].sum(dtype=np.float64)
    return float(loss), likely / total[:, None] - target


class Logistic(Attacker):
    """Multinomial logistic regression on one-hot columns and standardised numbers."""

    name: ClassVar[str] = "logistic"
    inputs: ClassVar[InputKind] = "dense"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Fit by L-BFGS; deterministic, `rng` is not used."""
        self._model = fit_logistic(X, s)
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes."""
        return self._model.log_proba(X)
