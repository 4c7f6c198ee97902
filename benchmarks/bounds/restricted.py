"""The restricted cardinality sequence of AIOI (Sec. 2.1, below Lemma 2.1), as published.

For |Z| = 2, 3, ... the paper minimises -I(U;Z) + penalty * max(0, I(S;Z) - k)^2 over channels p(z|u, s), written as a
softmax, with Adam (learning rate 0.01, 10,000 steps, one start; the penalty ten times larger at k = 0, and the logits
of one budget are where the next begins). The problem is not convex: each number is what one search reached. Where it
meets the budget it is an **upper** bound on the minimum with that many values of Z - never a certified lower bound on
the loss, though the paper's figures show it as one. Where it does not, `repaired` erases Z at random until it does.

Departures: 0 log 0 is 0 (NaN in the authors' code); every cardinality has its own I(S;Z) (one row is reused there).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from withhold.information.bounds.mechanism import Mechanism
from withhold.information.measures.joint import check_joint

Reals = NDArray[np.float64]

RATE = 1e-2
DECAY = (0.9, 0.999)
STEADY = 1e-8
AT_ZERO = 10.0


@dataclass(frozen=True)
class Restricted:
    """One element of the sequence.

    Attributes
    ----------
    values : int
        |Z|.
    budget : float
    found : Mechanism
        What the search reached; it may leak more than the budget.
    repaired : Mechanism
        The same with Z erased as often as the budget needs: its uncertainty is an upper bound on the least H(U|Z) with
        |Z| + 1 values.
    """

    values: int
    budget: float
    found: Mechanism
    repaired: Mechanism


def restricted_cardinality(
    joint: ArrayLike,
    budgets: Sequence[float],
    values: int,
    *,
    penalty: float = 100.0,
    steps: int = 10_000,
    seed: int = 0,
) -> list[Restricted]:
    """Search channels with `values` values of Z, one budget after the other.

    Parameters
    ----------
    joint : array_like, shape (n_u, n_s)
    budgets : sequence of float
    values : int
        |Z|.
    penalty, steps, seed
        As published: 100 (the notebook), 10,000, one start.

    Returns
    -------
    list of Restricted

    Examples
    --------
    >>> found = restricted_cardinality([[0.45, 0.05], [0.05, 0.45]], [0.1], 2, steps=2000)[0]
    >>> 0.342 < found.repaired.uncertainty < 0.6  # at least the true minimum, ln 2 - .351902
    True
    """
    p = check_joint(joint)
    logits = np.random.default_rng(seed).normal(scale=(2.0 / (p.size + values)) ** 0.5, size=(values, *p.shape))
    silent = Mechanism.of(p[None], p)
    out = []
    for k in budgets:
        weight = penalty * (AT_ZERO if k <= 0 else 1.0)
        logits = _search(p, logits, float(k), weight, steps)
        found = Mechanism.of(_softmax(logits) * p, p)
        out.append(Restricted(values, float(k), found, found.repaired(float(k), silent)))
    return out


def _search(p: Reals, logits: Reals, budget: float, penalty: float, steps: int) -> Reals:
    first, second = np.zeros_like(logits), np.zeros_like(logits)
    log_u, log_s = np.log(np.maximum(p.sum(axis=1), 1e-300)), np.log(np.maximum(p.sum(axis=0), 1e-300))
    for step in range(1, steps + 1):
        channel = _softmax(logits)
        atoms = channel * p
        of_u, of_s = atoms.sum(axis=2), atoms.sum(axis=1)
        log_z = np.log(np.maximum(of_u.sum(axis=1), 1e-300))[:, None]
        tells_u = np.log(np.maximum(of_u, 1e-300)) - log_z - log_u
        tells_s = np.log(np.maximum(of_s, 1e-300)) - log_z - log_s
        over = max(0.0, float((of_s * tells_s).sum()) - budget)
        slope = p * (2.0 * penalty * over * tells_s[:, None, :] - tells_u[:, :, None])
        gradient = channel * (slope - (channel * slope).sum(axis=0))
        first = DECAY[0] * first + (1.0 - DECAY[0]) * gradient
        second = DECAY[1] * second + (1.0 - DECAY[1]) * gradient**2
        scale = RATE / (1.0 - DECAY[0] ** step)
        logits = logits - scale * first / (np.sqrt(second / (1.0 - DECAY[1] ** step)) + STEADY)
    return logits


def _softmax(logits: Reals) -> Reals:
    raised = np.exp(logits - logits.max(axis=0))
    found: Reals = raised / raised.sum(axis=0)
    return found
