"""The convex side of Lemma 2.1: how much a table of prices must be lowered, over all partitions of a small set."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from withhold.contracts.errors import InvalidParameterError

# Bell numbers: 4,140 partitions of 8 classes, 21,147 of 9; the exact dual evaluates every one of them.
MOST_CLASSES = 8


@dataclass(frozen=True)
class Partitions:
    """Partitions of {0, ..., n-1}.

    Attributes
    ----------
    subsets : ndarray of bool, shape (2**n - 1, n)
        Every non-empty subset; row i holds the bits of i + 1.
    blocks : ndarray of int
        Rows of `subsets`, partition after partition.
    starts : ndarray of int, shape (n_partitions,)
        Where each partition begins in `blocks`.
    owner : ndarray of int
        Partition of each entry of `blocks`.
    """

    subsets: NDArray[np.bool_]
    blocks: NDArray[np.intp]
    starts: NDArray[np.intp]
    owner: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.starts)

    def of(self, number: int) -> NDArray[np.intp]:
        """Return the blocks of one partition, as rows of `subsets`."""
        stop = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.blocks)
        return self.blocks[self.starts[number] : stop]


@lru_cache(maxsize=16)
def set_partitions(n: int) -> Partitions:
    """List the partitions of n elements.

    Parameters
    ----------
    n : int
        At most 8.

    Examples
    --------
    >>> [len(set_partitions(n)) for n in (1, 2, 3, 5, 8)]
    [1, 2, 5, 52, 4140]
    >>> set_partitions(2).of(1) + 1  # the blocks {0} and {1} as bits
    array([1, 2])
    """
    if not 1 <= n <= MOST_CLASSES:
        raise InvalidParameterError(
            f"Partitions can be listed for 1 to {MOST_CLASSES} classes (got {n}): Bell's numbers. Merge classes first."
        )
    listed = [[1]]  # block masks; element i joins a block or begins one
    for element in range(1, n):
        bit = 1 << element
        listed = [
            grown
            for blocks in listed
            for grown in (
                *([*blocks[:j], blocks[j] | bit, *blocks[j + 1 :]] for j in range(len(blocks))),
                [*blocks, bit],
            )
        ]
    sizes = np.array([len(blocks) for blocks in listed])
    flat = np.array([mask - 1 for blocks in listed for mask in blocks], dtype=np.intp)
    subsets = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    return Partitions(subsets.astype(bool), flat, starts, np.repeat(np.arange(len(sizes)), sizes))


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
