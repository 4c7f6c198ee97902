"""Categories, booleans and text: one feature a level, one for the pool of rare ones, one for missing."""

from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.data.arrow_types import comparable, value_type
from withhold.data.columns.column import Column
from withhold.data.columns.storage import absent, diverged, from_plain_list, plain, shown_values
from withhold.data.tally import ABSENT, UNSEEN, ColumnTally


class CategoricalColumn(Column):
    """A column of levels; features are one-hot: levels, then the pool if there is one, then missing if it was seen.

    Levels that were pooled, and levels never seen, encode as the pool; without a pool as missing, and where none was
    seen either, as the most frequent level. So does a missing value where none was seen. The pool decodes to
    `stand_in`.

    Attributes
    ----------
    levels : list of JSON scalar
        Levels with a feature of their own (times as stored integers, decimals as text).
    pooled : bool
        Whether there is a pool.
    stand_in : JSON scalar or None
        What the pool decodes to: a level of its own, or None for missing. No level of the column, which would gain
        rows that it has not.
    usual : int
        Position of the most frequent of `levels`.
    categories : list or None
        All categories of a dictionary type, so that the type comes back as it was.
    """

    kind: Literal["categorical"] = "categorical"
    levels: list[Any]
    pooled: bool = False
    stand_in: Any = None
    usual: int = 0
    categories: list[Any] | None = None

    @property
    def width(self) -> int:
        """Number of encoded features."""
        return len(self.levels) + self.pooled + (self.missing != "never")

    @property
    def cell_count(self) -> int:
        """Number of discrete cells, that of missing included: one a feature."""
        return self.width

    def tally(self) -> ColumnTally:
        """Return an empty count of the features."""
        return ColumnTally(levels=self.width)

    def encode(self, column: pa.ChunkedArray, out: np.ndarray, tally: ColumnTally | None = None) -> None:
        """Write the encoded features of `column` into `out`, zeros of shape (n, width), and count into `tally`."""
        codes = self._codes(column)
        if tally is not None:
            tally.levels(codes, None if self.missing == "never" else self.width - 1)
            if not self.pooled and (codes == UNSEEN).any():
                strange = pc.value_counts(plain(column.filter(pa.array(codes == UNSEEN))))
                tally.remember(shown_values(strange.field("values")), strange.field("counts").to_pylist())
        out[np.arange(len(column)), self._known(codes)] = 1.0

    def decode(self, block: np.ndarray) -> pa.Array:
        """Return the level with the largest feature."""
        if np.isnan(block).any():
            raise diverged(self.name)
        return self.from_cells(np.argmax(block, axis=1), None)

    def cells(self, column: pa.ChunkedArray) -> np.ndarray:
        """Return the position of each value's feature, int32 (n,)."""
        return self._known(self._codes(column))

    def _known(self, codes: np.ndarray) -> np.ndarray:
        """Return codes with what has no feature of its own in the pool, in missing, or in the most frequent level."""
        elsewhere = len(self.levels) if self.pooled or self.missing != "never" else self.usual
        return np.where(codes < 0, elsewhere, codes).astype(np.int32)

    def _codes(self, column: pa.ChunkedArray) -> np.ndarray:
        """Return the position of each value's feature, below 0 where it has none."""
        kind = value_type(column.type)
        missing_cell = self.width - 1 if self.missing != "never" else ABSENT
        if pa.types.is_dictionary(column.type):
            column = column.unify_dictionaries()
            parts = []
            for chunk in column.chunks:
                table = self._positions(chunk.dictionary, kind, missing_cell)
                table = np.append(table, np.int32(missing_cell))
                codes = chunk.indices.cast(pa.int64()).fill_null(len(table) - 1).to_numpy(zero_copy_only=False)
                parts.append(table[codes])
            return np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
        return self._positions(column, kind, missing_cell)

    def _positions(self, values: Any, kind: pa.DataType, missing_cell: int) -> np.ndarray:
        levels = comparable(from_plain_list(self.levels, kind))
        found = pc.index_in(comparable(values), value_set=levels).fill_null(-1)
        found = np.asarray(found.to_numpy() if isinstance(found, pa.ChunkedArray) else found.to_numpy(False))
        return np.where(absent(values), missing_cell, np.where(found < 0, UNSEEN, found)).astype(np.int32)

    @cached_property
    def _decoded(self) -> tuple[pa.Array, np.ndarray]:
        """Values that can be decoded (categories of a dictionary type), the position of each cell, -1 for missing."""
        listed = list(self.levels) if self.categories is None else list(self.categories)
        if self.pooled and self.stand_in is not None and self.stand_in not in listed:
            listed.append(self.stand_in)
        place = {value: position for position, value in enumerate(listed)} | {None: -1}
        shown = [*self.levels, *([self.stand_in] if self.pooled else []), *([None] if self.missing != "never" else [])]
        return from_plain_list(listed, value_type(self.arrow_type)), np.array([place[v] for v in shown], dtype=np.int64)

    def from_cells(self, cells: np.ndarray, uniform: np.ndarray | None) -> pa.Array:
        """Return the level of each cell."""
        values, place = self._decoded
        indices = place[cells]
        missing = indices < 0
        indices = pa.array(np.where(missing, 0, indices), mask=missing if missing.any() else None)
        kind = self.arrow_type
        if pa.types.is_dictionary(kind):
            return pa.DictionaryArray.from_arrays(indices.cast(kind.index_type), values, ordered=kind.ordered)
        if self.missing == "nan" and missing.any():
            floats = np.append(values.to_numpy(zero_copy_only=False), np.nan).astype(kind.to_pandas_dtype())
            return pa.array(floats[indices.fill_null(len(values)).to_numpy()], type=kind, from_pandas=False)
        return values.take(indices)
