"""Invertible codec between mixed tables and float matrices."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from withhold.contracts.checks import refused
from withhold.contracts.errors import DataError
from withhold.contracts.finding import Finding
from withhold.data.canonical import canonical_bytes
from withhold.data.casting import cast_table
from withhold.data.columns.column import Column
from withhold.data.columns.fitting import FitOptions, check_types, fit_column
from withhold.data.columns.numeric import NumericColumn, Scaling
from withhold.data.columns.pieces import Pieces
from withhold.data.columns.screening import Screened
from withhold.data.frames import check_names
from withhold.data.labels import unknown_column
from withhold.data.schema import AnyColumn, DroppedColumn, TableSchema, pandas_metadata
from withhold.data.tally import Tally
from withhold.data.transposition import CHUNK, turned


@dataclass(frozen=True)
class Block:
    """The encoded features of one column: ``H[:, start:stop]``."""

    column: str
    kind: str
    start: int
    stop: int

    @property
    def width(self) -> int:
        """Number of features."""
        return self.stop - self.start


class TableCodec:
    """Encode a table as float32 features, and decode features into a table of the same schema.

    Decoding gives the same columns (but dropped ones), order and Arrow types, valid categories, and integers within the
    range seen in fitting. ``decode(encode(table))`` is `table` up to what is stated: rare levels are pooled, values
    beyond the end knots clipped, and numbers rounded to what a float32 score tells apart.

    Parameters
    ----------
    schema : TableSchema
        From `fit` or `from_json`.

    Examples
    --------
    >>> table = pa.table({"age": [20, 30, 40] * 20, "sex": ["f", "m", None] * 20})
    >>> codec = TableCodec.fit(table)
    >>> codec.width, [(block.column, block.width) for block in codec.blocks]
    (4, [('age', 1), ('sex', 3)])
    >>> codec.decode(codec.encode(table)).equals(table)
    True
    >>> TableCodec.from_json(codec.to_json()).schema == codec.schema
    True
    """

    def __init__(self, schema: TableSchema) -> None:
        self.schema = schema

    @classmethod
    def fit(
        cls,
        table: pa.Table,
        keep: Iterable[str] = (),
        drop: Iterable[str] = (),
        categorical: Iterable[str] = (),
        continuous: Iterable[str] = (),
        numeric: Scaling = "score",
        reference_date: dt.date | None = None,
        min_rows: int = 10,
    ) -> "TableCodec":
        """Learn a table's columns.

        Parameters
        ----------
        keep : names
            Columns that are kept although they look like identifiers or free text.
        drop : names
            Columns to leave out.
        categorical, continuous : names
            Columns whose kind is other than their type says.
        numeric : {"score", "affine"}, default="score"
            Normal scores through quantiles, robust and clipped; or (x - mean) / std, exact and linear.
        reference_date : date, optional
            Origin of dates. Default: the first day of the year of each column's median.
        min_rows : int, default=10
            Levels with fewer rows are pooled.

        Raises
        ------
        DataError
            No rows, no column left, unknown names, repeated names, nested types, infinities.
        """
        check_names(table.column_names, "the table")
        if numeric not in ("score", "affine"):
            raise refused("numeric", "'score' or 'affine'", numeric)
        asked = {"keep": keep, "drop": drop, "categorical": categorical, "continuous": continuous}
        named = {role: frozenset(names) for role, names in asked.items()}
        for role, names in named.items():
            for name in sorted(names):
                if name not in table.column_names:
                    raise unknown_column(name, table.column_names, role)
        if table.num_rows == 0:
            raise DataError("The table must have at least one row.")
        check_types(pa.schema([field for field in table.schema if field.name not in named["drop"]]))
        options = FitOptions(
            keep=named["keep"],
            categorical=named["categorical"],
            continuous=named["continuous"],
            scaling=numeric,
            reference_date=reference_date,
            min_rows=min_rows,
        )
        columns: list[AnyColumn] = []
        dropped: list[DroppedColumn] = []
        findings: list[Finding] = []
        for field in table.schema:
            if field.name in named["drop"]:
                dropped.append(DroppedColumn(name=field.name, reason="asked"))
                continue
            fitted, found = fit_column(field, table.column(field.name), options)
            findings += found
            if isinstance(fitted, Screened):
                dropped.append(DroppedColumn(name=field.name, reason=fitted.reason))
            else:
                columns.append(fitted)  # type: ignore[arg-type]
        if not any(column.width for column in columns):
            raise DataError(
                f"The table has no column that varies ({len(columns)} constant, {len(dropped)} dropped). "
                "Keep a dropped column by name (keep=), or pass other data."
            )
        pandas = pandas_metadata(table.schema, [column.name for column in columns])
        return cls(TableSchema(columns=tuple(columns), dropped=tuple(dropped), findings=tuple(findings), pandas=pandas))

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are kept, in order."""
        return self.schema.columns

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a reader must know about the columns."""
        return self.schema.findings

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The features of each column that has any (a constant column has none)."""
        blocks, start = [], 0
        for column in self.schema.columns:
            if column.width:
                blocks.append(Block(column.name, column.kind, start, start + column.width))
            start += column.width
        return tuple(blocks)

    @property
    def width(self) -> int:
        """Number of encoded features."""
        return sum(column.width for column in self.columns)

    @property
    def cell_counts(self) -> tuple[int, ...]:
        """Number of cells of each column: the width of its one-hot code."""
        return tuple(column.cell_count for column in self.columns)

    @property
    def ordered(self) -> tuple[int, ...]:
        """Columns whose cells are in the order of their values: numbers."""
        return tuple(j for j, column in enumerate(self.columns) if isinstance(column, NumericColumn))

    @property
    def cell_offsets(self) -> tuple[int, ...]:
        """Where the one-hot code of each column's cells starts, and the total width last."""
        return tuple(np.cumsum([0, *self.cell_counts]).tolist())

    def check(self, table: pa.Table) -> pa.Table:
        """Return the fitted columns of `table` with the fitted value types; other columns are ignored."""
        return cast_table(table, self.columns)

    def tally(self) -> Tally:
        """Return an empty count of what values are like, to be handed to `encode`."""
        return Tally({column.name: column.tally() for column in self.columns})

    def encode(self, table: pa.Table, tally: Tally | None = None) -> np.ndarray:
        """Return the features of `table`, float32 (n, width), and count its values into `tally`."""
        table = self.check(table)
        out = np.empty((table.num_rows, self.width), dtype=np.float32)
        for first in range(0, table.num_rows, CHUNK):
            part = table.slice(first, CHUNK)
            features = np.zeros((self.width, part.num_rows), dtype=np.float32)
            start = 0
            for column in self.columns:
                counted = None if tally is None else tally.columns[column.name]
                column.encode(part.column(column.name), features[start : start + column.width].T, counted)
                start += column.width
            turned(features, out[first : first + CHUNK])
        return out

    def decode(self, H: np.ndarray) -> pa.Table:
        """Return the table whose features are `H`, (n, width)."""
        if H.ndim != 2 or H.shape[1] != self.width:
            raise DataError(f"H must be of shape (n, {self.width}) (got {H.shape}).")
        schema = self.schema.arrow
        parts = []
        for first in range(0, max(1, len(H)), CHUNK):
            features = turned(H[first : first + CHUNK])
            arrays, start = [], 0
            for column in self.columns:
                arrays.append(column.decode(features[start : start + column.width].T))
                start += column.width
            parts.append(pa.Table.from_arrays(arrays, schema=schema))
        return pa.concat_tables(parts)

    def cells(self, table: pa.Table) -> np.ndarray:
        """Return the cell of each value, int32 (n, columns)."""
        table = self.check(table)
        out = np.empty((table.num_rows, len(self.columns)), dtype=np.int32)
        for j, column in enumerate(self.columns):
            out[:, j] = column.cells(table.column(column.name))
        return out

    def from_cells(self, cells: np.ndarray, uniform: np.ndarray | None = None) -> pa.Table:
        """Return valid values of `cells`: their quantiles `uniform` in [0, 1), (n, columns); their medians if None."""
        arrays = [
            column.from_cells(cells[:, j], None if uniform is None else uniform[:, j])
            for j, column in enumerate(self.columns)
        ]
        return pa.Table.from_arrays(arrays, schema=self.schema.arrow)

    def pieces(self, table: pa.Table) -> dict[str, Pieces]:
        """Return what stands within the cells of each numeric column of `table`, in its full resolution."""
        table = self.check(table)
        return {c.name: c.pieces(table.column(c.name)) for c in self.columns if isinstance(c, NumericColumn)}

    def check_pieces(self, pieces: Mapping[str, Pieces]) -> None:
        """Refuse pieces of other columns or cells than those of this codec."""
        numeric = {column.name: column for column in self.columns if isinstance(column, NumericColumn)}
        if numeric.keys() != pieces.keys():
            raise ValueError(f"values of the columns {sorted(pieces)!r:.100}")
        for name, column in numeric.items():
            pieces[name].check(column.bins)

    def from_pieces(self, cells: np.ndarray, uniform: np.ndarray, pieces: Mapping[str, Pieces]) -> pa.Table:
        """Return values drawn within `cells` by `uniform` in [0, 1), (n, columns), in the resolution of `pieces`."""
        arrays = [
            column.from_pieces(cells[:, j], uniform[:, j], pieces[column.name])
            if isinstance(column, NumericColumn)
            else column.from_cells(cells[:, j], uniform[:, j])
            for j, column in enumerate(self.columns)
        ]
        return pa.Table.from_arrays(arrays, schema=self.schema.arrow)

    def canonical_bytes(self, table: pa.Table) -> np.ndarray:
        """Return the exact values of each row as bytes, uint8 (n, m); see `withhold.data.canonical`."""
        return canonical_bytes(self.check(table), self.columns)

    def to_json(self) -> str:
        """Return the schema as JSON."""
        return self.schema.model_dump_json()

    @classmethod
    def from_json(cls, text: str | bytes) -> "TableCodec":
        """Return the codec whose `to_json` is `text`."""
        return cls(TableSchema.model_validate_json(text))
