"""Arrow types as text in a schema, the families a codec treats alike, and encodings that are stored plainly inside."""

import re
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from withhold.contracts.arrow_columns import check_text, decode_nested
from withhold.contracts.errors import DataError

Family = Literal["float", "integer", "boolean", "decimal", "temporal", "text", "null", "unsupported"]

_PLAIN = {
    str(kind): kind
    for kind in (
        pa.null(), pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(),
        pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.string(), pa.large_string(),
        pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
    )
}  # fmt: skip
# Known as ways to store a column; the values of none of these have a scale or levels as they are.
_STORED = {str(kind): kind for kind in (pa.string_view(), pa.binary_view(), pa.binary(), pa.large_binary())}
_TIMESTAMP = re.compile(r"timestamp\[(s|ms|us|ns)(?:, tz=(.+))?\]")
_DURATION = re.compile(r"duration\[(s|ms|us|ns)\]")
_DECIMAL = re.compile(r"decimal(\d+)\((\d+), (-?\d+)\)")
_RUNS = re.compile(r"run_end_encoded<run_ends: (int16|int32|int64), values: (.+)>")
_DICTIONARY = re.compile(r"dictionary<values=(.+), indices=(u?int\d+), ordered=([01])>")


def parse_type(text: str) -> pa.DataType:
    """Return the Arrow type that prints as `text`.

    Examples
    --------
    >>> parse_type(str(pa.timestamp("us", tz="Europe/Berlin")))
    TimestampType(timestamp[us, tz=Europe/Berlin])
    >>> parse_type(str(pa.dictionary(pa.int8(), pa.string(), ordered=True))).ordered
    True
    """
    if text in _PLAIN:
        return _PLAIN[text]
    if text in _STORED:
        return _STORED[text]
    if match := _RUNS.fullmatch(text):
        return pa.run_end_encoded(_PLAIN[match[1]], parse_type(match[2]))
    if match := _TIMESTAMP.fullmatch(text):
        return pa.timestamp(match[1], tz=match[2])
    if match := _DURATION.fullmatch(text):
        return pa.duration(match[1])
    if match := _DECIMAL.fullmatch(text):
        make = {"32": "decimal32", "64": "decimal64", "128": "decimal128", "256": "decimal256"}[match[1]]
        return getattr(pa, make)(int(match[2]), int(match[3]))
    if match := _DICTIONARY.fullmatch(text):
        return pa.dictionary(_PLAIN[match[2]], parse_type(match[1]), ordered=match[3] == "1")
    raise DataError(f"This version of withhold does not know the column type {text!r}. Upgrade withhold.")


def value_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values: that of the categories for a dictionary type.

    Examples
    --------
    >>> value_type(pa.dictionary(pa.int8(), pa.string()))
    DataType(string)
    """
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def family(kind: pa.DataType) -> Family:
    """Return the family of `kind`'s values.

    Examples
    --------
    >>> family(pa.date32()), family(pa.dictionary(pa.int8(), pa.string())), family(pa.list_(pa.int8()))
    ('temporal', 'text', 'unsupported')
    """
    kind = value_type(kind)
    if str(kind) not in _PLAIN and not any(p.fullmatch(str(kind)) for p in (_TIMESTAMP, _DURATION, _DECIMAL)):
        return "unsupported"
    tests: tuple[tuple[Family, bool], ...] = (
        ("float", pa.types.is_floating(kind)),
        ("integer", pa.types.is_integer(kind)),
        ("boolean", pa.types.is_boolean(kind)),
        ("decimal", pa.types.is_decimal(kind)),
        ("temporal", pa.types.is_temporal(kind)),
        ("null", pa.types.is_null(kind)),
    )
    return next((name for name, holds in tests if holds), "text")


def comparable(values: Any) -> Any:
    """Return an array or column in a type whose values Arrow compares, sorts and counts: half floats as floats, ...

    Examples
    --------
    >>> comparable(pa.array([1], pa.decimal32(3, 0))).type, comparable(pa.array(["a"])).type
    (Decimal128Type(decimal128(3, 0)), DataType(string))
    """
    kind = _comparable_type(values.type)
    return values if kind == values.type else values.cast(kind)


def _comparable_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _comparable_type(kind.value_type), kind.ordered)
    if pa.types.is_decimal(kind):
        digits, scale = kind.precision - min(0, kind.scale), max(0, kind.scale)
        return pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(digits, scale)
    return pa.float32() if pa.types.is_float16(kind) else kind


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
    check_text(table, subject)
    table = decode_nested(table)
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
    """Yield the fields inside a nested type, or one of whose values are, however deep."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
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
