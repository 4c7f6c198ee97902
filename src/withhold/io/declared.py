"""What a caller says of the columns of a table that states its own types: texts, dates, spellings of missing values."""

from collections.abc import Iterable, Iterator
from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.contracts.errors import DataError
from withhold.io.dates import type_of, with_dates
from withhold.io.lists import spread_lists
from withhold.io.reading import FOUND_OUT, Reading


def as_said(table: pa.Table, reading: Reading, where: str) -> pa.Table:
    """Return a table as the caller says it is to be read.

    Parameters
    ----------
    reading : Reading
        Missing values, columns of text and dates.
    where : str
        What the table is called in messages.

    Raises
    ------
    DataError
        For a column that has no text, and for a value that is no date of the form that was given.

    Examples
    --------
    >>> table = pa.table({"pay": [12, 999], "zip": [2116, 999], "born": ["1.2.70", "."]})
    >>> said = Reading(missing=("999", "."), text=("zip",), dates=(("born", "%d.%m.%y"),))
    >>> as_said(table, said, "t.parquet").slice(0, 1).to_pylist()
    [{'pay': 12, 'zip': '2116', 'born': datetime.date(1970, 2, 1)}]
    >>> as_said(table, said, "t.parquet").slice(1).to_pylist()
    [{'pay': None, 'zip': None, 'born': None}]
    """
    if reading.of_columns == FOUND_OUT:
        return table
    for place, field in enumerate(table.schema):
        before = column = table.column(place)
        if reading.missing:
            column = _without(column, reading.missing)
        if field.name in reading.text:
            column = _text(column, field.name, where)
        if column is not before:
            table = table.set_column(place, field.with_type(column.type).with_nullable(True), column)
    if reading.spread:
        table = spread_lists(table, where)
    dates = {name: (form, type_of(form)) for name, form in reading.dates if name in table.column_names}
    return with_dates(table, dates, where)


def batches_as_said(batches: Iterable[pa.RecordBatch], reading: Reading, where: str) -> Iterator[pa.RecordBatch]:
    """Yield the batches of one table as the caller says it is to be read."""
    for batch in batches:
        table = as_said(pa.Table.from_batches([batch]), reading, where).combine_chunks()
        yield from table.to_batches()


def _without(column: pa.ChunkedArray, missing: tuple[str, ...]) -> pa.ChunkedArray:
    """Return a column whose values of some spellings are missing; numbers are compared by value."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    wanted: list[object]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        wanted = list(missing)
    elif pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind):
        wanted = [number for text in missing if (number := _number(text, kind)) is not None]
    else:
        return column
    if not wanted:
        return column
    values = column.cast(kind) if pa.types.is_dictionary(column.type) else column
    found = pc.is_in(values, pa.array(wanted, kind))
    return pc.if_else(found, pa.scalar(None, column.type), column)


def _number(text: str, kind: pa.DataType) -> float | int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not pa.types.is_integer(kind):
        return number
    bounds = np.iinfo(kind.to_pandas_dtype())
    return int(number) if number.is_integer() and bounds.min <= number <= bounds.max else None


def _text(column: pa.ChunkedArray, name: str, where: str) -> pa.ChunkedArray:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    try:
        return column.cast(kind).cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"Column {name!r} of '{where}' is {kind}, which is no text. Leave --text {quote(name)} out."
        ) from None
