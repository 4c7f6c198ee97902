"""The filter's side of the game: what its release loses, its distance from the records, the turns of Algorithm 1."""

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from withhold.methods.aioi.filters import Filter
from withhold.training.batches import drawn
from withhold.training.checkpoint import NOWHERE, Checkpoint
from withhold.training.game import Game, Player
from withhold.training.recipe import Records
from withhold.training.releasing import Releasing

if TYPE_CHECKING:
    from lightning_fabric import Fabric


class Filtering(Releasing):
    """A filter of records to their own domain, with the loss of utility it is trained on.

    Parameters
    ----------
    utility : callable
        (release, rows) -> what the release of the rows loses. A module is trained with the filter; what must stay fixed
        is handed in as a function.
    naturalness : float, default=0.0
        Weight of the mean squared change, in units of the records.
    kept : callable, optional
        (release, rows) -> what else the release loses; trained with the filter if it is a module.
    """

    def __init__(
        self,
        records: Records,
        channel: Filter,
        utility: Callable[[Tensor, Tensor], Tensor],
        naturalness: float = 0.0,
        kept: Callable[[Tensor, Tensor], Tensor] | None = None,
    ) -> None:
        super().__init__()
        self.records, self.naturalness = records, naturalness
        self.width = channel.width if channel.code_width is None else channel.code_width
        self.channel, self.utility, self.kept = channel, utility, kept

    def release(self, rows: Tensor) -> Tensor:
        """Return what adversaries read of the rows, with fresh noise: the code, where the filter has one.

        The filtered rows are computed from the code alone, so they tell no more than it does.
        """
        H = self.records.H[rows]
        noise = torch.randn(len(H), self.channel.noise_width, device=H.device, dtype=H.dtype)
        return self.channel.code(H, noise)

    def filtered(self, rows: Tensor) -> Tensor:
        """Return the filtered rows, with fresh noise."""
        return self.channel.decoded(self.release(rows))

    def move(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return what adversaries read of the rows, and what the filtered rows lose."""
        code = self.release(rows)
        Y = self.channel.decoded(code)
        lost = self.utility(Y, rows)
        if self.naturalness:
            lost = lost + self.naturalness * (Y - self.records.H[rows]).square().mean()
        if self.kept is not None:
            lost = lost + self.kept(Y, rows)
        return code, lost

    def settle(self) -> None:
        """Give the filter the exact spread of its outputs."""
        self.channel.settle(self.records.H)


def frozen(module: nn.Module, device: torch.device | None = None) -> Callable[[Tensor], Tensor]:
    """Return a copy of `module` as a function: no optimiser finds it, and it stays as it is, dropout switched off."""
    own = copy.deepcopy(module).to(device).eval().requires_grad_(False)
    return lambda rows: own(rows)


Losses = Callable[[Tensor, Tensor], Tensor]
"""(release, rows) -> a scalar."""


class Alternation:
    """Two players on one batch each a round: networks that infer, then the filter.

    Parameters
    ----------
    side : Filtering
        Only its filter moves.
    inference : nn.Module
        All networks that infer.
    infer, filter : callable
        (release, rows) -> what the inference networks, and the filter, make small.
    """

    def __init__(
        self,
        side: Filtering,
        inference: nn.Module,
        *,
        infer: Losses,
        filter: Losses,
        batch: int,
        rate: float,
        fabric: "Fabric",
    ) -> None:
        self.side, self.fabric = side, fabric
        self.losses = {"inference": infer, "filter": filter}
        self.curves: dict[str, list[float]] = {"inference": [], "filter": []}
        rows = torch.from_numpy((side.records.folds >= 0).nonzero()[0]).to(fabric.device)

        def batches(moves: int) -> list[Tensor]:
            return list(drawn(rows, moves, min(batch, len(rows))).unbind(0))

        def player(name: str, module: nn.Module) -> Player:
            adam = torch.optim.Adam(module.parameters(), rate)
            return Player(name, module, adam, 1, batches, lambda chosen: self._loss(name, chosen))

        self.players = [player("inference", inference), player("filter", side.channel)]

    def _loss(self, name: str, rows: Tensor) -> Tensor:
        loss = self.losses[name](self.side.filtered(rows), rows)
        self.curves[name].append(float(loss.detach()))
        return loss

    def state_dict(self) -> dict[str, Any]:
        """Return what is remembered beside weights."""
        return {"curves": self.curves}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take back what `state_dict` returned."""
        self.curves = {name: list(values) for name, values in state["curves"].items()}

    def play(
        self,
        seed: int,
        rounds: int,
        *,
        checkpoint: Checkpoint = NOWHERE,
        label: str = "Training",
    ) -> None:
        """Play all rounds; a checkpoint is gone on from, and removed at the end."""
        Game(
            self.players,
            rounds=rounds,
            fabric=self.fabric,
            seed=seed,
            memory=self,
            checkpoint=checkpoint,
            label=label,
        ).play()
        checkpoint.remove()
