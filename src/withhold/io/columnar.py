"""Parquet and Arrow (Feather) files: read whole or in batches, with pandas metadata and dictionary types kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from withhold.io.table_format import check_columns, damaged, table_format

# Column chunks are read in pieces of this size, so that memory does not grow with the row groups of the file.
_BUFFER_BYTES = 1 << 18


def columnar_schema(path: Path) -> pa.Schema:
    """Return the schema of a Parquet or Arrow file."""
    with _opened(path) as reader:
        return reader.schema_arrow if isinstance(reader, pq.ParquetFile) else reader.schema


def columnar_rows(path: Path) -> int | None:
    """Return the number of rows where the file states it."""
    with _opened(path) as reader:
        return int(reader.metadata.num_rows) if isinstance(reader, pq.ParquetFile) else None


def columnar_batches(path: Path, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the records of a Parquet or Arrow file in batches of at most `rows`."""
    with _opened(path) as reader:
        if isinstance(reader, pq.ParquetFile):
            yield from reader.iter_batches(rows, use_threads=False)
            return
        for batch in _arrow_batches(reader):
            batch.validate(full=True)  # Arrow files carry no checksum: wrong offsets would be read as memory
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


def read_columnar(path: Path) -> pa.Table:
    """Return a Parquet or Arrow file as one table."""
    with _opened(path) as reader:
        if isinstance(reader, pq.ParquetFile):
            return reader.read()
        table = pa.Table.from_batches(_arrow_batches(reader), reader.schema)
        table.validate(full=True)
        return table


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
