"""A decoder that reads the most likely cell of each column from Z, each column for itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.nets.restoring import restored
from withhold.training.descent import descend

HIDDEN = 128  # wide enough for some hundred cells; 100,000 rows a second on one core
ENTROPY_FLOOR = 0.1  # nats: a nearly constant column must not dominate a loss measured in units of its entropy


def standardisation(Z: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean and the standard deviation of each column of Z, one where it is zero.

    Examples
    --------
    >>> standardisation(torch.tensor([[1.0, 5.0], [3.0, 5.0]]))
    (tensor([2., 5.]), tensor([1., 1.]))
    """
    scale = Z.std(dim=0, correction=0)
    return Z.mean(dim=0), torch.where(scale > 0, scale, torch.ones_like(scale))


def log_shares(cells: Tensor, counts: Sequence[int]) -> tuple[list[Tensor], list[float]]:
    """Return the logarithm of the share of each cell, by column, and the weight of each column in a loss.

    Examples
    --------
    >>> shares, weights = log_shares(torch.zeros(9, 2, dtype=torch.int64), (2, 1))
    >>> shares[0].exp(), weights[1]
    (tensor([0.9500, 0.0500]), 0.0)
    """
    shares, weights = [], []
    for column, count in zip(cells.T, counts, strict=True):
        share = (torch.bincount(column, minlength=count) + 0.5) / (len(column) + 0.5 * count)
        shares.append(share.log())
        weights.append(1.0 / max(ENTROPY_FLOOR, float(-(share * share.log()).sum())) if count > 1 else 0.0)
    return shares, weights


@dataclass(frozen=True)
class CellReader:
    """One frozen network: standardised Z to a score for every cell of every column."""

    centre: Tensor
    scale: Tensor
    net: nn.Sequential
    counts: tuple[int, ...]

    @classmethod
    def fit(cls, Z: Tensor, cells: Tensor, counts: Sequence[int], seed: int, device: torch.device) -> Self:
        """Learn from `Z` and the cells of the rows, with early stopping on rows that are not learned from."""
        centre, scale = standardisation(Z)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            net = _network(Z.shape[1], sum(counts))
        last: Any = net[-1]
        shares, weights = log_shares(cells, counts)
        with torch.no_grad():
            last.bias.copy_(torch.cat(shares))
        net = net.to(device)
        values, targets = ((Z - centre) / scale).to(device), cells.to(device)

        def loss(rows: Tensor) -> Tensor:
            blocks = _blocks(net(values[rows]), counts)
            of_columns = zip(weights, blocks, targets[rows].T, strict=True)
            terms = [w * functional.cross_entropy(block, known) for w, block, known in of_columns if w]
            return torch.stack(terms).mean() if terms else values.new_zeros((), requires_grad=True)

        descend(net, loss, len(Z), seed)
        return cls(centre, scale, net.cpu().eval().requires_grad_(False), tuple(counts))

    @torch.no_grad()
    def cells(self, Z: Tensor, uniform: np.ndarray | None) -> np.ndarray:
        """Return the most likely cell of every column, int32 (n_samples, n_columns); nothing is drawn."""
        blocks = _blocks(self.net((Z - self.centre) / self.scale), self.counts)
        return np.column_stack([block.argmax(dim=1).numpy().astype(np.int32) for block in blocks])

    def state(self) -> dict[str, np.ndarray]:
        """Return all that was learned as arrays."""
        parts = {"centre": self.centre, "scale": self.scale, **self.net.state_dict()}
        return {name: value.numpy() for name, value in parts.items()}

    @classmethod
    def restore(cls, counts: Sequence[int], state: Mapping[str, np.ndarray]) -> Self:
        """Rebuild from `state`; shapes are checked."""
        own = dict(state)
        centre, scale = (torch.from_numpy(own.pop(name).copy()) for name in ("centre", "scale"))
        return cls(centre, scale, restored(partial(_network, len(centre), sum(counts)), own), tuple(counts))


def _network(width: int, cells: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, cells)
    )


def _blocks(scores: Tensor, counts: Sequence[int]) -> tuple[Tensor, ...]:
    """Cut scores into one block a column; the blocks are views."""
    return torch.split(scores, list(counts), dim=1)
