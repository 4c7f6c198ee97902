"""Columns of any values in the types of a schema: what does not fit is brought to the nearest that does, or is missing.

For releases whose promise covers every value of a record. A value that refused its batch would tell of its record, so
that here only types decide, which are the same for all records of a column.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from withhold.contracts.errors import DataError
from withhold.contracts.images import image_array, image_column, is_image
from withhold.data.arrow_types import family, value_type
from withhold.data.casting import cast_column, cast_table
from withhold.data.columns.column import Column
from withhold.data.columns.storage import plain, restore

# As far from zero as a number is read: beyond every end knot, and still a number after sums and differences.
FARTHEST = 1e300
FARTHEST_PIXEL = 1e15
_NUMBERS = ("float", "integer", "decimal", "boolean")


def fitting_table(table: pa.Table, columns: Sequence[Column]) -> pa.Table:
    """Do what `cast_table` does, but refuse no value.

    Examples
    --------
    >>> from withhold.data.codec import TableCodec
    >>> codec = TableCodec.fit(pa.table({"age": pa.array(range(100), pa.int8())}), keep=["age"])
    >>> fitting_table(pa.table({"age": ["31", "old", "1e9", None]}), codec.columns)["age"].to_pylist()
    [31, None, 127, None]
    """
    fitting = {column.name: column for column in columns if column.name in table.column_names}
    for place, name in enumerate(table.column_names):
        if name in fitting:
            table = table.set_column(place, name, fitting_column(table.column(name), fitting[name]))
    return cast_table(table, columns)


def fitting_column(array: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """Return one column in the type of a schema; infinities are far away, and what cannot be read is missing."""
    wanted, got = column.arrow_type, value_type(array.type)
    group, kind = family(value_type(wanted)), value_type(wanted)
    if group in ("float", "decimal", "integer") and family(got) == "float":
        values = plain(array).to_numpy().astype(np.float64)
        most = min(FARTHEST, float(np.finfo(kind.to_pandas_dtype()).max)) if group == "float" else FARTHEST
        array = pa.chunked_array([pa.array(values.clip(-most, most), mask=np.isnan(values))])
    if group == "text" and family(got) in _NUMBERS:
        array = plain(array).cast(pa.string())
    try:
        return cast_column(array, column)
    except DataError:
        if family(got) != "text" and not (family(got) in _NUMBERS and group in _NUMBERS) and family(got) != group:
            raise  # the types alone decide
    if family(got) == "temporal" and group == "temporal":
        cast_column(array.slice(0, 0), column)  # a clock with a zone where there was none is another type
    if family(got) in _NUMBERS:
        listed = plain(array).to_pylist()
        return _of_numbers(np.array([np.nan if value is None else float(value) for value in listed]), column)
    if group in _NUMBERS:
        return _of_numbers(np.array([number_in(text) for text in plain(array).to_pylist()]), column)
    read = [_scalar(value, kind) for value in plain(array)]
    return cast_column(pa.chunked_array([pa.array(read, kind)]), column)


def finite_table(table: pa.Table) -> pa.Table:
    """Return a table with numbers far away in the place of infinities, and records with a shape without either.

    Examples
    --------
    >>> finite_table(pa.table({"a": [1.5, float("inf"), None]}))["a"].to_pylist()
    [1.5, 1e+300, None]
    """
    for place, field in enumerate(table.schema):
        if is_image(field.type) and pa.types.is_floating(field.type.value_type):
            images = image_array(table.column(place))
            near = np.nan_to_num(images, nan=0.0, posinf=1.0, neginf=0.0).clip(-FARTHEST_PIXEL, FARTHEST_PIXEL)
            if not np.array_equal(near, images):
                table = table.set_column(place, field, pa.chunked_array([image_column(near)]))
        if not pa.types.is_floating(field.type):
            continue
        most = pa.scalar(min(FARTHEST, float(np.finfo(field.type.to_pandas_dtype()).max)), pa.float64())
        values = table.column(place).cast(pa.float64())
        wrong = pc.is_inf(values)
        if pc.any(wrong).as_py():
            far = pc.if_else(wrong, pc.multiply(pc.sign(values), most), values)
            table = table.set_column(place, field, far.cast(field.type))
    return table


def number_in(value: Any) -> float:
    """Return the number that a value is or writes, NaN for none.

    Examples
    --------
    >>> [number_in(value) for value in (" 3.5", True, "true", "-inf", "old", None)]
    [3.5, 1.0, 1.0, -1e+300, nan, nan]
    """
    text = str(value).strip().lower()
    try:
        number = float({"true": "1", "false": "0"}.get(text, text))
    except ValueError:
        return float("nan")
    return float(np.clip(number, -FARTHEST, FARTHEST))


def plain_columns(frame: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """Return a frame whose columns of Python objects hold what the type of the schema can be read from.

    Examples
    --------
    >>> from withhold.data.codec import TableCodec
    >>> codec = TableCodec.fit(pa.table({"age": np.arange(100.0), "town": ["a", "b"] * 50}))
    >>> mixed = pd.DataFrame({"age": [31, "x"], "town": ["a", 5]}, dtype=object)
    >>> plain_columns(mixed, codec.columns).to_numpy().tolist()
    [['31', 'a'], ['x', '5']]
    """
    wanted = {column.name for column in columns}
    objects = [name for name in frame.columns if name in wanted and frame[name].dtype == object]
    mixed = [name for name in objects if not _of_one_type(frame[name])]
    return frame.assign(**{name: pd.Series(_texts(frame[name]), frame.index, dtype=object) for name in mixed})


def _of_one_type(values: pd.Series) -> bool:
    try:
        pa.Array.from_pandas(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def _texts(values: pd.Series) -> list[str | None]:
    return [None if value is None or value is pd.NA or value != value else str(value) for value in values]


def _of_numbers(values: np.ndarray, column: Column) -> pa.ChunkedArray:
    """Return numbers in the type of a schema, at its limits where they are beyond."""
    kind, missing = value_type(column.arrow_type), np.isnan(values)
    if family(kind) == "decimal":
        most = 10.0 ** (kind.precision - kind.scale) * (1 - 1e-15) - 1
        whole = pa.array(np.where(missing, 0.0, values).clip(-most, most), mask=missing).cast(kind)
    else:
        whole = restore(values, missing, kind)
    return cast_column(pa.chunked_array([whole]), column)


def _scalar(value: Any, kind: pa.DataType) -> Any:
    """Return one value as a type has it, None where it has none."""
    try:
        return value.cast(kind)
    except (pa.ArrowException, NotImplementedError):
        return None
