"""The convex side of Lemma 2.1: how much a table of prices must be lowered to stay below every posterior.

Lemma 2.1 of AIOI asks for min H(U|Z) under I(S;Z) <= k. Over posteriors q = p(u, s | z) this is a linear programme, and
its dual asks, for a slope lambda >= 1 and prices mu[u, s], for

    g(lambda, mu) = max over q of  <q, mu> - H_U(q) + lambda H_S(q).

The best q puts each s on one u, so the maximum is over partitions of S into blocks, each block on its best u:

    g = max over partitions of (lambda - 1) log sum over blocks B of exp(V_B / (lambda - 1)),
    V_B = max over u of lambda log sum over s in B of exp(mu[u, s] / lambda).

Here mu = nu + lambda log r with a reference r (the distribution of S): nu stays of the order of one for all slopes, and
the limit lambda -> infinity (no leakage allowed) is V_B = r(B) log r(B) + max over u of sum over B of r(s) nu[u, s],
summed over blocks. `math.inf` is therefore a slope like any other.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.information.bounds.partitions import Partitions, set_partitions

Reals = NDArray[np.float64]

TINY = 1e-300


@dataclass(frozen=True)
class Heights:
    """Values of all blocks and partitions for one table of prices.

    Attributes
    ----------
    kernel : ndarray, shape (n_u, n_s)
        Within a block on u, s has mass proportional to this.
    blocks : ndarray, shape (n_subsets, n_u)
        Value of each block on each u.
    best : ndarray, shape (n_subsets,)
        V_B: the (soft) maximum over u.
    partitions : ndarray, shape (n_partitions,)
        The objective of each partition.
    masses : ndarray
        Mass of each block in its partition, in the order of `Partitions.blocks`.
    """

    kernel: Reals
    blocks: Reals
    best: Reals
    partitions: Reals
    masses: Reals


class Envelope:
    """g(lambda, nu) for one distribution of S, with its gradient, exact or smoothed.

    Parameters
    ----------
    reference : ndarray, shape (n_s,)
        r, positive.

    Examples
    --------
    >>> envelope = Envelope(np.array([0.5, 0.5]))
    >>> value, _ = envelope.evaluate(2.0, np.zeros((2, 2)))
    >>> round(value, 6)  # q = r on one u: no uncertainty about U, all of H(S); <q, mu> = -2 ln 2
    0.0
    """

    def __init__(self, reference: Reals) -> None:
        self.reference = reference
        self.listed: Partitions = set_partitions(len(reference))
        self._members = self.listed.subsets.astype(np.float64)
        self._mass = self._members @ reference

    def heights(self, slope: float, nu: Reals, temperature: float = 0.0) -> Heights:
        """Return the value of every block and partition at prices `nu`."""
        if math.isinf(slope):
            kernel = np.broadcast_to(self.reference, nu.shape)
            blocks = self._members @ (kernel * nu).T + (self._mass * np.log(self._mass))[:, None]
            best = _soft_maximum(blocks, temperature)
            partitions = np.add.reduceat(best[self.listed.blocks], self.listed.starts)
            return Heights(kernel, blocks, best, partitions, self._mass[self.listed.blocks])
        kernel = self.reference * np.exp(np.clip(nu / slope, -600.0, 600.0))
        blocks = slope * np.log(np.maximum(self._members @ kernel.T, TINY))
        best = _soft_maximum(blocks, temperature)
        if slope <= 1.0:  # the limit: only the highest block of a partition counts
            highest = np.maximum.reduceat(best[self.listed.blocks], self.listed.starts)
            masses = (best[self.listed.blocks] >= highest[self.listed.owner]).astype(np.float64)
            masses /= np.add.reduceat(masses, self.listed.starts)[self.listed.owner]
            return Heights(kernel, blocks, best, highest, masses)
        scaled = best[self.listed.blocks] / (slope - 1.0)
        top = np.maximum.reduceat(scaled, self.listed.starts)
        risen = np.exp(scaled - top[self.listed.owner])
        total = np.add.reduceat(risen, self.listed.starts)
        return Heights(kernel, blocks, best, (slope - 1.0) * (top + np.log(total)), risen / total[self.listed.owner])

    def evaluate(self, slope: float, nu: Reals, temperature: float = 0.0) -> tuple[float, Reals]:
        """Return g and its gradient in `nu`; with a temperature, a smooth function above g.

        Parameters
        ----------
        slope : float
            lambda in [1, inf].
        nu : ndarray, shape (n_u, n_s)
        temperature : float
            0: exact, with a subgradient.

        Returns
        -------
        value : float
        gradient : ndarray, shape (n_u, n_s)
            A mixture of posteriors.
        """
        found = self.heights(slope, nu, temperature)
        value = float(_soft_maximum(found.partitions[None], temperature)[0])
        share = _soft_choice(found.partitions[None], temperature)[0]
        weight = share[self.listed.owner] * (1.0 if math.isinf(slope) else found.masses)
        per_block = np.bincount(self.listed.blocks, weight, minlength=len(found.best))
        on_u = _soft_choice(found.blocks, temperature) * per_block[:, None]
        if math.isinf(slope):
            return value, found.kernel * (on_u.T @ self._members)
        on_u /= np.maximum(self._members @ found.kernel.T, TINY)
        return value, found.kernel * (on_u.T @ self._members)


def _soft_maximum(values: Reals, temperature: float) -> Reals:
    """Maximum along the last axis, or temperature * log-sum-exp(values / temperature)."""
    top: Reals = values.max(axis=-1)
    if temperature <= 0.0:
        return top
    raised: Reals = top + temperature * np.log(np.exp((values - top[..., None]) / temperature).sum(axis=-1))
    return raised


def _soft_choice(values: Reals, temperature: float) -> Reals:
    top = values.max(axis=-1, keepdims=True)
    weights = np.exp((values - top) / temperature) if temperature > 0.0 else (values >= top).astype(np.float64)
    share: Reals = weights / weights.sum(axis=-1, keepdims=True)
    return share
