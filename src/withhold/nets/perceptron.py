"""The multi-layer perceptron: linear maps with ReLU between them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


class Perceptron(nn.Module):
    """A multi-layer perceptron.

    Parameters
    ----------
    widths : sequence of int
        Inputs, hidden layers and outputs; two numbers make a linear map.
    dropout : float, default=0.0
        Share of hidden units dropped in training.
    standardise : bool, default=False
        Whether outputs are brought to mean 0 and variance 1 by batch normalisation without learned scale, so that
        noise of a fixed size means the same in every dimension and cannot be out-grown.

    Examples
    --------
    >>> net = Perceptron((3, 8, 2), standardise=True)
    >>> Z = net(torch.randn(64, 3, generator=torch.Generator().manual_seed(0)))
    >>> Z.shape, bool((Z.var(dim=0, correction=0) - 1).abs().max() < 1e-2)
    (torch.Size([64, 2]), True)
    """

    def __init__(self, widths: Sequence[int], *, dropout: float = 0.0, standardise: bool = False) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for i, (inputs, outputs) in enumerate(pairwise(widths)):
            if i:
                layers.append(nn.ReLU())
                if dropout:
                    layers.append(nn.Dropout(dropout))
            layers.append(nn.Linear(inputs, outputs))
        self.layers = nn.Sequential(*layers)
        self.norm = nn.BatchNorm1d(widths[-1], affine=False) if standardise else None

    def forward(self, inputs: Tensor) -> Tensor:
        """Return outputs of shape (n, widths[-1])."""
        outputs: Tensor = self.layers(inputs)
        return outputs if self.norm is None else self.norm(outputs)

    def settle(self, inputs: Tensor, chunk: int = 8192) -> None:
        """Replace the running mean and variance of the outputs by those over all of `inputs`."""
        settle(self.norm, self.layers, inputs, chunk)


@torch.no_grad()
def settle(norm: nn.BatchNorm1d | None, read: Callable[[Tensor], Tensor], rows: Tensor, chunk: int) -> None:
    """Replace a running mean and variance by those of what is read of all rows.

    A running mean lags behind the weights; after training the exact figures cost one pass.
    """
    if norm is not None and norm.running_mean is not None and norm.running_var is not None:
        outputs = torch.cat([read(part) for part in torch.split(rows, chunk)]).double()
        norm.running_mean.copy_(outputs.mean(dim=0))
        norm.running_var.copy_(outputs.var(dim=0, correction=0))
