"""A better release than erasure where X is finite and p(x, u, s) is known: a mixture of posteriors over X.

A release p(z|x) is a mixture of posteriors q = p(x|z) with mean p(x); it leaks H(S) - mean H_S(q), and H_U(q) stays
unknown on average.

* k = 0: H_U is concave on the polytope {q : p(s|q) = p(s)}, so its corners suffice: a linear programme, exact where the
  corners are few enough to list, else over a sample of them.
* above: the programme's prices show where H_U(q) - lambda H_S(q) - <q, mu> is negative; from the corners in use,
  difference-of-convex steps go there (H_U by its tangent, the rest by mirror descent), and the posteriors found are
  offered to the programme. The problem is a privacy funnel: not convex, so this is what a search reached.

Every number is that of an explicit release within its budget: an upper bound on the least loss, never a lower one.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.special import entr

from withhold.contracts.errors import InvalidParameterError
from withhold.information.bounds.curve import between
from withhold.information.bounds.mechanism import Mechanism, leakage, uncertainty
from withhold.information.measures.joint import check_joint

Reals = NDArray[np.float64]

MOST_CORNERS = 4_000
ROUNDS = 6
DESCENTS = 4
STEPS = 25
STARTS = 60


def achievable_releases(joint: ArrayLike, budgets: Sequence[float], seed: int = 0) -> list[Mechanism]:
    """Return for each budget a release p(z|x) that keeps within it.

    Parameters
    ----------
    joint : array_like, shape (n_x, n_u, n_s)
        p(x, u, s).
    budgets : sequence of float
        k in nats.
    seed : int
        Of the search.

    Returns
    -------
    list of Mechanism
        `channel` has shape (n_z, n_x). The loss I(U;X|Z) is `uncertainty` - H(U|X).

    Examples
    --------
    >>> joint = np.zeros((4, 2, 2))
    >>> joint[[0, 1, 2, 3], [0, 0, 1, 1], [0, 1, 0, 1]] = [0.45, 0.05, 0.05, 0.45]  # X tells U and S
    >>> [round(m.uncertainty, 3) for m in achievable_releases(joint, [0.0])]  # (1 - 2 a) ln 2
    [0.555]
    """
    p = check_joint(joint)
    if p.ndim != 3:
        raise InvalidParameterError(f"The joint must be p(x, u, s), of three axes (got {p.ndim}).")
    live = p.sum(axis=(1, 2)) > 0
    kept = p[live]
    masses = kept.sum(axis=(1, 2))
    of_u, of_s = (kept.sum(axis=axis) / masses[:, None] for axis in (2, 1))
    rng = np.random.default_rng(seed)
    corners = _corners(of_s, masses, rng)
    pool = np.vstack([corners, masses[None], np.eye(len(masses))])
    known = [_release(masses[None], np.ones(1), kept), _release(np.eye(len(masses)), masses, kept)]
    start = _solve(np.vstack([corners, masses[None]]), masses, of_u, of_s, None)
    if start is not None:
        known.append(_release(np.vstack([corners, masses[None]]), start[0], kept))
    for k in budgets:
        for _ in range(ROUNDS if k > 0 else 0):
            solved = _solve(pool, masses, of_u, of_s, float(k))
            if solved is None:
                break
            weights, prices, slope = solved
            known.append(_release(pool, weights, kept))
            if slope <= 0.0:
                break
            used = pool[weights > 1e-9]
            wild = rng.dirichlet(np.full(len(masses), 0.3), STARTS)
            pool = np.vstack([pool, _descend(np.vstack([0.9 * used + 0.1 * masses, wild]), of_u, of_s, prices, slope)])
    found = [_within(known, float(k)) for k in budgets]
    whole = []
    for one in found:
        channel = np.full((len(one.channel), len(p)), 1.0 / len(one.channel))
        channel[:, live] = one.channel
        whole.append(Mechanism(channel, one.leakage, one.uncertainty))
    return whole


def _within(known: Sequence[Mechanism], budget: float) -> Mechanism:
    low, high = between(known, budget)
    return high if high.leakage <= budget else high.repaired(budget, low)


def _release(pool: Reals, weights: Reals, joint: Reals) -> Mechanism:
    """Return the release that uses posterior i with weight i, and its two numbers from p(z, u, s) itself."""
    used = weights > 1e-12
    atoms = weights[used, None] * pool[used]
    channel = atoms / atoms.sum(axis=0)
    released = np.einsum("zx,xus->zus", channel, joint)
    return Mechanism(channel, leakage(released), uncertainty(released))


def _corners(of_s: Reals, masses: Reals, rng: np.random.Generator) -> Reals:
    """Return corners of {q : q >= 0, sum of q(x) p(s|x) = p(s)}: basic solutions."""
    target = masses @ of_s
    rank = int(np.linalg.matrix_rank(of_s))
    n = len(masses)
    if math.comb(n, rank) <= MOST_CORNERS:
        chosen = np.array(list(itertools.combinations(range(n), rank)))
    else:
        chosen = np.array([rng.choice(n, rank, replace=False) for _ in range(MOST_CORNERS)])
    found = []
    for columns in chosen:
        q, *_ = np.linalg.lstsq(of_s[columns].T, target, rcond=None)
        if q.min() >= -1e-12 and np.abs(of_s[columns].T @ q - target).max() < 1e-12:
            whole = np.zeros(n)
            whole[columns] = np.maximum(q, 0.0)
            found.append(whole / whole.sum())
    return np.unique(np.round(found, 14), axis=0) if found else np.zeros((0, n))


def _solve(
    pool: Reals, masses: Reals, of_u: Reals, of_s: Reals, most: float | None
) -> tuple[Reals, Reals, float] | None:
    cost = entr(pool @ of_u).sum(axis=1)
    limit = {}
    if most is not None:
        left = float(entr(masses @ of_s).sum()) - most
        limit = {"A_ub": -entr(pool @ of_s).sum(axis=1)[None], "b_ub": [-left]}
    solved = linprog(cost, A_eq=pool.T, b_eq=masses, bounds=(0, None), method="highs", **limit)
    if solved.status != 0:
        return None
    slope = -float(solved.ineqlin.marginals[0]) if most is not None else 0.0
    return np.maximum(solved.x, 0.0), solved.eqlin.marginals, slope


def _descend(q: Reals, of_u: Reals, of_s: Reals, prices: Reals, slope: float) -> Reals:
    """Lower H_U(q) - slope H_S(q) - <q, prices> from each row: tangents of H_U, mirror descent on the rest."""
    rate = 1.0 / max(slope, 1.0)
    for _ in range(DESCENTS):
        tangent = -np.log(np.maximum(q @ of_u, 1e-12)) @ of_u.T - prices
        for _ in range(STEPS):
            gradient = tangent + slope * (np.log(np.maximum(q @ of_s, 1e-12)) @ of_s.T)
            raised = np.log(np.maximum(q, 1e-300)) - rate * gradient
            q = np.exp(raised - raised.max(axis=1, keepdims=True))
            q /= q.sum(axis=1, keepdims=True)
    return q
