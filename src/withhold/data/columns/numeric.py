"""Numbers, dates, times and decimals: one scaled feature, and a flag where values can be missing."""

import datetime as dt
from typing import Literal

import numpy as np
import pyarrow as pa
from scipy.special import ndtri

from withhold.contracts.finding import Finding
from withhold.data.arrow_types import family, value_type
from withhold.data.columns.cells import NumericCells
from withhold.data.columns.column import Column, Description
from withhold.data.columns.constant import ConstantColumn
from withhold.data.columns.grid import Grid
from withhold.data.columns.pieces import Pieces
from withhold.data.columns.score import ScoreMap, end_rows, end_values
from withhold.data.columns.storage import absent, diverged, integers, numbers, restore, to_plain_list
from withhold.data.tally import DECILES, ColumnTally

Scaling = Literal["score", "affine"]


class NumericColumn(Column):
    """A number on a scale.

    ``scaling="score"``: the normal score of the value clipped to the end knots; inverted exactly up to float32.
    ``scaling="affine"``: (x - mean) / std, unclipped and exactly linear; decoded integers and times are rounded and
    kept within the end knots, floats are not.

    A missing value has scaled feature 0 and flag 1; where none was seen in fitting there is no flag and a missing value
    is encoded as 0, the middle.

    Attributes
    ----------
    origin : int
        What is subtracted from stored integers first: the reference date of a time, or an anchor of huge integers.
    scored : ScoreMap
        Through quantiles of the values relative to `origin`.
    mean, std : float
        Moments of the same.
    grid : Grid
        The spacing that decoded values are rounded to.
    """

    kind: Literal["numeric"] = "numeric"
    scaling: Scaling = "score"
    origin: int = 0
    scored: ScoreMap
    bins: NumericCells
    mean: float
    std: float
    grid: Grid

    @property
    def width(self) -> int:
        """Number of encoded features."""
        return 1 if self.missing == "never" else 2

    @property
    def cell_count(self) -> int:
        """Number of discrete cells, that of missing included."""
        return len(self.bins.low) + (self.missing != "never")

    @property
    def range(self) -> tuple[float, float]:
        """End knots, relative to the origin."""
        return self.scored.values[0], self.scored.values[-1]

    def tally(self) -> ColumnTally:
        """Return an empty count with the end knots as range and the deciles as cells."""
        deciles = self.scored.inverse(ndtri(DECILES))
        return ColumnTally(*self.range, np.unique(deciles))

    def encode(self, column: pa.ChunkedArray, out: np.ndarray, tally: ColumnTally | None = None) -> None:
        """Write the encoded features of `column` into `out`, zeros of shape (n, width), and count into `tally`."""
        values, missing = numbers(column, self.name, self.origin)
        if tally is not None:
            tally.numbers(values, missing)
        scaled = self.scored.forward(values) if self.scaling == "score" else values / self.std - self.mean / self.std
        if missing is not None:
            scaled[missing] = 0.0
        out[:, 0] = scaled
        if self.width == 2:
            out[:, 1] = 0.0 if missing is None else missing

    def decode(self, block: np.ndarray) -> pa.Array:
        """Return the values whose encoded features are `block`, (n, width)."""
        scaled = block[:, 0].astype(np.float64)
        if not np.isfinite(scaled).all():
            raise diverged(self.name)
        values = self.scored.inverse(scaled) if self.scaling == "score" else (scaled + self.mean / self.std) * self.std
        return self._valid(values, block[:, 1] > 0.5 if self.width == 2 else None)

    def cells(self, column: pa.ChunkedArray) -> np.ndarray:
        """Return the cell of each value, int32 (n,); missing is the last."""
        values, missing = numbers(column, self.name, self.origin)
        if missing is not None:
            values = np.where(missing, self.scored.inverse(np.zeros(1))[0], values)
        codes = self.bins.codes(values).astype(np.int32)
        if missing is not None and self.missing != "never":
            codes[missing] = self.cell_count - 1
        return codes

    def from_cells(self, cells: np.ndarray, uniform: np.ndarray | None) -> pa.Array:
        """Return a valid value of each cell: its quantile `uniform`, or its median if None."""
        known, missing = self._known(cells)
        return self._valid(self.bins.values(known, uniform, self.scored), missing)

    def pieces(self, column: pa.ChunkedArray) -> Pieces:
        """Return what stands within the cells, finer than they, in `column`."""
        values, missing = numbers(column, self.name, self.origin)
        return Pieces.fit(values if missing is None else values[~missing], self.bins)

    def from_pieces(self, cells: np.ndarray, uniform: np.ndarray, pieces: Pieces) -> pa.Array:
        """Return a valid value of each cell: the quantile `uniform` of what stands in it."""
        known, missing = self._known(cells)
        return self._valid(pieces.values(known, uniform), missing)

    def _known(self, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        last = len(self.bins.low) - 1
        return np.minimum(cells, last), cells > last if self.missing != "never" else None

    def _valid(self, values: np.ndarray, missing: np.ndarray | None) -> pa.Array:
        low, high = self.range
        values = self.grid.round(values, low)
        if self.scaling == "score" or family(self.arrow_type) not in ("float", "decimal"):
            values = np.clip(values, low, high)
        return restore(values, missing, self.arrow_type, self.origin, self.missing)


_EPOCH = dt.date(1970, 1, 1)
_TICKS_PER_DAY = {"s": 86400, "ms": 86400 * 10**3, "us": 86400 * 10**6, "ns": 86400 * 10**9}


def fit_quantity(
    description: Description, column: pa.ChunkedArray, scaling: Scaling, reference_date: dt.date | None
) -> tuple[Column, list[Finding]]:
    """Fit a column of numbers, dates, times, durations or decimals.

    Examples
    --------
    >>> from withhold.data.columns.column import describe
    >>> column = pa.chunked_array([list(range(1000))])
    >>> fitted, _ = fit_quantity(describe(pa.field("x", pa.int64()), column), column, "score", None)
    >>> fitted.range
    (9.0, 990.0)
    """
    name, kind = description.name, value_type(description.field.type)
    origin = _origin(column, kind, reference_date)
    values, missing = numbers(column, name, origin)
    ordered = np.sort(values if missing is None else values[~missing])
    beyond = end_rows(len(ordered))
    grid = Grid.of(_distinct(ordered[beyond - 1 : len(ordered) + 1 - beyond])[0], kind)
    low, high = end_values(ordered, grid.unit)
    unique, counts = _distinct(np.clip(ordered, low, high))
    if len(unique) == 1:
        exact = bool(ordered[0] == ordered[-1])
        text = (
            f"Column {name!r} has one value and tells nothing."
            if exact
            else f"All but a few rows of column {name!r} share one value; it is released as constant."
        )
        finding = Finding(code="constant_column", severity="warning", text=text, column=name)
        known = column.filter(pa.array(~absent(column))).slice(0, 1)  # floats do not hold every constant
        value = to_plain_list(known.combine_chunks() if exact else restore(unique, None, kind, origin))[0]
        return ConstantColumn(**description.common, value=value), [finding]
    unit = float(np.abs(ordered[[0, -1]]).max())
    mean = float((ordered / unit).mean()) * unit
    std = float((ordered / unit).std()) * unit
    column_fitted = NumericColumn(
        **description.common,
        scaling=scaling,
        origin=origin,
        scored=ScoreMap.fit(unique, counts),
        bins=NumericCells.fit(unique, counts),
        mean=mean,
        std=std if std > 0 else unit,
        grid=grid,
    )
    return column_fitted, []


def _distinct(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return ordered[starts], np.diff(np.append(starts, len(ordered)))


def _origin(column: pa.ChunkedArray, kind: pa.DataType, reference_date: dt.date | None) -> int:
    """Return what to subtract from stored integers so that float64 tells them apart."""
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        per_day = 1 if pa.types.is_date32(kind) else _TICKS_PER_DAY["ms" if pa.types.is_date64(kind) else kind.unit]
        if reference_date is not None:
            return (reference_date - _EPOCH).days * per_day
        stored, missing = integers(column)
        middle = int(np.median(stored if missing is None else stored[~missing])) // per_day
        year = 1970 + int(np.floor(middle / 365.2425))
        return (dt.date(min(max(year, 1), 9999), 1, 1) - _EPOCH).days * per_day
    if family(kind) == "integer" and kind != pa.uint64():
        stored, missing = integers(column)
        known = np.sort(stored if missing is None else stored[~missing])
        span = int(known[-1]) - int(known[0])
        if max(abs(int(known[0])), abs(int(known[-1]))) > 2**53 and span < 2**62:
            coarse = 1 << max(0, span.bit_length() - 4)  # a round number among them, no record's own
            return int(known[min(len(known) - 1, 9)]) // coarse * coarse
    return 0
