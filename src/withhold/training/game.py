"""The alternating game: players with their own optimisers and objectives move in turn, the others stand still."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor, nn

from withhold.contracts.errors import NumericalError
from withhold.training.checkpoint import NOWHERE, Checkpoint, optimiser_tensors, restore_optimiser
from withhold.training.session import Progress, generator_states, private_randomness, restore_generators

if TYPE_CHECKING:
    from lightning_fabric import Fabric


FLAT = 0.6  # share of the game at full rate: the constraint settles before the rate falls
FLOOR = 0.05


def flat_then_cosine(share: float) -> float:
    """Return the factor of the rate at a share of the game in [0, 1].

    Examples
    --------
    >>> flat_then_cosine(0.3), round(flat_then_cosine(1.0), 3)
    (1.0, 0.05)
    """
    if share < FLAT:
        return 1.0
    return FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * (share - FLAT) / (1 - FLAT)))


def constant(share: float) -> float:
    """Return 1: the rate does not change."""
    return 1.0


def cosine(share: float) -> float:
    """Return the factor of a rate that falls to 0 over the whole game."""
    return 0.5 * (1 + math.cos(math.pi * share))


class Memory(Protocol):
    """What a game remembers beside weights, such as a multiplier; JSON values."""

    def state_dict(self) -> dict[str, Any]: ...  # noqa: D102
    def load_state_dict(self, state: dict[str, Any]) -> None: ...  # noqa: D102


@dataclass
class Player:
    """One side of a game.

    Attributes
    ----------
    module : nn.Module
        All that this player moves.
    optimiser : torch.optim.Optimizer
        Over the parameters of `module`.
    steps : int
        Moves a round.
    batches : callable
        Given the number of moves, returns that many batches. Called once a round without gradient, so that what
        the other players contribute can be computed for all moves at once.
    loss : callable
        Objective of one batch.
    gradients : callable or None
        Fills the gradients of `module` itself and returns the loss of one batch, where they are more than those of
        one loss; `loss` is then not called.
    schedule : callable
        Factor of the learning rate at a share of the game in [0, 1).
    clip : float or None
        Largest norm of the gradient.
    """

    name: str
    module: nn.Module
    optimiser: Any
    steps: int
    batches: Callable[[int], Sequence[Any]]
    loss: Callable[[Any], Tensor]
    schedule: Callable[[float], float] = lambda share: 1.0
    clip: float | None = None
    gradients: Callable[[Any], Tensor] | None = None
    rate: float = field(init=False)

    def __post_init__(self) -> None:
        self.rate = float(self.optimiser.param_groups[0]["lr"])


class Game:
    """Plays rounds, keeps the best state by a judgement on held-out rows, and can be stopped and resumed.

    Parameters
    ----------
    players : sequence of Player
        In the order in which they move.
    fabric : Fabric
        Device and precision.
    seed : int
        Of torch's randomness within the game.
    judge : callable, optional
        Returns a tuple to be made small, compared lexicographically, such as (violation, loss). The state with the
        smallest is restored at the end. Without it the last state stays.
    every : int
        Rounds between judgements.
    patience : int, optional
        Judgements without improvement after which the game ends.
    warm_up : int
        Rounds before the first judgement.
    checkpoint : Checkpoint
        It stays: its owner removes it when the work is done.
    save_every : int, optional
        Rounds between checkpoints; by default 20 a game, at least ten rounds apart.
    label : str
        Shown at the progress bar.
    """

    def __init__(
        self,
        players: Sequence[Player],
        *,
        rounds: int,
        fabric: "Fabric",
        seed: int,
        judge: Callable[[], tuple[float, ...]] | None = None,
        every: int = 50,
        patience: int | None = None,
        warm_up: int = 0,
        memory: Memory | None = None,
        checkpoint: Checkpoint = NOWHERE,
        save_every: int | None = None,
        label: str = "Training",
    ) -> None:
        self.players, self.rounds, self.fabric, self.seed = tuple(players), rounds, fabric, seed
        self.judge, self.every, self.patience, self.warm_up = judge, every, patience, warm_up
        self.memory, self.checkpoint, self.label = memory, checkpoint, label
        self.save_every = save_every or max(10, rounds // 20)
        self.round = 0
        self.best_round: int | None = None
        self.best: tuple[float, ...] | None = None
        self._kept: dict[str, dict[str, Tensor]] = {}
        self._bad = 0
        for player in self.players:
            fabric.setup_module(player.module)
            player.optimiser = fabric.setup_optimizers(player.optimiser)
        self._parameters = {p.name: list(p.module.parameters()) for p in self.players}

    def play(self) -> None:
        """Play to the end and restore the best state.

        Raises
        ------
        NumericalError
            A loss is no longer finite.
        """
        with private_randomness(self.fabric.device, self.seed), Progress(self.label, total=self.rounds) as bar:
            if self.checkpoint.exists:
                self._load()
            bar.advance(self.round)
            while self.round < self.rounds and (self.patience is None or self._bad < self.patience):
                self._play_round()
                self.round += 1
                bar.advance()
                if self.judge is not None and self.round > self.warm_up and self.round % self.every == 0:
                    self._judge(self.judge)
                if self.round % self.save_every == 0 or self.round == self.rounds:
                    self._save()
        for player in self.players:
            if self._kept:
                player.module.load_state_dict(self._kept[player.name])
            player.module.eval().requires_grad_(False)

    def _play_round(self) -> None:
        share, losses = self.round / self.rounds, []
        for player in self.players:
            for other in self.players:
                other.module.train(other is player)
                for parameter in self._parameters[other.name]:
                    parameter.requires_grad_(other is player)
            for parameter in self._parameters[player.name]:
                parameter.requires_grad_(True)  # it may be another player's too
            for group in player.optimiser.param_groups:
                group["lr"] = player.rate * player.schedule(share)
            with torch.no_grad(), self.fabric.autocast():
                # Others stand still while this player moves, and so does it while batches are made.
                player.module.eval()
                batches = player.batches(player.steps)
                player.module.train()
            for batch in batches:
                player.optimiser.zero_grad(set_to_none=True)
                with self.fabric.autocast():
                    loss = player.loss(batch) if player.gradients is None else player.gradients(batch)
                if player.gradients is None:
                    self.fabric.backward(loss)
                if player.clip is not None:
                    nn.utils.clip_grad_norm_(self._parameters[player.name], player.clip)
                player.optimiser.step()
            losses.append(loss.detach().float())
        if not all(math.isfinite(value) for value in torch.stack(losses).tolist()):
            raise self._broken(losses)

    def _judge(self, judge: Callable[[], tuple[float, ...]]) -> None:
        for player in self.players:
            player.module.eval()
        with torch.no_grad(), self.fabric.autocast():
            now = judge()
        if self.best is None or now < self.best:
            self.best, self.best_round, self._bad = now, self.round, 0
            self._kept = {
                p.name: {name: value.detach().clone() for name, value in p.module.state_dict().items()}
                for p in self.players
            }
        else:
            self._bad += 1

    def _save(self) -> None:
        if self.checkpoint.path is None:
            return
        tensors: dict[str, Any] = {}
        for player in self.players:
            tensors |= {f"module.{player.name}.{n}": v for n, v in player.module.state_dict().items()}
            tensors |= {f"optimiser.{player.name}.{n}": v for n, v in optimiser_tensors(player.optimiser).items()}
            tensors |= {f"best.{player.name}.{n}": v for n, v in self._kept.get(player.name, {}).items()}
        tensors |= {f"generator.{n}": v for n, v in generator_states(self.fabric.device).items()}
        state = {
            "round": self.round,
            "best": None if self.best is None else list(self.best),
            "best_round": self.best_round,
            "bad": self._bad,
            "memory": None if self.memory is None else self.memory.state_dict(),
        }
        self.checkpoint.write(state, tensors)

    def _load(self) -> None:
        state, tensors = self.checkpoint.read()
        for player in self.players:
            player.module.load_state_dict(_under(tensors, f"module.{player.name}."))
            restore_optimiser(player.optimiser, _under(tensors, f"optimiser.{player.name}."))
            kept = _under(tensors, f"best.{player.name}.")
            if kept:
                self._kept[player.name] = {name: value.to(self.fabric.device) for name, value in kept.items()}
        states = {name: value.numpy() for name, value in _under(tensors, "generator.").items()}
        restore_generators(self.fabric.device, states)
        self.round, self.best_round, self._bad = int(state["round"]), state["best_round"], int(state["bad"])
        self.best = None if state["best"] is None else tuple(state["best"])
        if self.memory is not None and state["memory"] is not None:
            self.memory.load_state_dict(state["memory"])

    def _broken(self, losses: Sequence[Tensor]) -> NumericalError:
        values = {player.name: float(loss) for player, loss in zip(self.players, losses, strict=True)}
        first = next(name for name, value in values.items() if not math.isfinite(value))
        return NumericalError(
            f"The loss of the player '{first}' became {values[first]} in round {self.round + 1}. "
            "Lower the learning rate, or look for extreme values in the data."
        )


def _under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
