"""Discrete cells of a numeric column: each frequent value its own, quantile cells between them."""

from functools import cached_property

import numpy as np
from pydantic import BaseModel, ConfigDict
from scipy.special import ndtr, ndtri

from withhold.data.columns.grid import between, shared_rows
from withhold.data.columns.score import ATOM_SHARE, ScoreMap

# At most this many cells a column: the softmax of a table decoder stays small, a cell of 1e4 rows holds 300.
CELLS = 32


class NumericCells(BaseModel):
    """Cells in increasing order; cell j holds the values from `low[j]` to `high[j]`.

    Attributes
    ----------
    low, high : tuple of float
        Ends of each cell; equal for an atom. They lie between records but for values that many rows share.

    Examples
    --------
    >>> unique, counts = np.unique([0] * 50 + list(range(1, 51)), return_counts=True)
    >>> cells = NumericCells.fit(unique.astype(float), counts)
    >>> cells.codes(np.array([0.0, 1.0, 50.0])).tolist(), len(cells.low)
    ([0, 1, 31], 32)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    low: tuple[float, ...]
    high: tuple[float, ...]

    @classmethod
    def fit(cls, unique: np.ndarray, counts: np.ndarray) -> "NumericCells":
        """Fit to sorted distinct values and the rows of each; the first and the last become limits as they are."""
        shared = counts >= shared_rows(counts.sum())
        below, above = limits(unique.astype(np.float64), shared)
        if len(unique) <= CELLS:
            return cls(low=tuple(below.tolist()), high=tuple(above.tolist()))
        atom = (counts > ATOM_SHARE * counts.sum()) & shared
        # Segments are the runs between atoms; each gets cells in proportion to its rows, and at least one.
        segment = 2 * np.cumsum(atom) - atom
        ids, first = np.unique(segment, return_index=True)
        last = np.append(first[1:], len(unique))
        masses = np.array([counts[a:b].sum() for a, b in zip(first, last, strict=True)])
        is_run = ~atom[first]
        spare = CELLS - len(ids)
        share = np.floor(spare * masses * is_run / max(1, masses[is_run].sum())).astype(int)
        low: list[float] = []
        high: list[float] = []
        for a, b, run, extra in zip(first, last, is_run, share, strict=True):
            pieces = 1 + int(extra) if run else 1
            mid = np.cumsum(counts[a:b]) - counts[a:b] / 2
            piece = np.minimum(pieces * mid / counts[a:b].sum(), pieces - 1e-9).astype(int)
            starts = a + np.flatnonzero(np.diff(piece, prepend=-1))
            stops = np.append(starts[1:], b) - 1
            low += below[starts].tolist()
            high += above[stops].tolist()
        return cls(low=tuple(low), high=tuple(high))

    @cached_property
    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.low), np.array(self.high)

    def codes(self, x: np.ndarray) -> np.ndarray:
        """Return the cell of each value; a value between two cells belongs to the nearer one."""
        low, high = self._bounds
        below = np.clip(np.searchsorted(low, x, side="right") - 1, 0, len(low) - 1)
        above = np.minimum(below + 1, len(low) - 1)
        nearer_above = (x > high[below]) & (low[above] - x <= x - high[below])
        return np.asarray(np.where(nearer_above, above, below))

    def values(self, codes: np.ndarray, uniform: np.ndarray | None, scored: ScoreMap) -> np.ndarray:
        """Return a value of each cell: the quantile `uniform` of the cell, its median if None."""
        low, high = self._bounds
        ends = ndtr(scored.forward(np.concatenate([low, high])))
        start, stop = ends[: len(low)], ends[len(low) :]
        u = 0.5 if uniform is None else uniform
        inside = scored.inverse(ndtri(start[codes] + u * (stop - start)[codes]))
        return np.asarray(np.clip(inside, low[codes], high[codes]))


def limits(unique: np.ndarray, shared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where a cell begins whose smallest value is each of `unique`, and where it ends if that is its largest."""
    middle = between(unique[:-1], unique[1:])
    below, above = np.append(np.nan, between(middle, unique[1:])), np.append(between(unique[:-1], middle), np.nan)
    kept = shared.copy()
    kept[[0, -1]] = True
    own = kept | ~np.isfinite(below), kept | ~np.isfinite(above)
    return np.where(own[0], unique, below), np.where(own[1], unique, above)
