"""Reading one released column the way a recipient would: every type, every missing value, nothing dropped.

The audit does its own reading and shares no encoder with the sanitisers: an encoder that pools a rare level or
drops an identifier would hide exactly what an attacker can use.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.view.lists import MOST_ENTRIES, unpack
from withhold.contracts.images import is_image

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

# Up to here every whole number is a float of 64 bits; so is any of at most so many digits.
LARGEST_WHOLE, DECIMAL_DIGITS = 2**53, 15
TICKS_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


@dataclass(frozen=True)
class Reading:
    """One column as the audit sees it.

    Attributes
    ----------
    name, source : str
        Name of this column (unique), and of the file's column that it was unpacked from.
    kind : {"number", "category"}
        Whether the values have an order and a distance.
    codes : ndarray of int32, shape (n,)
        Index of the exact value among the sorted distinct values; -1 where missing.
    levels : ndarray
        The sorted distinct values: text for a category, float64 (infinities included) for a number.
    numbers : ndarray of float64, shape (n,), or None
        The values of a number, NaN where missing.
    ticks_per_day : float
        Units of the numbers in a day where they are dates or times; 0 otherwise.
    dated : bool
        Whether the numbers are days or moments since 1970, not times of day or spans of time.
    nan : ndarray of bool, shape (n,), or None
        Which of the missing values are NaN, where others are null: who wrote a row may show in it.
    exact : ndarray of int64 or uint64, or None
        The levels of whole numbers, where floats would not hold their last digits.
    minus_zero : ndarray of bool, shape (n,), or None
        Which of the zeros have a minus sign, where others have none: rounding leaves it on small negative numbers.
    """

    name: str
    source: str
    kind: Literal["number", "category"]
    codes: Codes
    levels: npt.NDArray[Any]
    numbers: Floats | None = None
    ticks_per_day: float = 0.0
    nan: npt.NDArray[np.bool_] | None = None
    exact: npt.NDArray[Any] | None = None
    minus_zero: npt.NDArray[np.bool_] | None = None
    dated: bool = False

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Rows without a value."""
        return self.codes < 0

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many rows hold each level."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))


def read_columns(table: pa.Table) -> Iterator[Reading]:
    """Read every column of `table`, one at a time; structs and lists of equal length are unpacked.

    Images are left out: their pixels are no columns, and `withhold.audit.view.pixels` reads them.

    Examples
    --------
    >>> table = pa.table({"a": [1.5, None, 2.0], "b": ["x", "y", "x"]})
    >>> [(r.name, r.kind, r.codes.tolist()) for r in read_columns(table)]
    [('a', 'number', [0, -1, 1]), ('b', 'category', [0, 1, 0])]
    """
    seen: dict[str, int] = {}
    for index, name in enumerate(table.column_names):
        repeat = seen.get(name, 0)
        seen[name] = repeat + 1
        if is_image(table.schema.field(index).type):
            continue
        unique = name if repeat == 0 else f"{name}#{repeat}"
        yield from _read(unique, unique, table.column(index))


def read_column(table: pa.Table, name: str) -> Reading:
    """Read one column that is not nested; a nested one is read as text.

    Examples
    --------
    >>> read_column(pa.table({"b": ["x", None]}), "b").codes.tolist()
    [0, -1]
    """
    readings = list(_read(name, name, table.column(name)))
    return readings[0] if len(readings) == 1 else _text(name, name, table.column(name))


def _read(name: str, source: str, column: pa.ChunkedArray) -> Iterator[Reading]:
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], type=kind.storage_type)
        kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_struct(kind):
        parts = column.flatten()
        for part, field in zip(parts, kind, strict=True):
            yield from _read(f"{name}.{field.name}", source, part)
        empty = np.all([part.is_null().to_numpy() for part in parts], axis=0) if parts else np.ones(len(column), bool)
        if not np.array_equal(empty, column.is_null().to_numpy()):  # no value is told from a value without parts
            yield _text(f"{name} is null", source, column.is_null())
        return
    parts_of = unpack(column)
    if parts_of is not None:
        for part_name, part in parts_of:
            yield from _read(f"{name}{part_name}", source, part)
        return
    yield _scalar(name, source, column)


def _scalar(name: str, source: str, column: pa.ChunkedArray) -> Reading:
    kind = column.type
    if pa.types.is_integer(kind):
        return _number(name, source, column)
    if pa.types.is_decimal(kind) and kind.scale == 0 and kind.precision > DECIMAL_DIGITS:
        return _text(name, source, column.cast(pa.string()))  # an identifier: floats would lose its last digits
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _number(name, source, column.cast(pa.float64(), safe=False))
    if pa.types.is_date32(kind):
        return replace(_number(name, source, column.cast(pa.int32()).cast(pa.int64()), ticks_per_day=1.0), dated=True)
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        ticks = 86_400.0 * TICKS_PER_SECOND[getattr(kind, "unit", "ms")]  # date64 counts milliseconds
        whole = column.cast(pa.int32()).cast(pa.int64()) if pa.types.is_time32(kind) else column.cast(pa.int64())
        dated = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
        return replace(_number(name, source, whole, ticks_per_day=ticks), dated=dated)
    return _text(name, source, column)


def _number(name: str, source: str, column: pa.ChunkedArray, ticks_per_day: float = 0.0) -> Reading:
    # Distinct values are told apart in the column's own type: 64-bit identifiers do not fit in a float.
    mask = column.is_null(nan_is_null=True).to_numpy()
    nan = mask & ~column.is_null().to_numpy()
    filled = column.fill_null(0).to_numpy()
    levels, inverse = np.unique(filled[~mask], return_inverse=True)
    codes = np.full(len(filled), -1, np.int32)
    codes[~mask] = inverse
    numbers = filled.astype(np.float64)
    numbers[mask] = np.nan
    both = nan if 0 < nan.sum() < mask.sum() else None
    long = levels.dtype.kind in "iu" and len(levels) > 0 and max(-int(levels[0]), int(levels[-1])) > LARGEST_WHOLE
    exact = levels if long else None
    zero = (filled == 0) & ~mask
    minus = zero & np.signbit(filled)
    signs = minus if 0 < minus.sum() < zero.sum() else None
    return Reading(name, source, "number", codes, levels.astype(np.float64), numbers, ticks_per_day, both, exact, signs)


def _text(name: str, source: str, column: pa.ChunkedArray) -> Reading:
    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.string())
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        column = pa.chunked_array([pa.array([None if v is None else v.hex() for v in column.to_pylist()], pa.string())])
    elif not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        column = pa.chunked_array([pa.array(_written(column), pa.string())])
    encoded = column.cast(pa.large_string()).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # an empty column has no chunk to combine
        encoded = pa.array([], pa.large_string())
    encoded = encoded.dictionary_encode()
    found = np.asarray(encoded.dictionary.to_pylist(), dtype=object)
    order = np.argsort(found.astype(str), kind="stable") if len(found) else np.zeros(0, np.int64)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    indices = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    codes = np.where(indices < 0, np.int32(-1), rank[indices] if len(rank) else np.int32(-1)).astype(np.int32)
    levels = found[order]
    numeric = _as_numbers(levels)
    if numeric is None or pa.types.is_boolean(kind):
        return Reading(name, source, "category", codes, levels)
    numbers = np.where(codes < 0, np.nan, numeric[np.maximum(codes, 0)] if len(numeric) else np.nan)
    return Reading(name, source, "category", codes, levels, numbers)


def _written(column: pa.ChunkedArray) -> list[str | None]:
    """Return values of any type as text; as Arrow writes them where Python holds no such date."""
    try:
        return [None if value is None else repr(value) for value in column.to_pylist()]
    except (OverflowError, ValueError):
        every = {"window": len(column) + MOST_ENTRIES, "container_window": MOST_ENTRIES, "skip_new_lines": True}
        return [
            chunk.slice(row, 1).to_string(**every) if chunk[row].is_valid else None
            for chunk in column.chunks
            for row in range(len(chunk))
        ]


def _as_numbers(levels: npt.NDArray[Any]) -> Floats | None:
    """Numbers written as text; None as soon as one level is not a number."""
    if len(levels) == 0:
        return None
    try:
        return np.asarray([float(level) for level in levels.tolist()])
    except ValueError:
        return None
