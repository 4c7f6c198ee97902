"""What stands within the cells of a numeric column: heaps as they are, and runs between them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from withhold.data.columns.cells import NumericCells, limits
from withhold.data.columns.grid import shared_rows

RUNS = 256  # of a column at most, so that a column of 100,000 different numbers is as fine as .4 % of its rows


@dataclass(frozen=True)
class Pieces:
    """Pieces in increasing order: a value that many rows share, or a run of at least as many rows.

    No value of fewer rows stands in it: runs end between records, and what is too rare for a run is left to its
    neighbours.

    Parameters
    ----------
    table : ndarray of shape (n_pieces, 4)
        Lowest and highest value, rows and cell of each piece.

    Examples
    --------
    >>> values = np.repeat([0.0, 1.0, 2.0, 40.0, 41.0], [500, 30, 3, 300, 20])
    >>> cells = NumericCells.fit(*np.unique(values, return_counts=True))
    >>> pieces = Pieces.fit(values, cells)
    >>> pieces.values(np.array([0, 3]), np.array([0.3, 0.9])).tolist()
    [0.0, 40.0]
    """

    table: np.ndarray

    @classmethod
    def fit(cls, values: np.ndarray, cells: NumericCells) -> Self:
        """Fit to known values, clipped to the range of `cells`."""
        unique, counts = np.unique(np.clip(values, cells.low[0], cells.high[-1]), return_counts=True)
        least = shared_rows(len(values))
        shared, cell = counts >= least, cells.codes(unique)
        below, above = limits(unique, shared)
        # A piece begins at a shared value, after one, in another cell, and where a run has its share of the rows.
        part = np.cumsum(np.where(shared, 0, counts)) * RUNS // max(1, len(values))
        starts = np.flatnonzero(np.append(True, shared[1:] | shared[:-1] | (np.diff(cell) > 0) | (np.diff(part) > 0)))
        stops = np.append(starts[1:], len(unique)) - 1
        rows = np.add.reduceat(counts, starts)
        table = np.column_stack([below[starts], above[stops], rows, cell[starts]]).astype(np.float64)
        table = _joined(table, shared[starts], least)
        bare = np.setdiff1d(np.arange(len(cells.low)), table[:, 3])
        whole = np.column_stack([np.array(cells.low)[bare], np.array(cells.high)[bare], np.ones(len(bare)), bare])
        table = np.concatenate([table, whole])
        return cls(table[np.lexsort((table[:, 0], table[:, 3]))])

    @cached_property
    def _levels(self) -> tuple[np.ndarray, np.ndarray]:
        """Cell + share of its rows before each piece, and the share of each piece."""
        cell, rows = self.table[:, 3].astype(np.int64), self.table[:, 2]
        total = np.bincount(cell, rows)
        before = np.cumsum(rows) - rows
        first = np.searchsorted(cell, np.arange(len(total)))
        share = rows / total[cell]
        return cell + np.minimum((before - before[first][cell]) / total[cell], 1 - 2.0**-40), share

    def values(self, cells: np.ndarray, uniform: np.ndarray) -> np.ndarray:
        """Return the quantile `uniform`, in [0, 1), of each cell."""
        at, share = self._levels
        piece = np.searchsorted(at, cells + uniform, side="right") - 1
        inside = np.clip((cells + uniform - at[piece]) / share[piece], 0.0, 1.0)
        low, high = self.table[piece, 0], self.table[piece, 1]
        return np.asarray(np.clip(low * (1 - inside) + high * inside, low, high))

    def check(self, cells: NumericCells) -> None:
        """Refuse pieces that are not those of `cells`."""
        low, high, rows, cell = self.table.T
        inside = np.array_equal(np.unique(cell), np.arange(len(cells.low)))
        if not inside or (rows <= 0).any() or (low > high).any() or (np.diff(cell) < 0).any():
            raise ValueError("values of other cells than those of their column")
        if (low < cells.low[0]).any() or (high > cells.high[-1]).any():
            raise ValueError("values beyond the range of their column")


def _joined(table: np.ndarray, shared: np.ndarray, least: int) -> np.ndarray:
    """Join runs of fewer than `least` rows with the run before them in their cell, or leave them out."""
    kept: list[np.ndarray] = []
    open_run = False  # whether the last piece kept is a run that may take more rows
    for piece, heap in zip(table, shared, strict=True):
        joins = kept and not heap and open_run and kept[-1][3] == piece[3]
        if joins and (piece[2] < least or kept[-1][2] < least):
            kept[-1] = np.array([kept[-1][0], piece[1], kept[-1][2] + piece[2], piece[3]])
        else:
            kept.append(piece.copy())
        open_run = not heap
    return np.array([piece for piece in kept if piece[2] >= least]).reshape(-1, 4)
