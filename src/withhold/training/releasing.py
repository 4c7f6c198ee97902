"""The side that adversaries judge: the release of training rows, and what it loses of features and utility."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.contracts.errors import InvalidParameterError
from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.perceptron import Perceptron
from withhold.training.recipe import Recipe, Records


class UtilityLoss(nn.Module):
    """A network that predicts the utility attributes from a release, and the loss it shares with whoever made it.

    With posteriors p(u|x) in the records the loss is KL(p(u|x) || q(u|z)), whose mean is the information lost, plus
    what q misses; without them it is -log q(u|z) of the values themselves. Both in units of ``utility_unit``.

    Parameters
    ----------
    records : Records
        With a `utility_layout`.
    net : callable, optional
        Reads outputs of the layout from a release; by default a perceptron. A function that is no module stays fixed.
    """

    def __init__(self, records: Records, recipe: Recipe, net: Callable[[Tensor], Tensor] | None = None) -> None:
        super().__init__()
        layout = _layout(records)
        self.records, self.recipe, self.layout = records, recipe, layout
        self.net = net or Perceptron((recipe.dimensions, *recipe.decoder, layout.width))

    def forward(self, Z: Tensor, rows: Tensor) -> Tensor:
        """Return the weighted loss of the release `Z` of `rows`."""
        scale, outputs = self.recipe.utility_weight / self.records.utility_unit, self.net(Z)
        if self.records.posterior is not None:
            lost: Tensor = self.layout.divergence(self.records.posterior[rows], outputs).sum(dim=-1).mean()
            return scale * lost
        target = self.records.utility
        if target is None:
            return outputs.sum() * 0.0
        density, known = self.layout.log_density(outputs, target[rows]), ~target[rows].isnan()
        return -scale * density.sum() / known.sum().clamp(min=1)


def _layout(records: Records) -> AttributeLayout:
    if records.utility_layout is None:
        raise InvalidParameterError("Training needs a utility attribute. Pass y.")
    return records.utility_layout


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


Objective = Callable[[Tensor, Tensor], Tensor]


class Releasing(nn.Module, ABC):
    """A player of `Debiasing`: all modules that are trained to keep what must be kept.

    Attributes
    ----------
    width : int
        Columns of a release, as an adversary sees it.
    """

    width: int

    @abstractmethod
    def release(self, rows: Tensor) -> Tensor:
        """Return the release of `rows`, shape (n, width), with fresh randomness."""

    @abstractmethod
    def move(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return a release of `rows` and what it loses, a scalar to be made small."""

    def settle(self) -> None:
        """Replace what was estimated on the way, such as running moments, by exact figures; nothing by default."""


class NoisyEncoder(Releasing):
    """An encoder of fixed scale with Gaussian noise; nets that recover features and utility say what is lost.

    Parameters
    ----------
    retain : callable
        (outputs of the retaining net, kept) -> what is lost, weighted by ``recipe.retention_weight``; the net is left
        out where the weight is 0.
    """

    def __init__(self, records: Records, recipe: Recipe, retain: Objective) -> None:
        super().__init__()
        self.records, self.recipe, self.retain, self.width = records, recipe, retain, recipe.dimensions
        inputs, given = records.H.shape[1], records.given.shape[1]
        self.encoder = Perceptron((inputs, *recipe.encoder, recipe.dimensions), standardise=recipe.standardise)
        self.retainer = None
        if recipe.retention_weight:
            self.retainer = Perceptron((recipe.dimensions + given, *recipe.decoder, records.outputs))
        self.utility = UtilityLoss(records, recipe) if records.utility_layout is not None else None

    def release(self, rows: Tensor) -> Tensor:
        """Return z of `rows` with fresh noise."""
        Z: Tensor = self.encoder(self.records.H[rows])
        return Z + self.recipe.noise * torch.randn_like(Z) if self.recipe.noise else Z

    def move(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return z of `rows` and what it loses of features and utility."""
        Z, records = self.release(rows), self.records
        lost = Z.new_zeros(())
        if self.retainer is not None:
            outputs = self.retainer(torch.cat([Z, records.given[rows]], dim=-1))
            lost = self.recipe.retention_weight * self.retain(outputs, records.kept[rows])
        return Z, lost if self.utility is None else lost + self.utility(Z, rows)

    def settle(self) -> None:
        """Give the encoder the exact moments of its outputs."""
        self.encoder.settle(self.records.H)
