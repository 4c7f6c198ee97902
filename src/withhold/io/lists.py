"""Columns of lists of numbers, such as embeddings in Parquet, as one column an entry."""

import pyarrow as pa
import pyarrow.compute as pc

from withhold.contracts.errors import DataError

# More entries are no embedding: who means it writes columns.
_MOST_ENTRIES = 100_000


def spread_lists(table: pa.Table, where: str) -> pa.Table:
    """Return a table whose lists of numbers, all of one length, are columns: x0, x1, ... of the only such column.

    Others are called after their column, as are those of an only one where x0 is taken. Lists of several lengths stay.

    Parameters
    ----------
    where : str
        What the table is called in messages.

    Examples
    --------
    >>> table = pa.table({"sex": ["f", "m"], "embedding": [[0.5, 1.0], [2.5, 3.0]]})
    >>> spread_lists(table, "t.parquet").to_pylist()
    [{'sex': 'f', 'x0': 0.5, 'x1': 1.0}, {'sex': 'm', 'x0': 2.5, 'x1': 3.0}]
    """
    widths = {field.name: width for field in table.schema if (width := _width(table.column(field.name)))}
    if not widths:
        return table
    single = len(widths) == 1 and not any(name.startswith("x") and name[1:].isdigit() for name in table.column_names)
    columns: list[pa.ChunkedArray] = []
    fields: list[pa.Field] = []
    for field in table.schema:
        column, width = table.column(field.name), widths.get(field.name)
        if width is None:
            columns.append(column)
            fields.append(field)
            continue
        if width > _MOST_ENTRIES:
            raise DataError(
                f"Column {field.name!r} of '{where}' has lists of {width:,} numbers; at most {_MOST_ENTRIES:,} become "
                "columns. Shorten them, or drop the column."
            )
        rows, stem = column.combine_chunks(), "x" if single else f"{field.name}_"
        for j in range(width):
            entry = pa.chunked_array([pc.list_element(rows, j)])
            columns.append(entry)
            fields.append(pa.field(f"{stem}{j}", entry.type))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields, table.schema.metadata))


def _width(column: pa.ChunkedArray) -> int | None:
    kind = column.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        return None
    if not (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type)):
        return None
    if pa.types.is_fixed_size_list(kind):
        return kind.list_size or None
    lengths = pc.min_max(pc.list_value_length(column))
    low, high = lengths["min"].as_py(), lengths["max"].as_py()
    return low if low == high and low else None
