"""The side that adversaries judge: it makes the release of training rows, and knows what the release loses."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor, nn

from withhold.nets.perceptron import Perceptron
from withhold.training.recipe import Recipe, Records
from withhold.training.utility import UtilityLoss

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
    records : Records
    recipe : Recipe
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
