"""What every kind of column can do, and what is common to all of them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict

from withhold.data.arrow_types import family, parse_type
from withhold.data.columns.storage import Missing, absent
from withhold.data.tally import ColumnTally


@dataclass(frozen=True)
class Description:
    """A column before its kind is chosen.

    Attributes
    ----------
    known, unknown : int
        Rows whose value is neither null nor NaN, and the others.
    missing : {"never", "null", "nan"}
        How missing values are written.
    """

    field: pa.Field
    known: int
    missing: Missing
    unknown: int = 0

    @property
    def name(self) -> str:
        """Name of the column."""
        return str(self.field.name)

    @property
    def common(self) -> dict[str, Any]:
        """Arguments that every kind of column takes."""
        return {
            "name": self.name,
            "type": str(self.field.type),
            "nullable": self.field.nullable,
            "metadata": field_metadata(self.field),
            "missing": self.missing,
        }


def describe(field: pa.Field, column: pa.ChunkedArray) -> Description:
    """Count the known values of a column.

    Examples
    --------
    >>> describe(pa.field("a", pa.float64()), pa.chunked_array([[1.0, float("nan")]])).missing
    'nan'
    """
    unknown = int(absent(column).sum())
    floats = family(column.type) == "float" and not pa.types.is_dictionary(column.type)
    missing: Missing = "never" if not unknown else "nan" if floats and not column.null_count else "null"
    return Description(field, len(column) - unknown, missing, unknown)


OWN_KEYS = (b"withhold.", b"_PL_ENUM")  # and the levels that a column of polars declares: its type, no note


class Column(BaseModel, ABC):
    """A column as the codec learned it; concrete kinds are final.

    Attributes
    ----------
    type : str
        Arrow type, as it prints.
    metadata : dict of str to str
        Field metadata, which carries the pandas or polars dtype (latin-1 text of the bytes).
    missing : {"never", "null", "nan"}
        How missing values were written when fitted. "never": none was seen, so none is ever decoded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    name: str
    type: str
    nullable: bool = True
    metadata: dict[str, str] = {}
    missing: Missing = "never"

    @property
    def arrow_type(self) -> pa.DataType:
        """The Arrow type."""
        return parse_type(self.type)

    @property
    def field(self) -> pa.Field:
        """The Arrow field, with its metadata."""
        metadata = {key.encode("latin-1"): value.encode("latin-1") for key, value in self.metadata.items()}
        return pa.field(self.name, self.arrow_type, self.nullable, metadata or None)

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of encoded features."""

    @property
    @abstractmethod
    def cell_count(self) -> int:
        """Number of discrete cells, that of missing included."""

    @abstractmethod
    def tally(self) -> ColumnTally:
        """Return an empty count of what values are like, with the ranges and cells of this column."""

    @abstractmethod
    def encode(self, column: pa.ChunkedArray, out: np.ndarray, tally: ColumnTally | None = None) -> None:
        """Write the encoded features of `column` into `out`, zeros of shape (n, width), and count into `tally`."""

    @abstractmethod
    def decode(self, block: np.ndarray) -> pa.Array:
        """Return the values whose encoded features are `block`, (n, width)."""

    @abstractmethod
    def cells(self, column: pa.ChunkedArray) -> np.ndarray:
        """Return the cell of each value, int32 (n,)."""

    @abstractmethod
    def from_cells(self, cells: np.ndarray, uniform: np.ndarray | None) -> pa.Array:
        """Return a valid value of each cell: its quantile `uniform`, or its median if None."""


def field_metadata(field: pa.Field) -> dict[str, str]:
    """Return our own part of a field's metadata as text that JSON can hold; what a user noted there stays behind.

    Examples
    --------
    >>> field_metadata(pa.field("a", pa.int8(), metadata={"withhold.dtype": "Int8", "source": "clinic 7"}))
    {'withhold.dtype': 'Int8'}
    """
    own = {key: value for key, value in (field.metadata or {}).items() if key.startswith(OWN_KEYS)}
    return {key.decode("latin-1"): value.decode("latin-1") for key, value in own.items()}


def bare_field(field: pa.Field) -> pa.Field:
    """Return a field without what a user noted beside it, which may be about records that are not released."""
    return field.with_metadata(field_metadata(field) or None)
