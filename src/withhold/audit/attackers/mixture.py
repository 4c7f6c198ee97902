"""The panel together: one more guess, pooled from those of all members, which is usually the best.

Members see different traces of the same attribute: on a noisy representation neighbours find .020 nat, a network .014
and trees .006, their pool .025. The weights are fitted on the rows the members are calibrated on.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from withhold.audit.statistics.arrays import Codes, Reals
from withhold.information.calibration import PRIOR_WEIGHT

NAME = "mixture"
# Fewer rows than this cannot weigh members against each other.
LEAST_ROWS = 60
MOST_WEIGHT, MOST_BIAS = 3.0, 5.0


@dataclass(frozen=True)
class Mixture:
    """log q = log( (1-w) softmax(sum_j a_j r_j + b + log p) + w p ), r_j the log-ratio of member j and a_j >= 0.

    All a_j zero is the prior: members that learned nothing cost nothing.
    """

    weights: Reals
    bias: Reals
    log_prior: Reals

    def ratio(self, ratios: Reals) -> Reals:
        """Return log q(c|z) - log p(c), shape (n, k), from the members' log-ratios, shape (j, n, k)."""
        sharp = log_softmax(np.tensordot(self.weights, ratios, axes=1) + self.bias + self.log_prior, axis=-1)
        mixed = np.logaddexp(np.log1p(-PRIOR_WEIGHT) + sharp, np.log(PRIOR_WEIGHT) + self.log_prior)
        return np.asarray(mixed - self.log_prior)


def fit_mixture(ratios: Reals, s: Codes, log_prior: Reals) -> Mixture:
    """Fit weights and biases by penalised maximum likelihood, starting at the best member alone.

    Parameters
    ----------
    ratios : ndarray of shape (j, n, k)
        Calibrated log-ratios of the members on held rows.
    s : ndarray of shape (n,)
        Classes of the rows.
    log_prior : ndarray of shape (k,)
        Logarithm of the class frequencies of the training fold.

    Examples
    --------
    >>> s, rng = np.tile([0, 1], 500), np.random.default_rng(0)
    >>> seen = [rng.normal(size=1000) + 2 * s - 1 for _ in range(2)]
    >>> ratios = np.stack([np.column_stack([-x, x]) for x in seen] + [np.zeros((1000, 2))])
    >>> (fit_mixture(ratios, s, np.log([0.5, 0.5])).weights > 0.5).tolist()
    [True, True, False]
    """
    members, n, k = ratios.shape
    target = np.eye(k)[s]
    alone = ratios[:, np.arange(n), s].mean(axis=1)

    def objective(theta: Reals) -> tuple[float, Reals]:
        weights, bias = theta[:members], theta[members:]
        log_q = log_softmax(np.tensordot(weights, ratios, axes=1) + bias + log_prior, axis=-1)
        # The penalty is worth about one record a member.
        loss = -log_q[np.arange(n), s].sum() + 0.5 * weights @ weights + bias @ bias
        residual = np.exp(log_q) - target
        gradient = np.concatenate([np.einsum("ik,jik->j", residual, ratios) + weights, residual.sum(axis=0) + 2 * bias])
        return float(loss) / n, gradient / n

    start = np.zeros(members + k)
    start[int(alone.argmax())] = 1.0
    bounds = [(0.0, MOST_WEIGHT)] * members + [(-MOST_BIAS, MOST_BIAS)] * k
    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60})
    return Mixture(np.asarray(found.x[:members]), np.asarray(found.x[members:]), log_prior)


def pool(
    held: Mapping[str, Reals], rest: Mapping[str, Reals], s: Codes, log_prior: Reals, rng: np.random.Generator
) -> tuple[Reals, Reals]:
    """Pool members by weights fitted on held rows.

    Parameters
    ----------
    held, rest : mapping of str to ndarray of shape (n, k)
        Calibrated log-ratios of each member on the held rows and on the rows to guess.
    s : ndarray
        Classes of the held rows.
    log_prior : ndarray of shape (k,)
        Of the training fold.
    rng : Generator
        Halves the held rows.

    Returns
    -------
    ndarray of shape (n, k)
        Log-ratios of the pool on the rows to guess; zeros, the prior, where there is too little to pool.
    ndarray of shape (n,)
        What the pool reads of each held row with the weights of the other half of them. The score on the rows of its
        own weights would flatter the pool and win over a better member.
    """
    if len(held) < 2 or len(s) < LEAST_ROWS:
        shape = next(iter(rest.values())).shape if rest else (0, len(log_prior))
        return np.zeros(shape), np.full(len(s), -np.inf)
    known = np.stack(list(held.values())).astype(np.float64)
    half: NDArray[np.bool_] = rng.permutation(len(s)) % 2 == 0
    score = np.zeros(len(s))
    for here in (half, ~half):
        guess = fit_mixture(known[:, ~here], s[~here], log_prior).ratio(known[:, here])
        score[here] = guess[np.arange(len(guess)), s[here]]
    fitted = fit_mixture(known, s, log_prior)
    return fitted.ratio(np.stack([rest[name] for name in held])), score
