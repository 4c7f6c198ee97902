"""Networks of any kind side by side: the members of a cross-fit."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class Bank(nn.Module):
    """Networks side by side that share nothing but the call; `PerceptronBank` is the faster one where they are equal.

    Parameters
    ----------
    members : int
    make : callable
        Returns the network of a member, given its number: members may differ.
    centre, spread : float, default=0.0, 1.0
        Subtracted from and divided into the rows first: networks learn faster from standardised pixels.

    Examples
    --------
    >>> Bank(2, lambda i: nn.Linear(3, 4))(torch.zeros(2, 5, 3)).shape
    torch.Size([2, 5, 4])
    """

    def __init__(
        self, members: int, make: Callable[[int], nn.Module], *, centre: float = 0.0, spread: float = 1.0
    ) -> None:
        super().__init__()
        self.nets = nn.ModuleList(make(i) for i in range(members))
        self.centre, self.spread = centre, spread

    def forward(self, Z: Tensor) -> Tensor:
        """Return outputs of shape (members, n, outputs) for rows of shape (members, n, width)."""
        scaled = (Z - self.centre) / self.spread
        return torch.stack([net(rows) for net, rows in zip(self.nets, scaled, strict=True)])
