"""What Arrow holds and cannot work with: text that is not UTF-8, dictionaries of lists and records."""

from typing import TypeVar

import pyarrow as pa

from withhold.contracts.errors import DataError

Rows = TypeVar("Rows", pa.Table, pa.RecordBatch)


def check_text(table: pa.Table | pa.RecordBatch, subject: str) -> None:
    r"""Refuse text whose bytes are not UTF-8; whoever reads them would stop somewhere in the middle.

    Parameters
    ----------
    table : pyarrow.Table or RecordBatch
    subject : str
        What to call the table in messages.

    Examples
    --------
    >>> check_text(pa.table({"drink": ["café"]}), "X")
    >>> check_text(pa.table({"drink": pa.array([b"th\xe9"]).view(pa.string())}), "X")
    Traceback (most recent call last):
    withhold.contracts.errors.DataError: Column 'drink' of X holds text that is not UTF-8. Export it again as UTF-8, ...
    """
    for field, column in zip(table.schema, table.columns, strict=True):
        if not _has_text(field.type):
            continue
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            if "UTF8" not in str(error):
                raise
            raise DataError(
                f"Column {field.name!r} of {subject} holds text that is not UTF-8. Export it again as UTF-8, cast it "
                "to binary, or drop it."
            ) from error


def decode_nested(table: Rows) -> Rows:
    """Return a table whose dictionaries of lists, records and the like are plain: Arrow neither casts nor unifies them.

    Examples
    --------
    >>> coded = pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), pa.array([[1], [2, 3]]))
    >>> decode_nested(pa.table({"a": coded})).to_pydict()
    {'a': [[2, 3], None, [1]]}
    """
    for j, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and _is_nested(field.type.value_type):
            try:
                plain = _decoded(table.column(j))
            except pa.ArrowNotImplementedError:  # views inside, of which Arrow takes no rows; `plain_encodings` says so
                continue
            table = table.set_column(j, field.with_type(field.type.value_type), plain)
    return table


def _is_nested(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.BaseExtensionType) or (pa.types.is_nested(kind) and not pa.types.is_dictionary(kind))


def _decoded(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([_decoded(chunk) for chunk in column.chunks], column.type.value_type)
    return column.dictionary.take(column.indices)


def _has_text(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _has_text(kind.value_type)
    if pa.types.is_nested(kind):
        return any(_has_text(kind.field(j).type) for j in range(kind.num_fields))
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
