"""An encoder against cross-fitted adversaries: the game of every method that hides an attribute and keeps the rest.

What is minimised belongs to a method and is handed in: `debias` (leakage, from the adversaries' outputs) and `side`
(makes the release and says what it loses). Here are the players, their batches and the readings on held-out rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from withhold.training.adversary import Calibration, CrossFittedAdversary, FoldedRows
from withhold.training.budget import BudgetMultiplier
from withhold.training.checkpoint import NOWHERE, Checkpoint
from withhold.training.game import Game, Player, constant, cosine, flat_then_cosine
from withhold.training.recipe import Recipe, Records
from withhold.training.releasing import Objective, Releasing
from withhold.training.session import private_randomness

if TYPE_CHECKING:
    from lightning_fabric import Fabric

WARM_UP, JUDGEMENTS = 0.75, 36  # the best state is looked for in the last quarter, at every 36th of the game
DRAWS = 3  # of the noise, for the final reading
CALIBRATION_RATE = 0.02  # follows within fifty rounds
LARGEST_GRADIENT = 5.0  # of the encoder; ordinary gradients have norms below 1


@dataclass
class Debiasing:
    """Builds the players and holds what they share.

    Attributes
    ----------
    debias : callable
        (outputs, secrets) -> leakage to be minimised.
    side : Releasing
        Makes the release, and says what is lost by it.
    trade : float or None
        Weight lambda of (1 - lambda) lost + lambda debias; None: the constraint form with `price`.
    opponents : callable, optional
        Makes the adversaries, as `CrossFittedAdversary` has them, for releases that perceptrons read badly.
    """

    records: Records
    recipe: Recipe
    fabric: "Fabric"
    debias: Objective
    side: Releasing
    trade: float | None
    price: BudgetMultiplier
    opponents: Callable[[], nn.Module] | None = None
    curves: dict[str, list[float]] = field(default_factory=lambda: {"leakage": [], "loss": [], "multiplier": []})
    blind: int = 0
    rounds: int = 0

    def __post_init__(self) -> None:
        records, recipe = self.records, self.recipe
        self.rows = FoldedRows(records.folds, self.fabric.device)
        self.held = torch.from_numpy(np.flatnonzero(records.folds < 0)[: recipe.judged]).to(self.fabric.device)
        self.fabric.setup_module(self.side)
        self._meet_adversaries()

    def _meet_adversaries(self) -> None:
        records, recipe = self.records, self.recipe
        if self.opponents is not None:
            self.adversary: Any = self.opponents()
        else:
            self.adversary = CrossFittedAdversary(
                records.layout,
                dimensions=self.side.width,
                members=self.rows.members,
                hidden=recipe.adversary,
                dropout=recipe.dropout,
                side=self._recovered.shape[1] if recipe.side_weight else 0,
            )
        self.calibration = Calibration(records.layout, self.rows.members)
        for module in (self.adversary, self.calibration):
            self.fabric.setup_module(module)

    @property
    def _recovered(self) -> Tensor:
        return self.records.H if self.records.recovered is None else self.records.recovered

    def state_dict(self) -> dict[str, Any]:
        """Return what the game remembers beside weights."""
        return {"price": self.price.state_dict(), "curves": self.curves, "blind": self.blind, "rounds": self.rounds}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take back what `state_dict` returned."""
        self.price.load_state_dict(state["price"])
        self.curves = {name: list(values) for name, values in state["curves"].items()}
        self.blind, self.rounds = int(state["blind"]), int(state["rounds"])

    def play(
        self,
        seed: int,
        *,
        select: bool,
        checkpoint: Checkpoint = NOWHERE,
        label: str = "Training",
    ) -> float:
        """Play to the end, let the adversaries go on alone against the frozen encoder, and return what they read.

        Parameters
        ----------
        select : bool
            Keep the best state of the last quarter by `judge`, instead of the last.
        checkpoint, label
            As for `Game`.

        Returns
        -------
        float
            Leakage in nats on rows that the adversaries did not learn from: a lower bound, up to sampling error.
        """
        rounds = self.recipe.rounds
        if self.recipe.alone and not checkpoint.exists:
            alone = Player("encoder", self.side, self._optimiser(), 1, self._encoder_batches, self._alone_loss)
            Game([alone], rounds=self.recipe.alone, fabric=self.fabric, seed=seed + 3, label="Before hiding").play()
        Game(
            self.players(),
            rounds=rounds,
            fabric=self.fabric,
            seed=seed,
            judge=self.judge if select else None,
            every=max(1, rounds // JUDGEMENTS),
            warm_up=int(WARM_UP * rounds),
            memory=self,
            checkpoint=checkpoint,
            label=label,
        ).play()
        self.side.settle()
        reading = self.attack(seed + 1, max(1, int(self.recipe.closing * rounds)))
        checkpoint.remove()
        return reading

    def attack(self, seed: int, rounds: int, *, fresh: bool = False) -> float:
        """Let the adversaries, or `fresh` ones, learn alone against the frozen release, and return what they read."""
        if fresh:
            with private_randomness(self.fabric.device, seed):
                self._meet_adversaries()
        players = self._adversaries(cosine)
        Game(players, rounds=rounds, fabric=self.fabric, seed=seed, label="Reading what is left").play()
        with private_randomness(self.fabric.device, seed + 1), torch.no_grad():
            return self.reading()

    def reading(self) -> float:
        """Return the leakage that the adversaries find on all rows they did not learn from."""
        gains, counts = 0.0, 0
        for _ in range(DRAWS):
            for i, inside in enumerate(self.rows.inside):
                rows = inside[: self.recipe.judged]
                outputs = self.calibration(self.adversary(self.side.release(rows).expand(self.rows.members, -1, -1)))
                gains += len(rows) * float(self.gain(outputs[i : i + 1], rows[None]))
                counts += len(rows)
        return gains / counts

    def players(self) -> list[Player]:
        """Return adversary, calibration and encoder, in the order in which they move."""
        recipe, main = self.recipe, self._optimiser()
        decays = flat_then_cosine if recipe.decays else constant
        encoder = Player(
            "encoder",
            self.side,
            main,
            1,
            self._encoder_batches,
            self._encoder_loss,
            decays,
            clip=LARGEST_GRADIENT,
        )
        return [*self._adversaries(constant), encoder]

    def _adversaries(self, schedule: Callable[[float], float]) -> list[Player]:
        recipe = self.recipe
        adam = torch.optim.AdamW(
            self.adversary.parameters(),
            recipe.adversary_rate,
            betas=(0.9, 0.99),  # a short memory of squares: the adversary's target moves
            weight_decay=recipe.decay,
            fused=self._fused,
        )
        scale = torch.optim.Adam(self.calibration.parameters(), CALIBRATION_RATE, fused=self._fused)
        return [
            Player(
                "adversary", self.adversary, adam, recipe.steps, self._adversary_batches, self._adversary_loss, schedule
            ),
            Player(
                "calibration", self.calibration, scale, 1, self._calibration_batches, self._calibration_loss, schedule
            ),
        ]

    def _optimiser(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.side.parameters(), self.recipe.rate, fused=self._fused)

    @property
    def _fused(self) -> bool:
        return self.fabric.device.type in ("cpu", "cuda")

    def gain(self, outputs: Tensor, rows: Tensor) -> Tensor:
        """Return the mean log-ratio of q to the marginal, summed over attributes: at most their information."""
        secrets = self.records.secrets[rows]
        known = (~secrets.isnan()).flatten(end_dim=-2)
        ratio = self.records.layout.log_density(outputs, secrets) - self.records.marginal[rows]
        return (ratio.flatten(end_dim=-2).sum(dim=0) / known.sum(dim=0).clamp(min=1)).sum()

    def judge(self) -> tuple[float, ...]:
        """Return (violation of the budget, what is lost) on the rows held out from all players."""
        rows = self.held
        Z, lost = self.side.move(rows)
        outputs = self.calibration(self.adversary(Z.expand(self.rows.members, -1, -1)))
        leakage = float(self.gain(outputs, rows.expand(self.rows.members, -1)))
        reading = max(leakage, self.price.average or 0.0)
        if self.trade is not None:
            return (self.trade * max(0.0, reading) + (1 - self.trade) * float(lost),)
        return (max(0.0, reading - self.price.budget), float(lost))

    def _adversary_batches(self, moves: int) -> list[tuple[Tensor, Tensor]]:
        rows = torch.stack([self.rows.learned(self.recipe.adversary_batch) for _ in range(moves)])
        Z = self.side.release(rows.flatten()).view(*rows.shape, -1)
        return list(zip(Z.unbind(0), rows.unbind(0), strict=True))

    def _adversary_loss(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        Z, rows = batch
        outputs, recovered = self.adversary.outputs(Z)
        members = self.rows.members  # a member's gradient does not depend on how many there are
        loss = -members * self.gain(outputs, rows)
        if recovered is not None:
            loss = loss + members * self.recipe.side_weight * (recovered - self._recovered[rows]).square().mean()
        return loss

    def _calibration_batches(self, moves: int) -> list[tuple[Tensor, Tensor]]:
        rows = self.rows.judged(max(1, self.recipe.batch // self.rows.members))
        Z = self.side.release(rows.flatten()).view(*rows.shape, -1)
        return [(self.adversary(Z), rows)]

    def _calibration_loss(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        outputs, rows = batch
        return -self.gain(self.calibration(outputs), rows)

    def _encoder_batches(self, moves: int) -> list[Tensor]:
        return [self.rows.judged(max(1, self.recipe.batch // self.rows.members)) for _ in range(moves)]

    def _alone_loss(self, rows: Tensor) -> Tensor:
        return self.side.move(rows.flatten())[1]

    def _encoder_loss(self, rows: Tensor) -> Tensor:
        Z, lost = self.side.move(rows.flatten())
        outputs = self.calibration(self.adversary(Z.view(*rows.shape, -1)))
        estimate = float(self.gain(outputs.detach(), rows))
        leakage = self.debias(outputs, self.records.secrets[rows])
        weight = self.price.update(estimate) if self.trade is None else self.trade
        if self.trade is not None:
            self.price.observe(estimate)
        self.rounds += 1
        if (self.price.average or 0.0) <= 0.0:
            # Adversaries that know no more than the marginal point nowhere: their gradient is noise, so it is skipped.
            leakage, self.blind = leakage.detach(), self.blind + 1
        self.curves["leakage"].append(estimate)
        self.curves["loss"].append(float(lost.detach()))
        self.curves["multiplier"].append(weight)
        if self.trade is not None:
            return (1 - self.trade) * lost + self.trade * leakage
        return lost + weight * leakage
