"""Arrow types as text in a schema, and the families that a codec treats alike."""

import re
from typing import Any, Literal

import pyarrow as pa

from withhold.contracts.errors import DataError, sentence

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
    raise DataError(
        sentence("A column type", "one that this version knows", repr(text), "It was read from a schema.", "Upgrade.")
    )


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
