"""Critics: networks that score how well two records' parts belong together, all pairs of two batches at once."""

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn import functional

from withhold.nets.perceptron import Perceptron


class SeparableCritic(nn.Module):
    """T(a, b) = f(a) . g(b) + u(a) + v(b): an embedding of each side, so that n^2 pairs cost 2n network passes.

    Each embedding is a perceptron plus a linear map: linear dependence in many dimensions, the common case, then needs
    few rows to be found.

    Parameters
    ----------
    a_width, b_width : int
        Inputs of each side.
    hidden : sequence of int
        Widths of the hidden layers of each embedding.
    dimensions : int, default=32
        Width of the embeddings.

    Examples
    --------
    >>> import torch
    >>> critic = SeparableCritic(3, 2, (16,))
    >>> critic(torch.zeros(4, 3), torch.zeros(5, 2)).shape
    torch.Size([4, 5])
    """

    def __init__(self, a_width: int, b_width: int, hidden: Sequence[int], dimensions: int = 32) -> None:
        super().__init__()
        self.a_side = Perceptron((a_width, *hidden, dimensions + 1))
        self.b_side = Perceptron((b_width, *hidden, dimensions + 1))
        self.a_line = nn.Linear(a_width, dimensions, bias=False)
        self.b_line = nn.Linear(b_width, dimensions, bias=False)
        self.scale = dimensions**-0.5

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """Return scores of all pairs, shape (len(a), len(b)); entry (i, i) belongs together."""
        left, right = self.a_side(a), self.b_side(b)
        f, g = left[:, :-1] + self.a_line(a), right[:, :-1] + self.b_line(b)
        scores: Tensor = f @ g.T * self.scale + left[:, -1:] + right[:, -1]
        return scores

    def paired(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the scores of rows that stand side by side, shape (n,)."""
        left, right = self.a_side(a), self.b_side(b)
        f, g = left[:, :-1] + self.a_line(a), right[:, :-1] + self.b_line(b)
        scores: Tensor = (f * g).sum(dim=1) * self.scale + left[:, -1] + right[:, -1]
        return scores


class JointCritic(nn.Module):
    """T(a, b) from one perceptron that sees both sides, as in the papers; n^2 pairs cost n^2 passes.

    The first layer is a sum of a part for a and a part for b, computed once for each record.

    Parameters
    ----------
    a_width, b_width : int
        Inputs of each side.
    hidden : sequence of int
        Widths of the hidden layers, at least one.

    Examples
    --------
    >>> import torch
    >>> critic = JointCritic(3, 2, (16, 16))
    >>> critic(torch.zeros(4, 3), torch.zeros(5, 2)).shape
    torch.Size([4, 5])
    """

    def __init__(self, a_width: int, b_width: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.a_side = nn.Linear(a_width, hidden[0])
        self.b_side = nn.Linear(b_width, hidden[0], bias=False)
        self.rest = Perceptron((*hidden, 1))

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """Return scores of all pairs, shape (len(a), len(b)); entry (i, i) belongs together."""
        both = functional.relu(self.a_side(a)[:, None] + self.b_side(b)[None])
        scores: Tensor = self.rest(both).squeeze(-1)
        return scores

    def paired(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the scores of rows that stand side by side, shape (n,); n passes."""
        scores: Tensor = self.rest(functional.relu(self.a_side(a) + self.b_side(b))).squeeze(-1)
        return scores
