"""Channels p(z|x) on a known joint: as much of U as a budget of information about S allows (AIOI, Eq. 2).

Bertran et al., "Adversarially Learned Representations for Information Obfuscation and Inference", ICML 2019
(bertran2019aioi). The released variable Y of the paper is Z here.

    max I(U;Z) over p(z|x) with I(S;Z) <= k,    p(x, u, s) known and X finite.

The channel is a softmax. The paper's penalty lambda max(0, I(S;Z) - k)^2 misses the budget by the curve's slope over
2 lambda; an augmented Lagrangian meets it: a multiplier for each run, moved every fifty steps of Adam. All runs,
budgets times restarts, are one batch of arrays. Information about U is counted in units of I(U;X), that about S in the
geometric mean of I(S;X) and the budget, so that weak dependence is no harder than strong. The problem is not convex;
restarts and the use of two found channels in turn (`between`) make up for it. Measured against the certified bound in
``benchmarks/aioi/synthetic.py``.

Every number is that of an explicit channel on the joint that was given. Where the joint was estimated from records, it
says nothing certain of new ones: see `leakage_on`, which evaluates a channel on another joint.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from withhold.contracts.checks import refused
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.quantity import as_budgets
from withhold.information.bounds.achievable import achievable_releases
from withhold.information.bounds.curve import between
from withhold.information.bounds.mechanism import Mechanism, leakage, uncertainty
from withhold.information.measures.joint import check_joint

Reals = NDArray[np.float64]

RESTARTS, STEPS, MOST_SYMBOLS = 6, 2_000, 48
RATE, LAST = 0.1, 0.02  # Adam's rate and the part of it that is left at the end
FIRST, SECOND, STEADY = 0.9, 0.99, 1e-9
WEIGHT, GROWTH, MOST, EVERY = 3.0, 1.1, 1e3, 50  # of the quadratic term, which is counted in its unit
# The search begins with a budget of all that X tells of S and comes down to its own over this part of the steps: begun
# at a small one, it makes Z silent before it has found U, and stays there.
DESCENT = 0.3
TINY, FLOOR = 1e-300, 1e-7  # a budget of zero is searched as this part of I(S;X)


def optimise_channel(joint: ArrayLike, budget: float, **search: int | None) -> Mechanism:
    """Return the best channel found within one budget.

    Parameters
    ----------
    joint : array_like
        p(x, u, s), or p(u, s) for X = (U, S).
    budget : float
        Most I(S;Z) in nats.
    **search
        ``symbols``, ``restarts``, ``steps``, ``seed`` as for `search_channels`.

    Returns
    -------
    Mechanism
        `channel` has shape (n_z, n_x); x = u * n_s + s where X is (U, S). Its `leakage` is at most the budget.

    Examples
    --------
    >>> found = optimise_channel([[0.45, 0.05], [0.05, 0.45]], 0.1)
    >>> round(found.uncertainty, 3), found.leakage <= 0.1  # ln 2 - G(.1), G(.1) = .351902
    (0.341, True)
    """
    return sweep_channels(joint, [budget], **search)[0]


def sweep_channels(joint: ArrayLike, budgets: Sequence[float], **search: int | None) -> list[Mechanism]:
    """Return the best channel found within each budget; any two of those found may be used in turn.

    Parameters
    ----------
    joint, budgets, **search
        As for `search_channels`.

    Examples
    --------
    >>> channels = sweep_channels([[0.45, 0.05], [0.05, 0.45]], [0.0, 0.1, 0.2], restarts=2, steps=500)
    >>> all(a.uncertainty >= b.uncertainty for a, b in zip(channels, channels[1:]))
    True
    """
    found = search_channels(joint, budgets, **search)
    known = [one for runs in found for one in runs]
    return [_shared(known, float(k)) for k in budgets]


def search_channels(
    joint: ArrayLike,
    budgets: Sequence[float],
    *,
    symbols: int | None = None,
    restarts: int | None = None,
    steps: int | None = None,
    seed: int | None = None,
) -> list[list[Mechanism]]:
    """Return what each restart found for each budget, within the budget.

    Parameters
    ----------
    joint : array_like
        p(x, u, s), or p(u, s) for X = (U, S).
    budgets : sequence of float
        Nats.
    symbols : int, optional
        Values of Z; by default twice the cells of (U, S), at most 48. One more serves where the search ended above the
        budget: Z is then erased, or made independent of S, as often as needed.
    restarts, steps, seed : int, optional
        Six, 2,000, 0.

    Returns
    -------
    list of list of Mechanism
        One list a budget, one channel a restart.
    """
    p = as_records(joint)
    ks = as_budgets(budgets)
    live = p.sum(axis=(1, 2)) > 0
    kept = p[live]
    runs = RESTARTS if restarts is None else restarts
    count = min(2 * p.shape[1] * p.shape[2], MOST_SYMBOLS) if symbols is None else symbols
    length = STEPS if steps is None else steps
    for name, value, least in (("symbols", count, 2), ("restarts", runs, 1), ("steps", length, 1)):
        if value < least:
            raise refused(name, f"at least {least}", value)
    problem = _Problem.of(kept)
    logits = np.random.default_rng(seed or 0).normal(size=(len(ks) * runs, count, len(kept)))
    channels = problem.search(logits, np.repeat(ks, runs), length)
    silent = Mechanism(np.ones((1, len(kept))), 0.0, uncertainty(kept.sum(axis=0)[None]))
    safe = achievable_releases(kept, [0.0], seed or 0)[0] if bool((ks == 0).any()) else silent
    found = [
        release(channel, kept).repaired(float(k), safe)
        for channel, k in zip(channels, np.repeat(ks, runs), strict=True)
    ]
    whole = [_everywhere(one, live) for one in found]
    return [whole[i * runs : (i + 1) * runs] for i in range(len(ks))]


def as_records(joint: ArrayLike) -> Reals:
    """Return p(x, u, s); a table p(u, s) becomes that of X = (U, S).

    Examples
    --------
    >>> as_records([[0.5, 0.0], [0.0, 0.5]]).shape
    (4, 2, 2)
    """
    p = check_joint(joint)
    if p.ndim == 2:
        whole = np.zeros((p.size, *p.shape))
        whole.reshape(p.size, p.size)[np.arange(p.size), np.arange(p.size)] = p.ravel()
        return whole
    if p.ndim != 3:
        raise InvalidParameterError(f"joint must be over (x, u, s) or (u, s) (got {p.ndim} axes).")
    return p


def release(channel: ArrayLike, joint: ArrayLike) -> Mechanism:
    """Return a channel with its two numbers on a joint p(x, u, s), the one it was found on or another.

    Examples
    --------
    >>> release(np.eye(4), as_records([[0.4, 0.1], [0.1, 0.4]])).uncertainty
    0.0
    """
    table = np.asarray(channel, dtype=np.float64)
    atoms = np.einsum("zx,xus->zus", table, check_joint(joint))
    return Mechanism(table, leakage(atoms), uncertainty(atoms))


def leakage_on(channel: ArrayLike, counts: ArrayLike, parts: int = 20, seed: int = 0) -> float:
    """Estimate I(S;Z) in nats of a fixed channel from counts of (x, s) it was not found on.

    The plug-in value of n records is too large. Leaving out one of `parts` random groups of records after the other
    (the grouped jackknife) removes the bias of order 1/n without assuming that Z was drawn.

    Parameters
    ----------
    channel : array_like, shape (n_z, n_x)
    counts : array_like of int, shape (n_x, n_s)

    Returns
    -------
    float
        May be slightly negative: cutting at zero would bring the bias back.

    Examples
    --------
    >>> counts = np.random.default_rng(0).multinomial(2_000, np.full(32, 1 / 32)).reshape(16, 2)  # independent
    >>> bool(abs(leakage_on(np.eye(16), counts)) < 0.002)  # the plug-in value is near 15 / 4000
    True
    """
    table = np.asarray(counts, dtype=np.int64)
    rng = np.random.default_rng(seed)
    cells = rng.permutation(np.repeat(np.arange(table.size), table.ravel()))
    weights, plug = np.asarray(channel, dtype=np.float64), []
    left = [np.bincount(cells[part::parts], minlength=table.size).reshape(table.shape) for part in range(parts)]
    for one in (np.zeros_like(table), *left):
        kept = table - one
        shown = weights @ kept
        plug.append(float(_information((shown / max(1, kept.sum()))[None])[0]))
    return parts * plug[0] - (parts - 1) * float(np.mean(plug[1:]))


@dataclass(frozen=True)
class _Problem:
    """p(x, u) and p(x, s) with their logarithms, and the units of I(U;X) and I(S;X)."""

    of_u: Reals
    of_s: Reals
    log_u: Reals
    log_s: Reals
    unit_u: float
    unit_s: float

    @classmethod
    def of(cls, p: Reals) -> "_Problem":
        of_u, of_s = p.sum(axis=2), p.sum(axis=1)
        log_u, log_s = (np.log(np.maximum(table.sum(axis=0), TINY)) for table in (of_u, of_s))
        units = [max(float(_information(table[None])[0]), 1e-12) for table in (of_u, of_s)]
        return cls(of_u, of_s, log_u, log_s, *units)

    def search(self, logits: Reals, budgets: Reals, steps: int) -> Reals:
        """Adam on the augmented Lagrangian of every run at once; logits have shape (runs, n_z, n_x)."""
        first, second = np.zeros_like(logits), np.zeros_like(logits)
        goal = np.clip(budgets, FLOOR * self.unit_s, self.unit_s)
        price, weight = np.sqrt(goal / self.unit_s), WEIGHT
        for step in range(1, steps + 1):
            now = np.maximum(goal, self.unit_s * (goal / self.unit_s) ** (step / (DESCENT * steps)))
            unit = np.sqrt(now * self.unit_s)
            channel = _softmax(logits)
            tells_u, tells_s, told = self._tells(channel)
            over = (told - np.where(now > goal, now, budgets)) / unit
            slope = (np.maximum(0.0, price + weight * over) / unit)[:, None, None] * tells_s - tells_u
            gradient = channel * (slope - (channel * slope).sum(axis=1, keepdims=True))
            first = FIRST * first + (1.0 - FIRST) * gradient
            second = SECOND * second + (1.0 - SECOND) * gradient**2
            rate = RATE * LAST ** (step / steps) / (1.0 - FIRST**step)
            logits = logits - rate * first / (np.sqrt(second / (1.0 - SECOND**step)) + STEADY)
            if step % EVERY == 0:
                price = np.maximum(0.0, price + weight * over)
                weight = min(weight * GROWTH, MOST)
        return _softmax(logits)

    def _tells(self, channel: Reals) -> tuple[Reals, Reals, Reals]:
        """Return the derivatives of I(U;Z) and I(S;Z) by the channel, that of U in its unit, and I(S;Z) in nats."""
        shown_u, shown_s = channel @ self.of_u, channel @ self.of_s
        log_z = np.log(np.maximum(shown_u.sum(axis=2, keepdims=True), TINY))
        ratio_u = np.log(np.maximum(shown_u, TINY)) - log_z - self.log_u
        ratio_s = np.log(np.maximum(shown_s, TINY)) - log_z - self.log_s
        told = (shown_s * ratio_s).sum(axis=(1, 2))
        return ratio_u @ self.of_u.T / self.unit_u, ratio_s @ self.of_s.T, told


def _softmax(logits: Reals) -> Reals:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: Reals = raised / raised.sum(axis=1, keepdims=True)
    return found


def _information(tables: Reals) -> Reals:
    """Plug-in information of each table (..., rows, columns) that sums to one."""
    cells = xlogy(tables, tables).sum(axis=(1, 2))
    rows, columns = (tables.sum(axis=axis) for axis in (2, 1))
    found: Reals = cells - xlogy(rows, rows).sum(axis=1) - xlogy(columns, columns).sum(axis=1)
    return np.maximum(found, 0.0)


def _shared(known: Sequence[Mechanism], budget: float) -> Mechanism:
    """Return the best of the known within the budget, or two of them in turn."""
    low, high = between(known, budget)
    return high if high.leakage <= budget else high.repaired(budget, low)


def _everywhere(found: Mechanism, live: NDArray[np.bool_]) -> Mechanism:
    """Give values of X that never occur the average behaviour: what they say is then independent of X."""
    channel = np.repeat(found.channel.mean(axis=1, keepdims=True), len(live), axis=1)
    channel[:, live] = found.channel
    return Mechanism(channel, found.leakage, found.uncertainty)
