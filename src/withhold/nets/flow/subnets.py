"""Networks inside a coupling: what one half of a record and its class say about the other half."""

from typing import Any

import torch
from torch import Tensor, nn


class DenseSubnet(nn.Module):
    """Two hidden layers on vectors; the class enters as a bias of the first.

    The last layer starts at zero, so that a coupling starts as the identity.

    Parameters
    ----------
    inputs, hidden, outputs : int
    classes : int
        0 for none.

    Examples
    --------
    >>> net = DenseSubnet(3, 8, 4, classes=2)
    >>> net(torch.ones(5, 3), torch.zeros(5, dtype=torch.long)).abs().sum().item()
    0.0
    """

    def __init__(self, inputs: int, hidden: int, outputs: int, classes: int = 0) -> None:
        super().__init__()
        self.first, self.middle = nn.Linear(inputs, hidden), nn.Linear(hidden, hidden)
        self.last = _silent(nn.Linear(hidden, outputs))
        self.of_class = _class_bias(classes, hidden)

    def forward(self, x: Tensor, labels: Tensor | None) -> Tensor:
        """Return (n, outputs) from x (n, inputs) and labels (n,)."""
        h = self.first(x)
        if self.of_class is not None:
            h = h + self.of_class(labels)
        out: Tensor = self.last(torch.relu(self.middle(torch.relu(h))))
        return out


class ConvolutionalSubnet(nn.Module):
    """Convolutions of sides 3, 1 and 3 on images; the class enters as a bias of the first.

    Parameters
    ----------
    inputs, hidden, outputs : int
        Channels.
    classes : int
        0 for none.

    Examples
    --------
    >>> ConvolutionalSubnet(2, 8, 4)(torch.ones(5, 2, 6, 6), None).shape
    torch.Size([5, 4, 6, 6])
    """

    def __init__(self, inputs: int, hidden: int, outputs: int, classes: int = 0) -> None:
        super().__init__()
        self.first, self.middle = nn.Conv2d(inputs, hidden, 3, padding=1), nn.Conv2d(hidden, hidden, 1)
        self.last = _silent(nn.Conv2d(hidden, outputs, 3, padding=1))
        self.of_class = _class_bias(classes, hidden)

    def forward(self, x: Tensor, labels: Tensor | None) -> Tensor:
        """Return (n, outputs, h, w) from x (n, inputs, h, w) and labels (n,)."""
        h = self.first(x)
        if self.of_class is not None:
            h = h + self.of_class(labels)[:, :, None, None]
        out: Tensor = self.last(torch.relu(self.middle(torch.relu(h))))
        return out


def _class_bias(classes: int, width: int) -> nn.Embedding | None:
    """Return a table of one row a class. A table, not a bare parameter, so that per-sample gradients are known."""
    if not classes:
        return None
    table = nn.Embedding(classes, width)
    nn.init.zeros_(table.weight)
    return table


def _silent(layer: Any) -> Any:
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer
