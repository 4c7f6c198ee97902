"""Networks that learn what is fixed: p(u | x) from the records, and a utility model that has no gradient of its own."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from withhold.contracts.errors import InvalidParameterError
from withhold.training.batches import drawn
from withhold.training.game import Game, Player, cosine
from withhold.training.recipe import Records

if TYPE_CHECKING:
    from lightning_fabric import Fabric
from collections.abc import Sequence
from dataclasses import dataclass

from torch.nn import functional

from withhold.nets.perceptron import Perceptron
from withhold.training.descent import descend
from withhold.training.session import private_randomness

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
    seed, rounds, batch, rate
        Of the training.
    """
    layout, utility = records.utility_layout, records.utility
    if layout is None or utility is None:
        raise InvalidParameterError("The records have no utility attribute to learn. Pass y.")
    rows = torch.from_numpy((records.folds >= 0).nonzero()[0]).to(records.H.device)

    def batches(moves: int) -> list[Tensor]:
        return list(drawn(rows, moves, min(batch, len(rows))).unbind(0))

    def loss(chosen: Tensor) -> Tensor:
        known = (~utility[chosen].isnan()).sum().clamp(min=1)
        return -layout.log_density(net(records.H[chosen]), utility[chosen]).sum() / known

    adam = torch.optim.Adam(net.parameters(), rate)
    player = Player("posterior", net, adam, 1, batches, loss, cosine)
    Game([player], rounds=rounds, fabric=fabric, seed=seed, label="Reading utility").play()
    with torch.no_grad():
        return torch.cat([net(part) for part in torch.split(records.H, CHUNK)])


@dataclass(frozen=True)
class Distilled:
    """A student, and how far it is from its teacher on rows that it did not learn from.

    Attributes
    ----------
    net : Module
        Frozen; returns logits.
    divergence : float
        Mean KL(teacher || student), in nats.
    agreement : float
        Share of rows with the same most likely class.
    """

    net: nn.Module
    divergence: float
    agreement: float


def distil(inputs: Tensor, log_shares: Tensor, hidden: Sequence[int], seed: int) -> Distilled:
    """Fit a perceptron to a teacher's log-probabilities.

    Parameters
    ----------
    inputs : Tensor (n, width)
        Rows that the teacher was asked about: they should cover what the student will be shown.
    log_shares : Tensor (n, n_classes)
        What it said.

    Examples
    --------
    >>> import torch
    >>> x = torch.randn(600, 2, generator=torch.Generator().manual_seed(0))
    >>> said = torch.stack([torch.zeros(600), 3 * x[:, 0]], dim=1).log_softmax(dim=1)
    >>> found = distil(x, said, (16,), seed=0)
    >>> found.divergence < 0.01, found.agreement > 0.9
    (True, True)
    """
    with private_randomness(inputs.device, seed):
        net = Perceptron((inputs.shape[1], *hidden, log_shares.shape[1])).to(inputs.device)

    def divergence(rows: Tensor) -> Tensor:
        said = functional.log_softmax(net(inputs[rows]), dim=1)
        return functional.kl_div(said, log_shares[rows], reduction="batchmean", log_target=True)

    held = descend(net, divergence, len(inputs), seed)
    net.eval().requires_grad_(False)
    agree = (net(inputs[held]).argmax(dim=1) == log_shares[held].argmax(dim=1)).float().mean()
    return Distilled(net, float(divergence(held)), float(agree))
