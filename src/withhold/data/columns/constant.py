"""Columns with one value or none: no feature but a flag where the value can be missing."""

from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.data.arrow_types import comparable, family, value_type
from withhold.data.columns.column import Column
from withhold.data.columns.storage import absent, from_plain_list, plain
from withhold.data.tally import ABSENT, UNSEEN, ColumnTally


class ConstantColumn(Column):
    """A column of one value, possibly missing in places, or all missing (`value` None).

    Attributes
    ----------
    value : JSON scalar or None
        The value; times as stored integers, decimals as text.
    categories : list or None
        All categories of a dictionary type.
    """

    kind: Literal["constant"] = "constant"
    value: Any = None
    categories: list[Any] | None = None

    @property
    def _flagged(self) -> bool:
        return self.value is not None and self.missing != "never"

    @property
    def width(self) -> int:
        """Number of encoded features."""
        return int(self._flagged)

    @property
    def cell_count(self) -> int:
        """Number of discrete cells, that of missing included."""
        return 1 + self._flagged

    def tally(self) -> ColumnTally:
        """Return an empty count of the value, missing values and others."""
        return ColumnTally(levels=1)

    def encode(self, column: pa.ChunkedArray, out: np.ndarray, tally: ColumnTally | None = None) -> None:
        """Write the encoded features of `column` into `out`, zeros of shape (n, width), and count into `tally`."""
        if tally is not None:
            codes = np.where(absent(column), ABSENT, UNSEEN)
            if self.value is not None:
                value = comparable(from_plain_list([self.value], value_type(self.arrow_type)))
                codes[pc.is_in(comparable(plain(column)), value).to_numpy()] = 0
            tally.levels(codes, None)
        if self._flagged:
            out[:, 0] = absent(column)

    def decode(self, block: np.ndarray) -> pa.Array:
        """Return the value; missing where the flag says so."""
        return self._values(block[:, 0] > 0.5 if self._flagged else np.full(len(block), self.value is None))

    def cells(self, column: pa.ChunkedArray) -> np.ndarray:
        """Return 0 for the value and 1 for missing."""
        if self._flagged:
            return absent(column).astype(np.int32)
        return np.zeros(len(column), dtype=np.int32)

    def from_cells(self, cells: np.ndarray, uniform: np.ndarray | None) -> pa.Array:
        """Return the value or missing."""
        return self._values(cells > 0 if self._flagged else np.full(len(cells), self.value is None))

    def _values(self, missing: np.ndarray) -> pa.Array:
        kind = self.arrow_type
        if pa.types.is_dictionary(kind):
            listed = self.categories or []
            position = 0 if self.value is None else listed.index(self.value)
            indices = pa.array(np.full(len(missing), position), mask=missing).cast(kind.index_type)
            return pa.DictionaryArray.from_arrays(
                indices, from_plain_list(listed, kind.value_type), ordered=kind.ordered
            )
        if pa.types.is_null(kind):
            return pa.nulls(len(missing))
        nan = family(kind) == "float" and self.missing == "nan"
        pair = pa.concat_arrays(
            [
                pa.nulls(1, kind) if self.value is None else from_plain_list([self.value], kind),
                pa.array([float("nan")]).cast(kind) if nan else pa.nulls(1, kind),
            ]
        )
        return pair.take(pa.array(missing.astype(np.int8)))
