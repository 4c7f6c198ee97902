"""Calibration of a classifier on rows it was not fitted on: temperature, a bias per class, a share of prior."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]

# Every calibrated guess holds at least this share of the prior, so that no single record can dominate the mean.
PRIOR_WEIGHT = 0.01


@dataclass(frozen=True)
class Calibration:
    """log q = log( (1-w) softmax(t (log q0 - log p) + b + log p) + w p ), with t >= 0.

    A temperature t of zero is the prior: a classifier that learned nothing costs nothing.
    """

    temperature: float
    bias: Reals
    log_prior: Reals

    def apply(self, log_proba: Reals) -> Reals:
        """Return calibrated log-probabilities, shape (n, k)."""
        ratio = np.clip(log_proba - self.log_prior, -30.0, 30.0)
        sharp = log_softmax(self.temperature * ratio + self.bias + self.log_prior, axis=-1)
        return np.asarray(np.logaddexp(np.log1p(-PRIOR_WEIGHT) + sharp, np.log(PRIOR_WEIGHT) + self.log_prior))


def fit_calibration(log_proba: Reals, s: Codes, log_prior: Reals) -> Calibration:
    """Fit temperature and biases by penalised maximum likelihood.

    The penalty is worth about one record: it decides on ten rows and vanishes on a thousand.

    Parameters
    ----------
    log_proba : ndarray of shape (n, k)
        Guesses on held rows.
    s : ndarray of shape (n,)
        Their classes.
    log_prior : ndarray of shape (k,)
        Logarithm of the class frequencies of the training fold.

    Examples
    --------
    >>> prior = np.log([0.5, 0.5])
    >>> sure = np.log([[0.999, 0.001]] * 50 + [[0.001, 0.999]] * 50)
    >>> fit_calibration(sure, np.array([0, 1] * 50), prior).temperature < 0.01
    True
    """
    k = len(log_prior)
    if len(s) == 0:
        return Calibration(0.0, np.zeros(k), log_prior)
    ratio = np.clip(log_proba - log_prior, -30.0, 30.0)
    target = np.eye(k)[s]
    n = len(s)

    def objective(theta: Reals) -> tuple[float, Reals]:
        log_q = log_softmax(theta[0] * ratio + theta[1:] + log_prior, axis=-1)
        loss = -log_q[np.arange(n), s].sum() + 0.5 * theta[0] ** 2 + theta[1:] @ theta[1:]
        residual = np.exp(log_q) - target
        gradient = np.concatenate([[(residual * ratio).sum() + theta[0]], residual.sum(axis=0) + 2 * theta[1:]])
        return float(loss) / n, gradient / n

    start = np.concatenate([[0.5], np.zeros(k)])
    bounds = [(0.0, 5.0), *[(-5.0, 5.0)] * k]
    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60})
    return Calibration(float(found.x[0]), np.asarray(found.x[1:]), log_prior)
