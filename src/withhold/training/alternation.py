"""Descent of inference networks and a filter in turns, one step each, as adversarial methods are printed."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from withhold.training.filtering import Filtering
from withhold.training.game import Game, Player
from withhold.training.progress import Progress

if TYPE_CHECKING:
    from lightning_fabric import Fabric

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
    batch : int
    rate : float
    fabric : Fabric
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
            drawn = torch.randint(len(rows), (moves, min(batch, len(rows))), device=rows.device)
            return list(rows[drawn].unbind(0))

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
        checkpoint: Path | None = None,
        fingerprint: str = "",
        label: str = "Training",
        progress: Progress | None = None,
    ) -> None:
        """Play all rounds; a checkpoint is gone on from, and removed at the end."""
        Game(
            self.players,
            rounds=rounds,
            fabric=self.fabric,
            seed=seed,
            memory=self,
            checkpoint=checkpoint,
            save_every=max(10, rounds // 20),
            fingerprint=fingerprint,
            label=label,
        ).play(progress=progress)
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
