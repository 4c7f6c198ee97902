"""Rows that stand for the symbols of a finite release, so that a table comes out: valid values, seen together.

Given the symbol, which row is released hangs on nothing but the key and the record, so the table tells of anybody's
attributes exactly what the symbol tells. The rows themselves are real training rows, as coarse as the codec's cells: a
number is the median of its cell, a rare level is pooled. No symbol has fewer than ten records behind it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.data.codec import TableCodec

KEPT = 256  # rows a symbol: its columns' shares come out within .03
LOOKED_AT = 512  # rows among which the most typical is chosen


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
        """Choose `rows` rows for each symbol, with probability in proportion to how likely they give it.

        Parameters
        ----------
        cells : ndarray (n, n_columns)
            Of the training rows.
        shares : ndarray (n_symbols, n)
            p(z | x) of the training rows.
        rows : int
            1: only the most typical.
        rng : Generator
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
        return cls(state["cells"], state["starts"])


def _most_typical(cells: np.ndarray) -> int:
    """Return the number of the row whose values are each the most common."""
    score = np.zeros(len(cells))
    for column in cells.T:
        score += np.log(np.bincount(column)[column])
    return int(score.argmax())
