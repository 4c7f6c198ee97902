"""A network that learns p(u | x) from the records themselves."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.training.game import Game, Player
from withhold.training.recipe import Records
from withhold.training.schedules import cosine

if TYPE_CHECKING:
    from lightning_fabric import Fabric

CHUNK = 2_048


def learn_posterior(
    records: Records, net: nn.Module, fabric: "Fabric", *, seed: int, rounds: int, batch: int, rate: float = 3e-3
) -> Tensor:
    """Train `net` on the rows that no fold holds out, and return its outputs for all rows, shape (n, layout.width).

    Parameters
    ----------
    records : Records
        With a utility attribute.
    net : nn.Module
        Takes rows of ``records.H``.
    fabric : Fabric
    seed, rounds, batch, rate
        Of the training.
    """
    layout, utility = records.utility_layout, records.utility
    if layout is None or utility is None:
        why = "A posterior is one of something."
        raise InvalidParameterError(sentence("The records", "with a utility attribute", "none", why, "Pass y."))
    rows = torch.from_numpy((records.folds >= 0).nonzero()[0]).to(records.H.device)

    def batches(moves: int) -> list[Tensor]:
        drawn = torch.randint(len(rows), (moves, min(batch, len(rows))), device=rows.device)
        return list(rows[drawn].unbind(0))

    def loss(chosen: Tensor) -> Tensor:
        known = (~utility[chosen].isnan()).sum().clamp(min=1)
        return -layout.log_density(net(records.H[chosen]), utility[chosen]).sum() / known

    adam = torch.optim.Adam(net.parameters(), rate)
    player = Player("posterior", net, adam, 1, batches, loss, cosine)
    Game([player], rounds=rounds, fabric=fabric, seed=seed, label="Reading utility").play()
    with torch.no_grad():
        return torch.cat([net(part) for part in torch.split(records.H, CHUNK)])
