"""What is common to all kinds of columns: name, type, how many values are known, how missing ones are written."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from withhold.data.arrow_types import family
from withhold.data.columns.column import field_metadata
from withhold.data.columns.storage import Missing, absent


@dataclass(frozen=True)
class Description:
    """A column before its kind is chosen.

    Attributes
    ----------
    field : pyarrow.Field
    known : int
        Rows whose value is neither null nor NaN.
    missing : {"never", "null", "nan"}
        How missing values are written.
    """

    field: pa.Field
    known: int
    missing: Missing

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
    return Description(field, len(column) - unknown, missing)
