"""A network that says what a fixed model says, where the model itself has no gradient."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from withhold.nets.perceptron import Perceptron
from withhold.training.descent import descend
from withhold.training.randomness import private_randomness


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
    hidden : sequence of int
    seed : int

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
