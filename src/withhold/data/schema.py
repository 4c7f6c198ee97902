"""The schema of a table codec: every column it keeps, those it dropped and why, as JSON."""

import json
from typing import Annotated, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from withhold.contracts.finding import Finding
from withhold.data.columns.categorical import CategoricalColumn
from withhold.data.columns.constant import ConstantColumn
from withhold.data.columns.numeric import NumericColumn

AnyColumn = Annotated[NumericColumn | CategoricalColumn | ConstantColumn, Field(discriminator="kind")]
DropReason = Literal["asked", "identifier", "free_text"]

PANDAS_KEY, ATTRIBUTES = b"pandas", "attributes"
# What Arrow, Parquet and this package write themselves.
_OWN = (PANDAS_KEY, b"ARROW:", b"PARQUET:", b"withhold.")


class DroppedColumn(BaseModel):
    """A column that is not encoded and that decoding does not bring back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    reason: DropReason


class TableSchema(BaseModel):
    """What a codec needs to encode and decode a table.

    It holds quantiles, levels of at least ten rows and declared categories; no single record's value: see `heaps`.

    Attributes
    ----------
    version : int
        Version of this format.
    columns : tuple of columns
        In the order of the table.
    findings : tuple of Finding
        What a reader must know about the columns.
    pandas : str or None
        The pandas entry of the Arrow schema's metadata, restricted to the kept columns.

    Examples
    --------
    >>> TableSchema(columns=()).model_dump_json()
    '{"version":1,"columns":[],"dropped":[],"findings":[],"pandas":null}'
    """

    # The settings of the outermost model hold for all: without them an infinite level comes back as none.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    version: Literal[1] = 1
    columns: tuple[AnyColumn, ...]
    dropped: tuple[DroppedColumn, ...] = ()
    findings: tuple[Finding, ...] = ()
    pandas: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the kept columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def arrow(self) -> pa.Schema:
        """Arrow schema of decoded tables."""
        metadata = None if self.pandas is None else {PANDAS_KEY: self.pandas.encode()}
        return pa.schema([column.field for column in self.columns], metadata=metadata)


def pandas_index(schema: pa.Schema) -> tuple[str, ...]:
    """Return the columns of a table that hold the row labels of the pandas frame it was made from.

    pandas writes an index that is no plain count as a column, called `__index_level_0__` where it has no name. It says
    which record a row is and is no feature.

    Examples
    --------
    >>> import pandas as pd
    >>> pandas_index(pa.Table.from_pandas(pd.DataFrame({"a": [1, 2]}, index=[7, 9])).schema)
    ('__index_level_0__',)
    >>> pandas_index(pa.Table.from_pandas(pd.DataFrame({"a": [1, 2]})).schema)
    ()
    """
    try:
        listed = json.loads((schema.metadata or {})[PANDAS_KEY])["index_columns"]
        return tuple(name for name in listed if isinstance(name, str) and name in schema.names)
    except (ValueError, KeyError, TypeError):
        return ()  # not from pandas


def without_index(table: pa.Table) -> pa.Table:
    """Return a table whose columns are all columns: the metadata of pandas names none of them as row labels.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pa.Table.from_pandas(pd.DataFrame({"a": [1, 2]}, index=[7, 9]))
    >>> pandas_index(without_index(table).schema), without_index(table).column_names
    ((), ['a', '__index_level_0__'])
    """
    if not pandas_index(table.schema):
        return table
    kept = pandas_metadata(table.schema, table.column_names)
    rest = {key: value for key, value in table.schema.metadata.items() if key != PANDAS_KEY}
    return table.replace_schema_metadata(rest if kept is None else {**rest, PANDAS_KEY: kept.encode()})


def pandas_metadata(schema: pa.Schema, names: list[str]) -> str | None:
    """Return the pandas entry of `schema`'s metadata for the columns `names`, without any index or the user's notes.

    Examples
    --------
    >>> pandas_metadata(pa.schema([("a", pa.int8())]), ["a"]) is None
    True
    """
    raw = (schema.metadata or {}).get(PANDAS_KEY)
    if raw is None:
        return None
    try:
        entry = json.loads(raw)
        columns = [column for column in entry["columns"] if column.get("name") in names]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # written by something else: nothing to keep
    kept = {key: value for key, value in entry.items() if key != ATTRIBUTES}
    return json.dumps({**kept, "columns": columns, "index_columns": []})


def notes_beside(schema: pa.Schema) -> list[str]:
    """Return the names of what a file says beside its columns, such as the `attrs` of a pandas frame.

    Examples
    --------
    >>> notes_beside(pa.schema([("a", pa.int8())], {"made by": "clinic 7"}))
    ['made by']
    """
    told = {"": schema.metadata, **{f"{field.name}: ": field.metadata for field in schema}}
    notes = [
        f"{where}{key.decode(errors='replace')}"
        for where, metadata in told.items()
        for key in metadata or {}
        if not key.startswith(_OWN)
    ]
    try:
        if json.loads((schema.metadata or {}).get(PANDAS_KEY, b"{}")).get(ATTRIBUTES):
            notes.append(f"pandas {ATTRIBUTES}")
    except (ValueError, AttributeError):
        notes.append(PANDAS_KEY.decode())
    return notes
