"""Plain ways to store values in place of those that few of Arrow's functions read: views, runs, odd dictionaries."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from withhold.contracts.errors import DataError
from withhold.data.arrow_types import comparable, parse_type, value_type

# Field metadata: how the values of a column were stored before they were made plain.
ENCODING_KEY = b"withhold.encoding"


def plain_encodings(table: pa.Table, subject: str = "X") -> pa.Table:
    """Return a table whose rows Arrow can take and compare: no views, no runs, no odd dictionaries.

    The fields remember how their values were stored, so that `encoded_again` gives them back.

    Examples
    --------
    >>> table = pa.table({"a": pa.array(["x", None], pa.string_view()), "b": [1, 2]})
    >>> plain = plain_encodings(table)
    >>> plain.schema.field("a").type, encoded_again(plain).equals(table), plain_encodings(plain) is plain
    (DataType(large_string), True, True)
    """
    for j, field in enumerate(table.schema):
        if any(_plain(part.type) != part.type for part in _parts(field.type)):
            text = (
                f"Column {field.name!r} of {subject} is stored as {field.type}: Arrow takes no rows of views and runs "
                "inside other values. Build it of plain text and numbers, or drop it."
            )
            raise DataError(text)
        kind = _plain(field.type)
        if kind != field.type:
            metadata = {**(field.metadata or {}), ENCODING_KEY: str(field.type).encode()}
            chunks = [_values(chunk, kind) for chunk in table.column(j).chunks]
            plain = pa.field(field.name, kind, field.nullable, metadata)
            table = table.set_column(j, plain, pa.chunked_array(chunks, kind))
    return table


def encoded_again(table: pa.Table) -> pa.Table:
    """Return a table whose columns are stored as they were before `plain_encodings`."""
    for j, field in enumerate(table.schema):
        metadata = dict(field.metadata or {})
        stored = metadata.pop(ENCODING_KEY, None)
        if stored is not None:
            kind = parse_type(stored.decode())
            chunks = [part for chunk in table.column(j).chunks for part in _stored(chunk, kind)]
            encoded = pa.field(field.name, kind, field.nullable, metadata or None)
            table = table.set_column(j, encoded, pa.chunked_array(chunks, kind))
    return table


def _plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_run_end_encoded(kind):
        return _plain(value_type(kind.value_type))
    if pa.types.is_dictionary(kind):
        inner = _plain(kind.value_type)
        if pa.types.is_float16(inner):  # Arrow 26 takes their bits for whole numbers where it unifies dictionaries
            inner = pa.float32()
        return inner if pa.types.is_null(inner) else pa.dictionary(kind.index_type, inner, kind.ordered)
    return kind


def _parts(kind: pa.DataType) -> Iterator[pa.Field]:
    """Yield the fields inside a nested type, however deep."""
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_nested(kind):
        for j in range(kind.num_fields):
            yield kind.field(j)
            yield from _parts(kind.field(j).type)


def _values(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_null(kind):
        return pa.nulls(len(array))
    if not pa.types.is_run_end_encoded(array.type):
        return array.cast(kind)
    positions = np.arange(array.offset, array.offset + len(array))
    rows = np.searchsorted(array.run_ends.to_numpy(), positions, side="right")
    values = array.values
    values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    return values.cast(kind).take(pa.array(rows))


def _stored(array: pa.Array, kind: pa.DataType) -> Iterator[pa.Array]:
    """Yield the pieces of an array as `kind`, which may hold so many rows and no more."""
    if pa.types.is_dictionary(kind) and pa.types.is_null(kind.value_type):
        yield pa.DictionaryArray.from_arrays(pa.nulls(len(array), kind.index_type), pa.nulls(0), ordered=kind.ordered)
        return
    if not pa.types.is_run_end_encoded(kind):
        yield array.cast(kind)
        return
    most = np.iinfo(kind.run_end_type.to_pandas_dtype()).max
    for piece in (array.slice(first, most) for first in range(0, len(array), most)):
        codes = comparable(piece).dictionary_encode(null_encoding="encode").indices.to_numpy()
        ends = np.flatnonzero(np.append(codes[1:] != codes[:-1], True)) + 1
        values = piece.take(pa.array(ends - 1))
        if pa.types.is_dictionary(kind.value_type):
            values = values.dictionary_encode()
        ends = pa.array(ends, kind.run_end_type)
        yield pa.RunEndEncodedArray.from_arrays(ends, values.cast(kind.value_type), kind)
