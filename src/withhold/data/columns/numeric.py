"""Numbers, dates, times, durations and decimals: one scaled feature, and a flag where values can be missing."""

from typing import Literal

import numpy as np
import pyarrow as pa
from scipy.special import ndtri

from withhold.contracts.errors import NumericalError, sentence
from withhold.data.arrow_types import family
from withhold.data.columns.cells import NumericCells
from withhold.data.columns.column import Column
from withhold.data.columns.grid import Grid
from withhold.data.columns.score import ScoreMap
from withhold.data.columns.storage import numbers, restore
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
            raise NumericalError(
                sentence(
                    f"The encoded column {self.name!r}",
                    "finite",
                    f"{int((~np.isfinite(scaled)).sum())} values that are not",
                    "They decode to nothing; the transform that made them has diverged.",
                    "Fit it again with a smaller step or other random_state.",
                )
            )
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
        last = len(self.bins.low) - 1
        missing = cells > last if self.missing != "never" else None
        return self._valid(self.bins.values(np.minimum(cells, last), uniform, self.scored), missing)

    def _valid(self, values: np.ndarray, missing: np.ndarray | None) -> pa.Array:
        low, high = self.range
        values = self.grid.round(values, low)
        if self.scaling == "score" or family(self.arrow_type) not in ("float", "decimal"):
            values = np.clip(values, low, high)
        return restore(values, missing, self.arrow_type, self.origin, self.missing)
