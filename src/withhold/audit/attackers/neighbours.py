"""Nearest neighbours: finds clusters, near-duplicates and anything that is only local."""

from typing import ClassVar, Self

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from withhold.audit.attackers.attacker import Attacker, InputKind, Scale
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# Frequencies among so many rows see regions; frequencies that fade with distance, among twice as many, see duplicates.
MANY = 50
# Of the squared distance to the last of the many, the part over which a row fades. Of eleven weightings tried on four
# worlds this average had the largest sum.
FADING = 0.25
DIRECTIONS = 256
# Distances held at once; the memory is used again for every part.
MOST_DISTANCES = 4_000_000
# The least of each block of so many distances tells which blocks can hold the nearest rows.
BLOCK = 16


def least(distance: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the `count` smallest entries of each row in order, and their columns.

    They lie in the `count` blocks whose own least entries are smallest, so only those are ranked.

    Parameters
    ----------
    distance : tensor of shape (n, m)
        m a multiple of the block.

    Examples
    --------
    >>> least(torch.arange(64.0).flip(0)[None], 2)[1].tolist()
    [[63, 62]]
    """
    n, m = distance.shape
    blocks = m // BLOCK
    if blocks <= 2 * count:
        found = distance.topk(count, largest=False, sorted=True)
        return found.values, found.indices
    # Entry j of block b stands in column j * blocks + b, so that the least of all blocks is one pass along rows.
    chosen = distance.view(n, BLOCK, blocks).amin(dim=1).topk(count, largest=False, sorted=False).indices
    columns = (chosen[:, None, :] + blocks * torch.arange(BLOCK)[None, :, None]).view(n, -1)
    found = distance.gather(1, columns).topk(count, largest=False, sorted=True)
    return found.values, columns.gather(1, found.indices)


class Neighbours(Attacker):
    """Class frequencies among the nearest rows, smoothed with the prior.

    All rows are searched as far as can be: among 27,000 rows of a noisy representation neighbours find .02 nat of which
    they find .008 among 6,000.
    """

    name: ClassVar[str] = "neighbours"
    inputs: ClassVar[InputKind] = "dense"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Keep the rows, or a random part of them, as the reference."""
        rows = np.arange(len(X))
        if len(rows) > self.effort.neighbour_rows:
            rows = np.sort(rng.choice(len(rows), self.effort.neighbour_rows, replace=False))
        self._prior = np.bincount(s) / len(s)
        self._classes = np.eye(len(self._prior))[s[rows]]
        self._scale = Scale.of(X[:, :DIRECTIONS])
        reference = self._tensor(X[rows])
        # Rows that fill the last block are infinitely far.
        filled = functional.pad(reference, (0, 0, 0, -len(rows) % BLOCK))
        self._lengths = functional.pad((reference**2).sum(dim=1), (0, -len(rows) % BLOCK), value=torch.inf)
        self._reference = filled.T.contiguous()
        return self

    def _tensor(self, X: Matrix) -> Tensor:
        return torch.from_numpy(self._scale.apply(X[:, :DIRECTIONS]))

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-frequencies averaged over the two weightings."""
        rows = len(self._classes)
        total = np.zeros((len(X), len(self._prior)))
        start = 0
        parts = torch.split(self._tensor(X), max(1, MOST_DISTANCES // rows))
        memory = torch.empty((len(parts[0]) if parts else 0, self._reference.shape[1]))
        for part in parts:
            # Squared distance less the length of the row itself, which moves no rank.
            distance = torch.addmm(self._lengths, part, self._reference, alpha=-2.0, out=memory[: len(part)])
            values, indices = least(distance, min(2 * MANY, rows))
            near, beyond = self._classes[indices.numpy()], (values - values[:, :1]).double().numpy()
            reach = np.maximum(FADING * beyond[:, [min(MANY, rows) - 1]], 1e-6)
            fading = np.exp(-beyond / reach)
            for counts, size in (
                (near[:, :MANY].sum(axis=1), min(MANY, rows)),
                (np.einsum("ij,ijk->ik", fading, near), fading.sum(axis=1, keepdims=True)),
            ):
                total[start : start + len(part)] += (counts + self._prior) / (size + 1.0)
            start += len(part)
        return np.asarray(np.log(total / total.sum(axis=1, keepdims=True)))
