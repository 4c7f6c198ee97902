"""Parquet and Arrow (Feather) files: read whole or in batches, with dictionaries that Arrow itself would damage."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from withhold.contracts.arrow_columns import check_text, decode_nested
from withhold.io.table_format import check_columns, damaged, table_format


def unified_table(table: pa.Table) -> pa.Table:
    """Return a table each of whose dictionary columns has one dictionary.

    Examples
    --------
    >>> parts = [pa.table({"a": pa.array(levels).dictionary_encode()}) for levels in (["x"], ["y"])]
    >>> unified_table(pa.concat_tables(parts)).column("a").chunk(1).dictionary.to_pylist()
    ['x', 'y']
    """
    for j, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and table.column(j).num_chunks > 1:
            table = table.set_column(j, field, unified(table.column(j)))
    return table


def unified(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the chunks with one dictionary, which begins with that of the first.

    Examples
    --------
    >>> halves = [pa.array(values, pa.float16()).dictionary_encode() for values in ([0.5], [2.5, 0.5])]
    >>> [chunk.to_pylist() for chunk in unified(pa.chunked_array(halves)).chunks]
    [[0.5], [2.5, 0.5]]
    """
    kind = column.type
    if pa.types.is_null(kind.value_type):  # Arrow unifies none
        missing = [pa.nulls(len(chunk), kind.index_type) for chunk in column.chunks]
        return _coded(missing, [pa.nulls(0)] * len(missing), kind)
    if not pa.types.is_float16(kind.value_type):
        return column.unify_dictionaries()
    # Arrow 26 takes the bits of half floats for whole numbers: let them be some while it works.
    codes = [chunk.indices for chunk in column.chunks]
    bits = _coded(codes, [chunk.dictionary.view(pa.uint16()) for chunk in column.chunks], _bits(kind))
    whole = bits.unify_dictionaries()
    dictionaries = [chunk.dictionary.view(kind.value_type) for chunk in whole.chunks]
    return _coded([chunk.indices for chunk in whole.chunks], dictionaries, kind)


def _bits(kind: pa.DataType) -> pa.DataType:
    return pa.dictionary(kind.index_type, pa.uint16(), kind.ordered)


def _coded(codes: list[pa.Array], dictionaries: list[pa.Array], kind: pa.DataType) -> pa.ChunkedArray:
    pairs = zip(codes, dictionaries, strict=True)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(c, d, ordered=kind.ordered) for c, d in pairs], kind)


# Column chunks are read in pieces of this size, so that memory does not grow with the row groups of the file.
_BUFFER_BYTES = 1 << 18


def columnar_schema(path: Path) -> pa.Schema:
    """Return the schema of a Parquet or Arrow file."""
    with _opened(path) as reader:
        schema = reader.schema_arrow if isinstance(reader, pq.ParquetFile) else reader.schema
        return decode_nested(schema.empty_table()).schema


def columnar_rows(path: Path) -> int | None:
    """Return the number of rows where the file states it."""
    with _opened(path) as reader:
        return int(reader.metadata.num_rows) if isinstance(reader, pq.ParquetFile) else None


def columnar_batches(path: Path, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the records of a Parquet or Arrow file in batches of at most `rows`."""
    with _opened(path) as reader:
        if isinstance(reader, pq.ParquetFile):
            for batch in reader.iter_batches(rows, use_threads=False):
                check_text(batch, f"'{path}'")
                yield batch
            return
        for batch in _arrow_batches(reader):
            check_text(batch, f"'{path}'")
            batch.validate(full=True)  # Arrow files carry no checksum: wrong offsets would be read as memory
            batch = decode_nested(batch)
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


def read_columnar(path: Path) -> pa.Table:
    """Return a Parquet or Arrow file as one table."""
    with _opened(path) as reader:
        if isinstance(reader, pq.ParquetFile):
            table = reader.read()
            check_text(table, f"'{path}'")
            return table
        table = pa.Table.from_batches(_arrow_batches(reader), reader.schema)
        check_text(table, f"'{path}'")
        table.validate(full=True)
        return decode_nested(table)


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile | pa.RecordBatchFileReader | pa.RecordBatchStreamReader]:
    kind = table_format(path)
    try:
        with pa.OSFile(str(path)) as handle:
            if kind == "parquet":
                reader = pq.ParquetFile(
                    handle, buffer_size=_BUFFER_BYTES, pre_buffer=False, page_checksum_verification=True
                )
                check_columns(path, reader.schema_arrow.names)
            else:
                reader = _arrow_reader(handle)
                check_columns(path, reader.schema.names)
            yield reader
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        raise damaged(path, "Parquet" if kind == "parquet" else "Arrow (Feather)") from error


def _arrow_reader(handle: pa.OSFile) -> pa.RecordBatchFileReader | pa.RecordBatchStreamReader:
    try:
        return pa.ipc.open_file(handle)
    except pa.ArrowInvalid:  # .arrow is also used for the streaming form, which has no footer
        handle.seek(0)
        return pa.ipc.open_stream(handle)


def _arrow_batches(reader: pa.RecordBatchFileReader | pa.RecordBatchStreamReader) -> Iterator[pa.RecordBatch]:
    if isinstance(reader, pa.RecordBatchFileReader):
        return (reader.get_batch(i) for i in range(reader.num_record_batches))
    return iter(reader)
