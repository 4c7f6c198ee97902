"""A network that scores the columns of a table one after the other: each given some numbers and the columns before it.

Neural autoregressive estimation (H. Larochelle and I. Murray, AISTATS 2011), given Z: what the columns before say is a
sum of one vector per column and cell in the first layer, so that a step costs no more than one small layer.
"""

from collections.abc import Generator, Sequence
from itertools import accumulate

import torch
from torch import Tensor, nn
from torch.nn import functional

FIRST, SECOND = 128, 64  # hidden units of the first layer, where columns add up, and of the second


class ColumnChain(nn.Module):
    """Scores of the cells of each column, given Z and the cells of the columns before it in `order`.

    Parameters
    ----------
    width : int
        Numbers in Z.
    counts : sequence of int
        Cells of each column.
    order : sequence of int
        Columns in the order in which they are scored.

    Examples
    --------
    >>> chain = ColumnChain(3, (2, 4), (1, 0))
    >>> scores = chain.scores(torch.zeros(5, 3), torch.zeros(5, 2, dtype=torch.int64), [0, 1])
    >>> [(j, of_cells.shape[1]) for j, of_cells in scores]
    [(1, 4), (0, 2)]
    """

    def __init__(self, width: int, counts: Sequence[int], order: Sequence[int]) -> None:
        super().__init__()
        self.counts, self.order = tuple(counts), tuple(order)
        cells, columns = sum(self.counts), len(self.counts)
        self.starts = tuple(accumulate(self.counts, initial=0))
        self.reader = nn.Linear(width, FIRST)
        self.said = nn.Parameter(torch.randn(cells, FIRST) * 0.1)
        self.first = nn.Parameter(torch.zeros(columns, FIRST))
        self.middle = nn.Linear(FIRST, SECOND)
        self.second = nn.Parameter(torch.zeros(columns, SECOND))
        self.head = nn.Parameter(torch.randn(cells, SECOND) * 0.3 * SECOND**-0.5)
        self.level = nn.Parameter(torch.zeros(cells))

    def scores(self, Z: Tensor, cells: Tensor, steps: Sequence[int]) -> list[tuple[int, Tensor]]:
        """Return the columns at `steps` of the order, increasing, each with the scores of its cells, (n, cells).

        They are log-probabilities up to a constant. The cells of all columns, (n, columns), are known.
        """
        last, chosen = steps[-1], [self.order[step] for step in steps]
        known = (cells + cells.new_tensor(self.starts[:-1]))[:, list(self.order[:last])]
        # What is said between two steps is added up at once: a third of the time of a sum after every column.
        begins = torch.tensor([0, *steps[:-1]], device=cells.device) + last * torch.arange(
            len(cells), device=cells.device
        ).unsqueeze(1)
        between = functional.embedding_bag(known.reshape(-1), self.said, begins.reshape(-1), mode="sum")
        before = between.view(len(cells), len(steps), -1).cumsum(dim=1)
        hidden = functional.silu(self.reader(Z)[:, None] + before + self.first[chosen])
        hidden = functional.silu(self.middle(hidden) + self.second[chosen])
        heads, levels = (torch.split(part, list(self.counts)) for part in (self.head, self.level))
        return [(j, hidden[:, i] @ heads[j].T + levels[j]) for i, j in enumerate(chosen)]

    @torch.no_grad()
    def walk(self, Z: Tensor) -> Generator[tuple[int, Tensor], Tensor, None]:
        """Yield each column in `order` with its scores; send back the cells that were chosen, (n,)."""
        state = self.reader(Z)
        for j in self.order:
            hidden = functional.silu(self.middle(functional.silu(state + self.first[j])) + self.second[j])
            own = slice(self.starts[j], self.starts[j + 1])
            chosen = yield j, hidden @ self.head[own].T + self.level[own]
            state = state + self.said[chosen + self.starts[j]]
