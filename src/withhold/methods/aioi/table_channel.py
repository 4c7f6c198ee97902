"""A stochastic map from records to records of the same schema: one categorical channel a column, drawn in turn.

A continuous output can be rounded away or read in its last digits; a drawn category cannot. Columns that are drawn
independently of each other given the record make rows that nobody has seen, such as a wife who is male; here each
column is drawn given those before it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.methods.aioi.filters import Filter
from withhold.nets.perceptron import Perceptron

SKIP = 1.0  # start of the weight of a record's own cell: e times the odds; more, and hiding starts from a copy
UNSEEN = 8.0  # nats off for each pair of cells that no record has: one such draw in 3,000 where nothing else speaks


class TableChannel(Filter):
    """p(y | x) over the cells of all columns.

    Rows are features of a record followed by its own cells, one-hot; a release is the drawn cells, one-hot. The logits
    of column j are what a perceptron says of the record, a weight on the record's own cell, and what the cells drawn
    before it say: learned couplings, less `UNSEEN` for each pair of cells that no training record has. In training the
    gradient passes straight through the draw, as if the release were the probabilities.

    Parameters
    ----------
    features : int
        Width of an encoded record.
    counts : sequence of int
        Cells of each column.
    hidden : sequence of int
        Hidden layers of the perceptron.
    seen : bool Tensor (cells, cells), optional
        Which pairs of cells occur together; all by default.

    Examples
    --------
    >>> channel = TableChannel(3, (2, 4), (8,))
    >>> rows = torch.cat([torch.zeros(5, 3), channel.one_hot(torch.zeros(5, 2, dtype=torch.long))], dim=1)
    >>> Y = channel(rows, torch.zeros(5, channel.noise_width))
    >>> Y.shape, Y.sum(dim=1).round(decimals=4).tolist()
    (torch.Size([5, 6]), [2.0, 2.0, 2.0, 2.0, 2.0])
    """

    def __init__(self, features: int, counts: Sequence[int], hidden: Sequence[int], seen: Tensor | None = None) -> None:
        super().__init__()
        self.features, self.counts = features, tuple(int(count) for count in counts)
        self.starts = tuple(np.cumsum([0, *self.counts]).tolist())
        self.width, self.noise_width = self.starts[-1], len(self.counts)
        self.base = Perceptron((features, *hidden, self.width))
        self.skip = nn.Parameter(torch.full((len(self.counts),), SKIP))
        self.couplings = nn.Parameter(torch.zeros(self.width, self.width))
        before = torch.zeros(self.width, self.width, dtype=torch.bool)
        for start, stop in zip(self.starts, self.starts[1:], strict=False):
            before[:start, start:stop] = True
        self.register_buffer("before", before, persistent=False)
        self.register_buffer("seen", torch.ones_like(before) if seen is None else seen)

    def forward(self, H: Tensor, noise: Tensor) -> Tensor:
        """Draw one record for each; column j by the quantile that the normal value j of `noise` stands for.

        Parameters
        ----------
        H : Tensor (n, features + width)
        noise : Tensor (n, columns)

        Returns
        -------
        Tensor (n, width)
        """
        own, pairs = self._own(H), self._pairs()
        uniform = torch.special.ndtr(noise)
        drawn: list[Tensor] = []
        for j, (start, stop) in enumerate(zip(self.starts, self.starts[1:], strict=False)):
            logits = own[:, start:stop]
            if drawn:
                logits = logits + torch.cat(drawn, dim=1) @ pairs[:start, start:stop]
            p = functional.softmax(logits, dim=1)
            hard = functional.one_hot(quantile(p.detach(), uniform[:, j : j + 1]), self.counts[j]).to(p.dtype)
            drawn.append(hard + p - p.detach() if p.requires_grad else hard)
        return torch.cat(drawn, dim=1)

    def keeps(self, H: Tensor, Y: Tensor) -> Tensor:
        """Return log p(y_j = x_j | x, the cells that `Y` has in the columns before), shape (n, columns)."""
        logits, x = self._own(H) + Y @ self._pairs(), H[:, self.features :]
        terms = [
            (functional.log_softmax(logits[:, start:stop], dim=1) * x[:, start:stop]).sum(dim=1)
            for start, stop in zip(self.starts, self.starts[1:], strict=False)
        ]
        return torch.stack(terms, dim=1)

    def one_hot(self, cells: Tensor) -> Tensor:
        """Return cells (n, columns) as a release holds them."""
        blocks = [functional.one_hot(cells[:, j], count) for j, count in enumerate(self.counts)]
        return torch.cat(blocks, dim=1).to(self.skip.dtype)

    def cells(self, Y: Tensor) -> Tensor:
        """Return the cells (n, columns) of a release."""
        return torch.stack([block.argmax(dim=1) for block in torch.split(Y, list(self.counts), dim=1)], dim=1)

    def _own(self, H: Tensor) -> Tensor:
        skip = torch.cat([weight.expand(count) for weight, count in zip(self.skip, self.counts, strict=True)])
        own: Tensor = self.base(H[:, : self.features]) + H[:, self.features :] * skip
        return own

    def _pairs(self) -> Tensor:
        seen: Any = self.seen
        pairs: Tensor = (self.couplings - UNSEEN * (~seen).to(self.couplings.dtype)) * self.before
        return pairs


def quantile(p: Tensor, uniform: Tensor) -> Tensor:
    """Return the cell at which each row's cumulated probability passes `uniform` (n, 1).

    Examples
    --------
    >>> quantile(torch.tensor([[0.2, 0.3, 0.5]] * 3), torch.tensor([[0.1], [0.4], [0.99]])).tolist()
    [0, 1, 2]
    """
    levels = p.cumsum(dim=1)
    # Relative to the last level, so that rounding of the sum cannot lead past the last cell.
    return (uniform * levels[:, -1:] >= levels[:, :-1]).sum(dim=1)


def pairs_seen(cells: np.ndarray, counts: Sequence[int]) -> Tensor:
    """Return which pairs of cells occur in some record, bool (cells, cells).

    Examples
    --------
    >>> pairs_seen(np.array([[0, 1], [1, 1]]), (2, 2))[:2, 2:].tolist()
    [[False, True], [False, True]]
    """
    starts = np.cumsum([0, *counts])
    seen = np.zeros((starts[-1], starts[-1]), dtype=bool)
    columns = cells + starts[:-1]
    for a in columns.T:
        for b in columns.T:
            seen[a, b] = True
    return torch.from_numpy(seen)
