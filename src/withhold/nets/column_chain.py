"""A network that scores the columns of a table one after the other: each given some numbers and the columns before it.

Neural autoregressive estimation (H. Larochelle and I. Murray, AISTATS 2011), given Z: what the columns before say is a
sum of one vector per column and cell in the first layer, so that a step costs no more than one small layer.
"""

from collections.abc import Generator, Sequence
from itertools import accumulate

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.parametrize import register_parametrization, remove_parametrizations

FIRST, SECOND = 128, 64  # hidden units of the first layer, where columns add up, and of the second
WAVES = 6  # smooth functions of the place of a cell among those of its column
ALONG = ("said", "head")  # what is learned of each cell, and along the cells of a column with an order


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

    def learn_along(self, ordered: Sequence[int]) -> None:
        """Let what is learned of a cell of the columns `ordered` be learned of its neighbours too, until `settle_down`.

        Examples
        --------
        >>> chain, known = ColumnChain(3, (2, 40), (0, 1)), torch.zeros(5, 2, dtype=torch.int64)
        >>> before = chain.scores(torch.zeros(5, 3), known, [0, 1])[1][1]
        >>> chain.learn_along([1])
        >>> chain.settle_down()
        >>> bool((chain.scores(torch.zeros(5, 3), known, [0, 1])[1][1] == before).all())
        True
        """
        for name in ALONG:
            register_parametrization(self, name, AlongCells(self.counts, ordered, getattr(self, name).shape[1]))

    def settle_down(self) -> None:
        """End what `learn_along` began: what was learned stays, each cell by itself."""
        for name in ALONG:
            remove_parametrizations(self, name)

    def scores(
        self, Z: Tensor, cells: Tensor, steps: Sequence[int], drop: Sequence[Tensor] | None = None
    ) -> list[tuple[int, Tensor]]:
        """Return the columns at `steps` of the order, increasing, each with the scores of its cells, (n, cells).

        They are log-probabilities up to a constant. The cells of all columns, (n, columns), are known. `drop` are
        factors of the hidden units, (n, `FIRST`) and (n, `SECOND`), the same for all columns of a record.
        """
        first, second = (None, None) if drop is None else (factors[:, None] for factors in drop)
        last, chosen = steps[-1], [self.order[step] for step in steps]
        known = (cells + cells.new_tensor(self.starts[:-1]))[:, list(self.order[:last])]
        # What is said between two steps is added up at once: a third of the time of a sum after every column.
        begins = torch.tensor([0, *steps[:-1]], device=cells.device) + last * torch.arange(
            len(cells), device=cells.device
        ).unsqueeze(1)
        between = functional.embedding_bag(known.reshape(-1), self.said, begins.reshape(-1), mode="sum")
        before = between.view(len(cells), len(steps), -1).cumsum(dim=1)
        hidden = functional.silu(self.reader(Z)[:, None] + before + self.first[chosen])
        hidden = hidden if first is None else hidden * first
        hidden = functional.silu(self.middle(hidden) + self.second[chosen])
        hidden = hidden if second is None else hidden * second
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


class AlongCells(nn.Module):
    """Weights of cells as a part of each cell alone and a part that changes slowly along the cells of its column.

    Parameters
    ----------
    counts : sequence of int
        Cells of each column.
    ordered : sequence of int
        Columns whose cells have an order; the others have the first part alone.
    width : int
        Weights of a cell.

    Examples
    --------
    >>> AlongCells((2, 40), [1], 3)(torch.ones(42, 3)).unique().tolist()
    [1.0]
    """

    basis: Tensor

    def __init__(self, counts: Sequence[int], ordered: Sequence[int], width: int) -> None:
        super().__init__()
        starts = tuple(accumulate(counts, initial=0))
        basis = torch.zeros(starts[-1], WAVES * len(ordered))
        for k, j in enumerate(ordered):
            place = (torch.arange(counts[j]) + 0.5) / counts[j]
            waves = torch.cos(torch.pi * torch.arange(1, WAVES + 1) * place[:, None])
            basis[starts[j] : starts[j + 1], WAVES * k : WAVES * (k + 1)] = waves
        self.register_buffer("basis", basis)
        self.slow = nn.Parameter(torch.zeros(basis.shape[1], width))

    def forward(self, own: Tensor) -> Tensor:
        """Return the weights, given the part of each cell alone."""
        return own + self.basis @ self.slow
