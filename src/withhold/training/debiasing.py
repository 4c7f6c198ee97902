"""An encoder against cross-fitted adversaries: the game of every method that hides an attribute and keeps the rest.

What is minimised belongs to a method and is handed in: `debias` (leakage, from the adversaries' outputs) and `retain`
(what is lost). Here are the players, their batches, the release noise and the readings on held-out rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.perceptron import Perceptron
from withhold.training.adversary import Calibration, CrossFittedAdversary, FoldedRows
from withhold.training.budget import BudgetMultiplier
from withhold.training.game import Player
from withhold.training.schedules import flat_then_cosine

Objective = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Recipe:
    """Sizes and rates of a game; see `DeepMinMax` for where the values come from."""

    dimensions: int
    encoder: tuple[int, ...]
    decoder: tuple[int, ...]
    noise: float
    rounds: int
    batch: int = 512
    rate: float = 1e-3
    steps: int = 8
    adversary: int = 192
    adversary_batch: int = 128
    adversary_rate: float = 2e-3
    folds: int = 4
    dropout: float = 0.3
    decay: float = 0.1
    standardise: bool = True
    side_weight: float = 1.0
    utility_weight: float = 1.0
    decays: bool = True


@dataclass
class Records:
    """The training rows as tensors on the device.

    Attributes
    ----------
    H : Tensor (n, p)
        Standardised features.
    secrets : Tensor (n, n_attributes)
        As in `AttributeLayout`; NaN where missing.
    layout : AttributeLayout
    marginal : Tensor (n, n_attributes)
        log p(b) of each row under the marginal, 0 where missing.
    given : Tensor (n, c)
        The attributes as the retaining net m is given them.
    kept : Tensor
        What m recovers.
    outputs : int
        Outputs m needs for that.
    folds : ndarray of int
        -1: held out from the game.
    utility, utility_layout, utility_unit
        The utility attribute, where there is one, and the nats its loss is measured in.
    """

    H: Tensor
    secrets: Tensor
    layout: AttributeLayout
    marginal: Tensor
    given: Tensor
    kept: Tensor
    outputs: int
    folds: np.ndarray
    utility: Tensor | None = None
    utility_layout: AttributeLayout | None = None
    utility_unit: float = 1.0


@dataclass
class Debiasing:
    """Builds the players and holds what they share.

    Attributes
    ----------
    records : Records
    recipe : Recipe
    fabric : Fabric
    debias : callable
        (outputs, secrets) -> leakage to be minimised.
    retain : callable
        (outputs of m, kept) -> what is lost.
    trade : float or None
        Weight lambda of (1 - lambda) retain + lambda debias; None: the constraint form with `price`.
    price : BudgetMultiplier
    """

    records: Records
    recipe: Recipe
    fabric: Fabric
    debias: Objective
    retain: Objective
    trade: float | None
    price: BudgetMultiplier
    curves: dict[str, list[float]] = field(default_factory=lambda: {"leakage": [], "loss": [], "multiplier": []})
    blind: int = 0
    rounds: int = 0

    def __post_init__(self) -> None:
        records, recipe = self.records, self.recipe
        width, given = records.H.shape[1], records.given.shape[1]
        self.encoder = Perceptron((width, *recipe.encoder, recipe.dimensions), standardise=recipe.standardise)
        self.retainer = Perceptron((recipe.dimensions + given, *recipe.decoder, records.outputs))
        self.utility = None
        if records.utility_layout is not None:
            self.utility = Perceptron((recipe.dimensions, *recipe.decoder, records.utility_layout.width))
        parts = {"encoder": self.encoder, "retainer": self.retainer}
        self.sanitising = nn.ModuleDict(parts | ({} if self.utility is None else {"utility": self.utility}))
        self.rows = FoldedRows(records.folds, self.fabric.device)
        self.held = torch.from_numpy(np.flatnonzero(records.folds < 0)).to(self.fabric.device)
        self.adversary = CrossFittedAdversary(
            records.layout,
            dimensions=recipe.dimensions,
            members=self.rows.members,
            hidden=recipe.adversary,
            dropout=recipe.dropout,
            side=width if recipe.side_weight else 0,
        )
        self.calibration = Calibration(records.layout, self.rows.members)

    def state_dict(self) -> dict[str, Any]:
        """Return what the game remembers beside weights."""
        return {"price": self.price.state_dict(), "curves": self.curves, "blind": self.blind, "rounds": self.rounds}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take back what `state_dict` returned."""
        self.price.load_state_dict(state["price"])
        self.curves = {name: list(values) for name, values in state["curves"].items()}
        self.blind, self.rounds = int(state["blind"]), int(state["rounds"])

    def reading(self) -> float:
        """Return the leakage of the last rounds in nats, on rows the adversaries did not learn from."""
        last = self.curves["leakage"][-max(1, self.rounds // 6) :]
        return float(np.mean(last)) if last else 0.0

    def players(self) -> list[Player]:
        """Return adversary, calibration and encoder, in the order in which they move."""
        recipe = self.recipe
        fused: dict[str, Any] = {"fused": self.fabric.device.type in ("cpu", "cuda")}
        decays = flat_then_cosine if recipe.decays else (lambda share: 1.0)
        adam = torch.optim.AdamW(
            self.adversary.parameters(), recipe.adversary_rate, betas=(0.9, 0.99), weight_decay=recipe.decay, **fused
        )
        scale = torch.optim.Adam(self.calibration.parameters(), 0.02, **fused)
        main = torch.optim.Adam(self.sanitising.parameters(), recipe.rate, **fused)
        return [
            Player("adversary", self.adversary, adam, recipe.steps, self._adversary_batches, self._adversary_loss),
            Player("calibration", self.calibration, scale, 1, self._calibration_batches, self._calibration_loss),
            Player("encoder", self.sanitising, main, 1, self._encoder_batches, self._encoder_loss, decays, clip=5.0),
        ]

    def release(self, rows: Tensor) -> Tensor:
        """Return z of `rows` with fresh noise."""
        Z: Tensor = self.encoder(self.records.H[rows])
        return Z + self.recipe.noise * torch.randn_like(Z) if self.recipe.noise else Z

    def gain(self, outputs: Tensor, rows: Tensor) -> Tensor:
        """Return the mean log-ratio of q to the marginal, summed over attributes: at most their information."""
        secrets = self.records.secrets[rows]
        known = (~secrets.isnan()).flatten(end_dim=-2)
        ratio = self.records.layout.log_density(outputs, secrets) - self.records.marginal[rows]
        return (ratio.flatten(end_dim=-2).sum(dim=0) / known.sum(dim=0).clamp(min=1)).sum()

    def judge(self) -> tuple[float, ...]:
        """Return (violation of the budget, what is lost) on the rows held out from all players."""
        rows = self.held
        Z = self.release(rows)
        outputs = self.calibration(self.adversary(Z.expand(self.rows.members, -1, -1)))
        leakage = float(self.gain(outputs, rows.expand(self.rows.members, -1)))
        lost = float(self._lost(Z, rows))
        reading = max(leakage, self.price.average or 0.0)
        if self.trade is not None:
            return (self.trade * max(0.0, reading) + (1 - self.trade) * lost,)
        return (max(0.0, reading - self.price.budget), lost)

    def _lost(self, Z: Tensor, rows: Tensor) -> Tensor:
        records = self.records
        lost = self.retain(self.retainer(torch.cat([Z, records.given[rows]], dim=-1)), records.kept[rows])
        if self.utility is not None and records.utility is not None and records.utility_layout is not None:
            target = records.utility[rows]
            density = records.utility_layout.log_density(self.utility(Z), target)
            known = (~target.isnan()).sum().clamp(min=1)
            lost = lost - self.recipe.utility_weight * density.sum() / known / records.utility_unit
        return lost

    def _adversary_batches(self, moves: int) -> list[tuple[Tensor, Tensor]]:
        rows = torch.stack([self.rows.learned(self.recipe.adversary_batch) for _ in range(moves)])
        Z = self.release(rows.flatten()).view(*rows.shape, -1)
        return list(zip(Z.unbind(0), rows.unbind(0), strict=True))

    def _adversary_loss(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        Z, rows = batch
        outputs, recovered = self.adversary.outputs(Z)
        members = self.rows.members  # a member's gradient does not depend on how many there are
        loss = -members * self.gain(outputs, rows)
        if recovered is not None:
            loss = loss + members * self.recipe.side_weight * (recovered - self.records.H[rows]).square().mean()
        return loss

    def _calibration_batches(self, moves: int) -> list[tuple[Tensor, Tensor]]:
        rows = self.rows.judged(max(1, self.recipe.batch // self.rows.members))
        Z = self.release(rows.flatten()).view(*rows.shape, -1)
        return [(self.adversary(Z), rows)]

    def _calibration_loss(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        outputs, rows = batch
        return -self.gain(self.calibration(outputs), rows)

    def _encoder_batches(self, moves: int) -> list[Tensor]:
        return [self.rows.judged(max(1, self.recipe.batch // self.rows.members)) for _ in range(moves)]

    def _encoder_loss(self, rows: Tensor) -> Tensor:
        flat = rows.flatten()
        Z = self.release(flat)
        outputs = self.calibration(self.adversary(Z.view(*rows.shape, -1)))
        estimate = float(self.gain(outputs.detach(), rows))
        leakage, lost = self.debias(outputs, self.records.secrets[rows]), self._lost(Z, flat)
        weight = self.price.update(estimate)
        self.rounds += 1
        if (self.price.average or 0.0) <= 0.0:
            # Adversaries that know no more than the marginal point nowhere: their gradient is noise, so it is skipped.
            leakage, self.blind = leakage.detach(), self.blind + 1
        self.curves["leakage"].append(estimate)
        self.curves["loss"].append(float(lost.detach()))
        self.curves["multiplier"].append(weight if self.trade is None else self.trade)
        if self.trade is not None:
            return (1 - self.trade) * lost + self.trade * leakage
        return lost + weight * leakage
