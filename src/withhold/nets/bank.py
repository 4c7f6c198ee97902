"""Networks side by side: the members of a cross-fit, of any kind or perceptrons of one shape in batched products."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


class Bank(nn.Module):
    """Networks side by side that share nothing but the call; `PerceptronBank` is the faster one where they are equal.

    Parameters
    ----------
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


class PerceptronBank(nn.Module):
    """`members` perceptrons that share nothing but the call.

    One batched product for all members is several times cheaper than one call each when nets are small.

    Parameters
    ----------
    widths : sequence of int
        Inputs, hidden layers and outputs of each member.
    dropout : float, default=0.0
        Share of hidden units dropped in training.

    Examples
    --------
    >>> bank = PerceptronBank(4, (3, 8, 2))
    >>> bank(torch.zeros(4, 5, 3)).shape
    torch.Size([4, 5, 2])
    """

    def __init__(self, members: int, widths: Sequence[int], *, dropout: float = 0.0) -> None:
        super().__init__()
        self.members = members
        self.dropout = dropout
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for inputs, outputs in pairwise(widths):
            # As nn.Linear: uniform with variance 1/(3 inputs).
            self.weights.append(nn.Parameter((2 * torch.rand(members, inputs, outputs) - 1) * inputs**-0.5))
            self.biases.append(nn.Parameter(torch.zeros(members, 1, outputs)))

    def forward(self, inputs: Tensor) -> Tensor:
        """Return outputs of shape (members, n, widths[-1]) for inputs of shape (members, n, widths[0])."""
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if i:
                inputs = functional.dropout(functional.relu(inputs), self.dropout, self.training)
            inputs = torch.baddbmm(bias, inputs, weight)
        return inputs
