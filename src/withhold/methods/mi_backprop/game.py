"""A task and the information about an attribute, minimised in one step: the loop of MI backpropagation.

An estimator of the information learns while the encoder stands still, so its many steps run on features that were
computed once. Then encoder and task head move against the task's gradient plus lambda times that of the information,
which is clipped to the task's. What estimates the information is handed in as an `InformationTerm`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from withhold.methods.mi_backprop.gradients import adaptively_clipped, gradients_of, norm
from withhold.methods.mi_backprop.weighted_rows import WeightedRows
from withhold.training.batches import drawn
from withhold.training.checkpoint import NOWHERE, Checkpoint
from withhold.training.game import Game, Player, constant, flat_then_cosine

if TYPE_CHECKING:
    from lightning_fabric import Fabric

LOOKS = 60  # points of each curve
LOOKED_AT = 1024  # held-out rows of a look: all pairs of a critic cost their square
SUMMED = ("task", "task_gradient", "information_gradient")
CURVES = ("task", "leakage", "task_gradient", "information_gradient")
SETTLED = 20_000  # rows that the final mean and variance of Z are computed from


class InformationTerm(Protocol):
    """What estimates the information between z and the attributes, in nats."""

    module: nn.Module
    """The estimator's own network; without parameters where there is a closed form."""

    def loss(self, Z: Tensor, rows: Tensor) -> Tensor:
        """Return what the estimator's network minimises on cached `Z` of `rows`."""

    def information(self, Z: Tensor, rows: Tensor, pool: "Pool | None" = None) -> Tensor:
        """Return the information, differentiable in `Z`; `pool` holds further rows."""


Pool = tuple[Tensor, Tensor]
"""z, and the numbers of the rows they belong to."""


@dataclass(frozen=True)
class Backpropagation:
    """Sizes and rates; see `MIBackprop` for where the values come from.

    Attributes
    ----------
    lam : float
        Weight of the information.
    steps : int
        Steps of the estimator a round.
    pool : int
        Batches that are encoded once a round for these steps.
    noise : float
        Standard deviation of the noise on z, drawn anew in every step.
    ramp : float
        Share of the rounds over which lambda grows from 0.
    clip : {"tensor", "global", None}
        How the information's gradient is bounded by the task's.
    optimisers : {1, 2}
        One combined step as in Algorithm 1, or the authors' code: Adam for the task, then Adam with rate times lambda
        for the information, then the estimator.
    decays : bool
        Whether rates fall towards the end.
    estimator_clip : float or None
        Largest norm of the estimator's gradient.
    """

    lam: float = 1.0
    rounds: int = 1500
    batch: int = 128
    steps: int = 20
    pool: int = 4
    rate: float = 1e-3
    estimator_rate: float = 1e-3
    noise: float = 0.0
    ramp: float = 0.0
    clip: str | None = "tensor"
    optimisers: int = 1
    decays: bool = False
    estimator_clip: float | None = None


@dataclass
class LabelledRows:
    """The training rows as tensors on the device.

    Attributes
    ----------
    H : Tensor (n, p)
    labels : Tensor (n,)
        Class codes, -1 where missing.
    learned, held : WeightedRows
        Rows that are learned from, and rows for the curves.
    """

    H: Tensor
    labels: Tensor
    learned: WeightedRows
    held: WeightedRows


@dataclass
class InformationGame:
    """Builds the players, remembers the curves.

    Attributes
    ----------
    encoder, head : nn.Module
        From rows to z and from z to logits.
    """

    rows: LabelledRows
    recipe: Backpropagation
    encoder: nn.Module
    head: nn.Module
    term: InformationTerm
    fabric: "Fabric"
    curves: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in CURVES})
    rounds: int = 0

    def __post_init__(self) -> None:
        self.network = nn.ModuleDict({"encoder": self.encoder, "head": self.head})
        for module in (self.network, self.term.module):
            self.fabric.setup_module(module)
        self._sums = dict.fromkeys(SUMMED, 0.0)

    def state_dict(self) -> dict[str, Any]:
        """Return what the game remembers beside weights."""
        curves = {  # JSON has no NaN
            name: [value if math.isfinite(value) else None for value in values] for name, values in self.curves.items()
        }
        return {"curves": curves, "rounds": self.rounds, "sums": self._sums}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take back what `state_dict` returned."""
        self.curves = {
            name: [math.nan if value is None else value for value in values] for name, values in state["curves"].items()
        }
        self.rounds, self._sums = int(state["rounds"]), dict(state["sums"])

    def play(
        self,
        seed: int,
        *,
        checkpoint: Checkpoint = NOWHERE,
        label: str = "Training",
    ) -> None:
        """Play to the end; the last state is kept, as in the paper."""
        rounds = self.recipe.rounds
        Game(
            self.players(),
            rounds=rounds,
            fabric=self.fabric,
            seed=seed,
            memory=self,
            checkpoint=checkpoint,
            label=label,
        ).play()
        settle: Callable[[Tensor], None] | None = getattr(self.encoder, "settle", None)
        if settle is not None:
            some = self.rows.learned.rows
            settle(self.rows.H[some[:: max(1, len(some) // SETTLED)]])
        checkpoint.remove()

    def players(self) -> list[Player]:
        """Return the players in the order in which they move."""
        recipe, fused = self.recipe, self.fabric.device.type in ("cpu", "cuda")
        schedule = flat_then_cosine if recipe.decays else constant
        learning: list[Player] = []
        if recipe.lam > 0 and any(True for _ in self.term.module.parameters()):
            adam = torch.optim.Adam(self.term.module.parameters(), recipe.estimator_rate, fused=fused)
            learning.append(
                Player(
                    "estimator",
                    self.term.module,
                    adam,
                    recipe.steps,
                    self._cached_batches,
                    lambda batch: self.term.loss(*self._noisy(batch)),
                    clip=recipe.estimator_clip,
                )
            )

        def player(name: str, rate: float, gradients: Callable[[Any], Tensor]) -> Player:
            adam = torch.optim.Adam(self.network.parameters(), rate, fused=fused)
            return Player(
                name, self.network, adam, 1, self._batches, lambda batch: self._task(batch[0])[0], schedule,
                gradients=gradients,
            )  # fmt: skip

        if recipe.optimisers == 1 or recipe.lam == 0:
            return [*learning, player("encoder", recipe.rate, self._combined)]
        return [
            player("task", recipe.rate, lambda batch: self._combined(batch, task_only=True)),
            player("information", recipe.rate * recipe.lam, self._information_alone),
            *learning,
        ]

    def release(self, rows: Tensor) -> Tensor:
        """Return z of `rows` with fresh noise."""
        Z: Tensor = self.encoder(self.rows.H[rows])
        return self._noisy((Z, rows))[0]

    def _noisy(self, batch: Pool) -> Pool:
        Z, rows = batch
        return (Z + self.recipe.noise * torch.randn_like(Z) if self.recipe.noise else Z), rows

    def _pool(self) -> Pool:
        rows = self.rows.learned.draw(self.recipe.batch * self.recipe.pool)
        # One batch at a time: what a convolution makes of more does not stay in the cache.
        return torch.cat([self.encoder(self.rows.H[part]) for part in torch.split(rows, self.recipe.batch)]), rows

    def _cached_batches(self, moves: int) -> list[Pool]:
        """Return one batch a move from a pool that is encoded once: first each row in turn, then at random."""
        Z, rows = self._pool()
        order = list(torch.split(torch.arange(len(rows), device=rows.device), self.recipe.batch))[:moves]
        order += drawn(torch.arange(len(rows), device=rows.device), moves - len(order), self.recipe.batch).unbind(0)
        return [(Z[part], rows[part]) for part in order]

    def _batches(self, moves: int) -> list[tuple[Tensor, Pool | None]]:
        """Return rows and, where the information is a closed form, a pool that makes its covariances steady."""
        closed = self.recipe.lam > 0 and not any(True for _ in self.term.module.parameters())
        return [
            (self.rows.learned.draw(self.recipe.batch), self._noisy(self._pool()) if closed else None)
            for _ in range(moves)
        ]

    def _task(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        Z = self.release(rows)
        labels = self.rows.labels[rows]
        known = (labels >= 0).sum().clamp(min=1)
        return functional.cross_entropy(self.head(Z), labels, ignore_index=-1, reduction="sum") / known, Z

    def _combined(self, batch: tuple[Tensor, Pool | None], task_only: bool = False) -> Tensor:
        """Fill g_task + lambda g_mi, line 11 of Algorithm 1; line 12 moves the head by the task alone."""
        rows, pool = batch
        self.network.zero_grad(set_to_none=True)
        loss, Z = self._task(rows)
        own, inside = list(self.network.parameters()), list(self.encoder.parameters())
        weight = 0.0 if task_only else self._weight()
        task = gradients_of(loss, own, retain=weight > 0)
        for parameter, gradient in zip(own, task, strict=True):
            parameter.grad = gradient
        information = Z.new_zeros(())
        if weight > 0:
            information = self.term.information(Z, rows, pool)
            others = adaptively_clipped(gradients_of(information, inside), [p.grad for p in inside], self.recipe.clip)
            for parameter, gradient in zip(inside, others, strict=True):
                if gradient is not None:
                    parameter.grad = weight * gradient if parameter.grad is None else parameter.grad + weight * gradient
            self._sums["information_gradient"] += norm(others)
        self._sums["task"] += float(loss.detach())
        self._sums["task_gradient"] += norm(task)
        self._count()
        return loss + weight * information.detach()

    def _information_alone(self, batch: tuple[Tensor, Pool | None]) -> Tensor:
        """Fill the clipped gradient of the information only: the second optimiser's, whose rate holds lambda."""
        rows, pool = batch
        self.network.zero_grad(set_to_none=True)
        loss, Z = self._task(rows)
        inside = list(self.encoder.parameters())
        task = gradients_of(loss, inside, retain=True)
        information = self.term.information(Z, rows, pool)
        others = adaptively_clipped(gradients_of(information, inside), task, self.recipe.clip)
        for parameter, gradient in zip(inside, others, strict=True):
            parameter.grad = gradient
        self._sums["information_gradient"] += norm(others)
        return information.detach()

    def _weight(self) -> float:
        ramp = self.recipe.ramp * self.recipe.rounds
        return self.recipe.lam * (min(1.0, self.rounds / ramp) if ramp else 1.0)

    def _count(self) -> None:
        """Add a point to the curves where one is due."""
        self.rounds += 1
        every = max(1, self.recipe.rounds // LOOKS)
        if self.rounds % every == 0:
            for name in SUMMED:
                self.curves[name].append(self._sums[name] / every)
                self._sums[name] = 0.0
            self.curves["leakage"].append(self.held_out())

    @torch.no_grad()
    def held_out(self) -> float:
        """Return the estimator's value on rows that nobody learned from."""
        training = self.network.training
        self.network.eval()
        rows = self.rows.held.some(LOOKED_AT)
        Z = torch.cat([self.release(part) for part in torch.split(rows, self.recipe.batch)])
        self.network.train(training)
        value = float(self.term.information(Z, rows))
        return value if math.isfinite(value) else math.nan

    @torch.no_grad()
    def released(self, rows: Tensor) -> Tensor:
        """Return z of `rows` with fresh noise from the networks as they are."""
        self.network.eval()
        return torch.cat([self.release(part) for part in torch.split(rows, self.recipe.batch)]).float()

    @torch.no_grad()
    def readings(self) -> dict[str, float]:
        """Return cross-entropy and accuracy of the label on held-out rows whose label is known."""
        rows = self.rows.held.rows
        labels = self.rows.labels[rows]
        rows, labels = rows[labels >= 0], labels[labels >= 0]
        if not len(rows):
            return {"held_out_task": math.nan, "held_out_accuracy": math.nan}
        logits = self.head(self.released(rows).to(self.rows.H.dtype)).float()
        right = (logits.argmax(dim=1) == labels).float().mean()
        return {"held_out_task": float(functional.cross_entropy(logits, labels)), "held_out_accuracy": float(right)}
