"""Rows that stand for the symbols of a finite release, so that a table comes out: valid values, seen together.

Given the symbol, which row is released hangs on nothing but the key and the record, so the table tells of anybody's
attributes exactly what the symbol tells. The rows themselves are real training rows, as coarse as the codec's cells: a
number is the median of its cell, a rare level is pooled. They come from cells of the code that say of the utility
attribute what the symbol says, so that a model of the original records reads from them what the symbol tells; no
symbol has fewer than ten records behind it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import xlogy

from withhold.data.codec import TableCodec

KEPT = 256  # rows a symbol: its columns' shares come out within .03
LOOKED_AT = 512  # rows among which the most typical is chosen
BEHIND = 50  # records, at least, of the cells that a symbol's rows come from
FLOOR = 1e-3  # a class that a cell never shows is this rare there


@dataclass(frozen=True)
class RowBank:
    """Rows of each symbol; the first is the most typical.

    Attributes
    ----------
    cells : ndarray of int32 (n_rows, n_columns)
        As `TableCodec.cells` gives them, symbol after symbol.
    starts : ndarray of int64 (n_symbols + 1,)
        Where the rows of each symbol begin, and the end.
    """

    cells: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, cells: np.ndarray, shares: np.ndarray, rows: int, rng: np.random.Generator) -> Self:
        """Choose `rows` rows for each symbol, with probability in proportion to their shares.

        Parameters
        ----------
        cells : ndarray (n, n_columns)
            Of the training rows.
        shares : ndarray (n_symbols, n)
            How likely each training row is chosen for a symbol, up to a factor; none is chosen for a share of zero.
        rows : int
            1: only the most typical.
        """
        chosen, sizes = [], []
        for share in shares:
            possible = np.flatnonzero(share > 0)
            # Largest of exponentials at these rates: draws without replacement in proportion to the shares.
            with np.errstate(divide="ignore"):
                order = possible[np.argsort(rng.exponential(size=len(possible)) / share[possible])]
            order = order if len(order) else rng.integers(len(cells), size=1)
            typical = _most_typical(cells[order[:LOOKED_AT]])
            own = np.r_[order[typical], order[:rows][: rows - 1]]
            chosen.append(cells[own])
            sizes.append(len(own))
        return cls(np.concatenate(chosen).astype(np.int32), np.cumsum([0, *sizes]))

    def table(self, symbols: np.ndarray, uniform: np.ndarray | None, codec: TableCodec) -> pa.Table:
        """Return a row for each symbol: the one at quantile `uniform` in [0, 1) of its rows, or the most typical."""
        first, size = self.starts[symbols], np.diff(self.starts)[symbols]
        offset = 0 if uniform is None else np.minimum((uniform * size).astype(np.int64), size - 1)
        return codec.from_cells(self.cells[first + offset])

    def state(self) -> dict[str, np.ndarray]:
        """Return all as arrays."""
        return {"cells": self.cells, "starts": self.starts}

    @classmethod
    def restore(cls, state: Mapping[str, np.ndarray]) -> Self:
        """Rebuild from what `state` returned."""
        cells, starts = state["cells"], state["starts"]
        whole = cells.ndim == 2 and cells.dtype.kind == starts.dtype.kind == "i" and cells.min(initial=0) >= 0
        if not whole or starts.ndim != 1 or len(starts) < 2 or (starts[0], starts[-1]) != (0, len(cells)):
            raise ValueError("rows of other symbols than stated")
        if (np.diff(starts) < 1).any():
            raise ValueError("a symbol without a row")
        return cls(cells, starts)


def faithful_cells(channel: np.ndarray, of_u: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return which cells the rows of each symbol come from, as a mask of shape (n_symbols, n_cells).

    The first cell of a symbol is that of least divergence of p(u | symbol) from p(u | cell), each cell for one symbol
    where there are enough of them; more follow while they hold few records.

    Parameters
    ----------
    channel : ndarray (n_symbols, n_cells)
    of_u : ndarray (n_cells, n_u)
        p(cell, u).
    sizes : ndarray (n_cells,)
        Records of each cell.

    Examples
    --------
    >>> of_u = np.array([[0.3, 0.0], [0.2, 0.2], [0.0, 0.3]])
    >>> faithful_cells(np.array([[0.0, 0.1, 1.0], [1.0, 0.9, 0.0]]), of_u, np.array([90, 90, 90])).astype(int).tolist()
    [[0, 0, 1], [0, 1, 0]]
    """
    told = channel @ of_u
    told = told / np.maximum(told.sum(axis=1, keepdims=True), 1e-300)
    shown = np.maximum(of_u / np.maximum(of_u.sum(axis=1, keepdims=True), 1e-300), FLOOR)
    shown /= shown.sum(axis=1, keepdims=True)
    apart = xlogy(told, told).sum(axis=1)[:, None] - told @ np.log(shown).T
    apart = np.where(sizes > 0, apart, np.inf)
    chosen, usable = np.zeros(apart.shape, dtype=bool), np.flatnonzero(sizes > 0)
    if len(apart) <= len(usable):
        # A heavy symbol's faith counts more.
        rows, columns = linear_sum_assignment((channel @ sizes)[:, None] * apart[:, usable])
        chosen[rows, usable[columns]] = True
    else:
        chosen[np.arange(len(apart)), apart.argmin(axis=1)] = True
    free = usable[~chosen[:, usable].any(axis=0)]
    for symbol in range(len(apart)):
        for cell in free[np.argsort(apart[symbol, free])]:
            if sizes[chosen[symbol]].sum() >= BEHIND:
                break
            chosen[symbol, cell] = True
    return chosen


def _most_typical(cells: np.ndarray) -> int:
    """Return the number of the row whose values are each the most common."""
    score = np.zeros(len(cells))
    for column in cells.T:
        score += np.log(np.bincount(column)[column])
    return int(score.argmax())
