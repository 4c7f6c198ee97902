"""What is lost of the features: how well a network recovers them from a release."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.nets.perceptron import Perceptron


class RecoveredCells(nn.Module):
    """A network that reads the cell of every column from a release, trained with whoever makes it.

    Parameters
    ----------
    widths : sequence of int
        Of the network, from a release to the cells of all columns.
    cells : Tensor (n, columns)
        What is to be recovered of each row.
    counts : sequence of int
        Cells of each column.
    weights : sequence of float
        One over the entropy of each column.

    Examples
    --------
    >>> cells = torch.tensor([[0, 1], [1, 2]])
    >>> lost = RecoveredCells((4, 8, 5), cells, (2, 3), [1.0, 1.0])
    >>> lost(torch.zeros(2, 4), torch.arange(2)).shape
    torch.Size([])
    """

    def __init__(self, widths: Sequence[int], cells: Tensor, counts: Sequence[int], weights: Sequence[float]) -> None:
        super().__init__()
        self.net, self.cells, self.counts, self.weights = Perceptron(widths), cells, counts, weights

    def forward(self, Y: Tensor, rows: Tensor) -> Tensor:
        """Return what the release `Y` of `rows` has lost, 1 for everything."""
        return variational_retention(self.net(Y), self.cells[rows], self.counts, self.weights)


def variational_retention(
    outputs: Tensor,
    kept: Tensor,
    counts: Sequence[int] = (),
    weights: Sequence[float] | None = None,
    total: bool = False,
) -> Tensor:
    """Return -log m(h | z), a mean over columns, or a sum if `total`: equation (3) of han2022deepminmax.

    Parameters
    ----------
    outputs : Tensor (n, width)
        Means (matrices) or logits of all cells (tables) that m gives.
    kept : Tensor (n, columns)
        The values, or the cell of each column.
    counts : sequence of int
        Cells of each column; empty for values.
    weights : sequence of float, optional
        One over the entropy of each column.
    """
    if not counts:
        squares = (outputs - kept).square()  # a Gaussian of fixed variance
        return 0.5 * squares.sum(dim=1).mean() if total else squares.mean()
    columns = zip(torch.split(outputs, list(counts), dim=1), kept.T, weights or [1.0] * len(counts), strict=True)
    terms = [weight * functional.cross_entropy(block, cells) for block, cells, weight in columns if weight]
    if not terms:
        return outputs.sum() * 0.0
    return torch.stack(terms).sum() if total else torch.stack(terms).mean()
