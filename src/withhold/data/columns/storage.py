"""Values of an Arrow column as float64 numbers or plain JSON, and back."""

from decimal import Context, Decimal
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.contracts.errors import DataError, NumericalError
from withhold.data.arrow_types import family, value_type

# How a missing value is written: as an Arrow null, or as NaN where the column used NaN when it was fitted.
Missing = Literal["never", "null", "nan"]


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column with dictionary codes replaced by their values.

    Examples
    --------
    >>> plain(pa.chunked_array([pa.array(["a", "b"]).dictionary_encode()])).type
    DataType(string)
    """
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def absent(values: Any) -> np.ndarray:
    """Return which values of an array or column are missing: null, NaN, or of a category that is either.

    Examples
    --------
    >>> absent(pa.array([1.0, None, float("nan")])).tolist()
    [False, True, True]
    >>> absent(pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), pa.nulls(1))).tolist()
    [True, True]
    """
    if pa.types.is_null(value_type(values.type)):  # Arrow 26 reads beyond its memory in a dictionary of nulls
        return np.ones(len(values), dtype=bool)
    mask = values.is_null(nan_is_null=family(values.type) == "float")
    return np.asarray(mask.to_numpy() if isinstance(mask, pa.ChunkedArray) else mask.to_numpy(zero_copy_only=False))


def integers(column: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the integers that store an integer, boolean or temporal column, and a mask of the missing or None.

    Examples
    --------
    >>> integers(pa.chunked_array([pa.array([1, None, 3], pa.uint8())]))
    (array([1, 0, 3]), array([False,  True, False]))
    """
    missing = column.is_null().to_numpy() if column.null_count else None
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    if missing is not None:
        column = column.fill_null(pa.scalar(0, column.type))
    values = column.to_numpy()
    return (values if values.dtype == np.uint64 else values.astype(np.int64)), missing


def numbers(column: pa.ChunkedArray, name: str, origin: int = 0) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the column as float64 relative to `origin` (integers and times), NaN where missing, and that mask or None.

    Raises
    ------
    DataError
        If the column holds infinities.

    Examples
    --------
    >>> numbers(pa.chunked_array([[1.5, None]]), "x")
    (array([1.5, nan]), array([False,  True]))
    """
    column = plain(column)
    if family(column.type) in ("float", "decimal"):
        if pa.types.is_decimal(column.type):
            column = column.cast(pa.float64())
        values = column.to_numpy().astype(np.float64)
        missing = np.isnan(values)
        if np.isinf(values).any():
            raise DataError(
                f"Column {name!r} must be finite (infinite values: {int(np.isinf(values).sum())}). "
                "Replace them with missing values or a bound."
            )
        return values, missing if missing.any() else None
    whole, missing = integers(column)
    values = _towards_zero(whole - whole.dtype.type(origin) if origin else whole)
    if missing is not None:
        values[missing] = np.nan
    return values, missing


def _towards_zero(whole: np.ndarray) -> np.ndarray:
    """Return integers as float64, never farther from zero: beyond 2^53 the nearest one may lie outside their range."""
    values = whole.astype(np.float64)
    if whole.dtype == np.uint64 or not len(values) or np.abs(values).max() <= 2.0**53:
        return values
    back = np.clip(values, -(2.0**63), np.nextafter(2.0**63, 0)).astype(np.int64)
    beyond = ((values > 0) & ((back > whole) | (values >= 2.0**63))) | ((values < 0) & (back < whole))
    return np.where(beyond, np.nextafter(values, 0.0), values)


def restore(
    values: np.ndarray, missing: np.ndarray | None, kind: pa.DataType, origin: int = 0, written: Missing = "null"
) -> pa.Array:
    """Return `values` (float64, relative to `origin`) as an Arrow array of type `kind`.

    Examples
    --------
    >>> restore(np.array([1.0, 2.0]), np.array([False, True]), pa.int8()).to_pylist()
    [1, None]
    """
    kind = value_type(kind)
    if missing is not None:
        values = np.where(missing, 0.0, values)
    if family(kind) == "float":
        dtype = np.dtype(kind.to_pandas_dtype())
        limits = np.finfo(dtype)
        floats = np.clip(values, limits.min, limits.max).astype(dtype)
        if missing is not None and written == "nan":
            floats[missing] = np.nan
            missing = None
        return pa.array(floats, type=kind, mask=missing, from_pandas=False)
    if family(kind) == "decimal":
        # The float nearest to the largest number of so many digits may lie beyond it.
        most = np.nextafter(float(Decimal(10**kind.precision - 1).scaleb(-kind.scale, Context(prec=100))), 0.0)
        return pa.array(np.clip(values, -most, most), mask=missing).cast(kind)
    if family(kind) == "boolean":
        return pa.array(values > 0.5, mask=missing)
    low, high = _limits(kind)
    if kind == pa.uint64():
        whole = np.minimum(np.maximum(np.rint(values) + float(origin), 0.0), np.nextafter(2.0**64, 0)).astype(np.uint64)
        return pa.array(whole, mask=missing)
    relative = np.rint(np.clip(values, float(low) - origin, float(high) - origin))
    # The largest float64 below 2**63: the limits themselves are not representable.
    whole = np.clip(relative, -(2.0**63), np.nextafter(2.0**63, 0)).astype(np.int64) + np.int64(origin)
    array = pa.array(whole, mask=missing)
    return (array.cast(pa.int32()) if pa.types.is_temporal(kind) and kind.bit_width == 32 else array).cast(kind)


def _limits(kind: pa.DataType) -> tuple[int, int]:
    if pa.types.is_integer(kind):
        info = np.iinfo(kind.to_pandas_dtype())
        return int(info.min), int(info.max)
    info = np.iinfo(np.int32 if kind.bit_width == 32 else np.int64)
    return int(info.min) + 1, int(info.max)


def to_plain_list(values: pa.Array) -> list[Any]:
    """Return non-missing values as JSON scalars: text, booleans and numbers as they are, times as stored integers.

    Examples
    --------
    >>> import datetime
    >>> to_plain_list(pa.array([datetime.date(1970, 1, 3)]))
    [2]
    """
    kind = values.type
    if pa.types.is_temporal(kind):
        values = values.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    if pa.types.is_decimal(kind):
        values = pc.cast(values, pa.string())
    return [float(value) if isinstance(value, np.floating) else value for value in values.to_pylist()]


def shown_values(values: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return values as Python shows them; dates and times beyond its years and microseconds as stored integers.

    Examples
    --------
    >>> shown_values(pa.array([0, 10**8], pa.int32()).cast(pa.date32()))
    [0, 100000000]
    """
    try:
        return list(values.to_pylist())
    except (OverflowError, ValueError):
        return to_plain_list(values)


def from_plain_list(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Return the Arrow array that `to_plain_list` wrote.

    Examples
    --------
    >>> from_plain_list(["1.50"], pa.decimal128(3, 2)).type
    Decimal128Type(decimal128(3, 2))
    """
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).cast(kind)
    if pa.types.is_decimal(kind):
        return pa.array(values, pa.string()).cast(kind)
    if kind == pa.float16():
        return pa.array(np.array(values, dtype=np.float16))
    return pa.array(values, kind)


def diverged(name: str) -> NumericalError:
    """Return the error of a column whose features are no numbers."""
    return NumericalError(
        f"Column {name!r} cannot be decoded: the transform has diverged. "
        "Fit it again with a smaller step or another random_state."
    )
