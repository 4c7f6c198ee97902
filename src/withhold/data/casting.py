"""Bring a table to a schema: select its columns and cast them, or say which one does not fit."""

from collections.abc import Sequence

import pyarrow as pa

from withhold.contracts.errors import DataError
from withhold.data.arrow_types import family, value_type
from withhold.data.columns.column import Column

# Families whose values convert into one another without a change of meaning.
_CONVERTS = {
    "float": {"float", "integer", "decimal", "boolean", "null"},
    "integer": {"float", "integer", "decimal", "boolean", "null"},
    "decimal": {"float", "integer", "decimal", "null"},
    "boolean": {"boolean", "null"},
    "temporal": {"temporal", "null"},
    "text": {"text", "null"},
    "null": {"null"},
}


def cast_table(table: pa.Table, columns: Sequence[Column]) -> pa.Table:
    """Return the columns of `table` in the order and value types of `columns`; others are left out.

    A dictionary column keeps its own dictionary, so that levels never seen in fitting stay what they are.

    Raises
    ------
    DataError
        If a column is missing or its values cannot be converted.
    """
    present = set(table.column_names)
    absent = [column.name for column in columns if column.name not in present]
    if absent:
        listed = ", ".join(map(repr, absent[:8])) + (", ..." if len(absent) > 8 else "")
        raise DataError(f"The table lacks fitted columns: {listed}. Add them, or fit again without them.")
    arrays, fields = [], []
    for column in columns:
        array = cast_column(table.column(column.name), column)
        arrays.append(array)
        fields.append(column.field.with_type(array.type).with_nullable(True))
    if not arrays:
        return table.select([])
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def cast_column(array: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """Return `array` with the value type of `column`."""
    target = column.arrow_type
    if array.type == target:
        return array
    if family(target) == "null":  # no value was known in fitting, so none is used
        return pa.chunked_array([pa.nulls(len(array))])
    if pa.types.is_dictionary(target):
        # Categories by value; the codes are the caller's own.
        values = value_type(target)
        if not pa.types.is_dictionary(array.type):
            array = _cast(array, values, column).dictionary_encode()
        if array.type.value_type != values:
            array = _cast(array, pa.dictionary(array.type.index_type, values, array.type.ordered), column)
        return array
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    return _cast(array, target, column)


def _cast(array: pa.ChunkedArray, target: pa.DataType, column: Column) -> pa.ChunkedArray:
    wanted, got = value_type(target), value_type(array.type)
    why = ""
    if family(got) in _CONVERTS[family(wanted)] and _same_clock(got, wanted):
        try:
            if family(got) == "boolean" and family(wanted) != "boolean":
                array = array.cast(pa.uint8())
            return array.cast(target)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            why = f" ({str(error).splitlines()[0][:120]})"
    strange = _first_strange(array, wanted) if family(got) == "text" else None
    if strange is not None:
        raise DataError(
            f"Column {column.name!r} holds {strange[:40]!r}, which is no {wanted} as at the fit. Correct or empty such "
            "cells, or fit again with them."
        )
    # Cells of a CSV file have no type of their own, so that only those of other files come here.
    remedy = f"Give it the type {wanted}"
    if family(got) == "text":
        remedy = "Save the table as a CSV file, whose cells are read by the types of the fit"
    raise DataError(f"Column {column.name!r} is {got} and was {wanted} at the fit{why}. {remedy}, or fit again.")


def _first_strange(array: pa.ChunkedArray, wanted: pa.DataType) -> str | None:
    """Return a text that cannot be read as another type."""
    for value in array.unique().drop_null().to_pylist():
        try:
            pa.array([value]).cast(wanted)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return str(value)
    return None


def _same_clock(got: pa.DataType, wanted: pa.DataType) -> bool:
    """Tell a time with a zone from one without, and dates from durations."""
    if family(got) != "temporal" or family(wanted) != "temporal":
        return True
    tests = (pa.types.is_duration, pa.types.is_time, lambda kind: getattr(kind, "tz", None) is not None)
    return all(test(got) == test(wanted) for test in tests)
