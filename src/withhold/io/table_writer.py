"""Writing a table batch by batch into a file that appears whole or not at all."""

import functools
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.csv as pc
import pyarrow.parquet as pq

from withhold.contracts.errors import DataError
from withhold.io.atomic import DISK_FULL, atomic_path, write_error
from withhold.io.columnar import unified, unified_table
from withhold.io.npz import write_npz
from withhold.io.reading import FOUND_OUT, Reading
from withhold.io.table_format import Format, check_columns, check_writable, table_suffix

# Batches are gathered to about this many rows or bytes, because small row groups make Parquet slow for every reader.
_GROUP_ROWS = 1 << 16
_GROUP_BYTES = 1 << 26


class _Sink(Protocol):
    def write(self, table: pa.Table) -> None: ...

    def close(self) -> None: ...

    def discard(self) -> None: ...


class TableWriter:
    """Write batches of one table; the file replaces an earlier one when the writer closes without an exception.

    Parameters
    ----------
    path : path
        A .parquet, .csv, .feather, .arrow or .npz file. The last is gathered in memory and written at the end.
    schema : pyarrow.Schema
        Columns of every batch. Metadata of pandas and dictionary types are kept where the format can.
    array : str
        For .npz: name of the array that images, or columns x0, x1, ... of one type become.
    reading : Reading
        How the file that the table came from is written: a .csv gets its separator and its decimal mark.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "z.parquet"
    >>> with TableWriter(path, pa.schema({"x0": pa.float32()})) as writer:
    ...     for batch in ([1.0, 2.0], [3.0]):
    ...         writer.write(pa.table({"x0": pa.array(batch, pa.float32())}))
    >>> pq.read_table(path).num_rows, writer.rows
    (3, 3)
    """

    def __init__(
        self, path: str | os.PathLike[str], schema: pa.Schema, array: str = "x", reading: Reading = FOUND_OUT
    ) -> None:
        self.path = Path(path)
        self.reading = reading
        self.schema = schema
        self.rows = 0
        self._format = check_writable(path)
        check_columns(path, schema.names)
        self._waiting: list[pa.Table] = []
        self._waiting_rows = self._waiting_bytes = 0
        self._stack = ExitStack()
        self._sink: _Sink = _Gathered(self.path, array) if self._format == "npz" else self._open()

    def write(self, batch: pa.Table | pa.RecordBatch) -> None:
        """Append the records of `batch`."""
        table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        if not table.schema.equals(self.schema):
            raise DataError(
                f"Every batch of '{self.path}' must have the schema of the writer. Cast it: table.cast(writer.schema)."
            )
        self.rows += table.num_rows
        self._waiting.append(table)
        self._waiting_rows += table.num_rows
        self._waiting_bytes += table.nbytes  # of a slice, only what it shows
        if self._waiting_rows >= _GROUP_ROWS or self._waiting_bytes >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Finish the file and put it in place."""
        try:
            self._flush(last=True)
            self._guarded(self._sink.close)
        except BaseException as error:
            self._stack.__exit__(type(error), error, error.__traceback__)
            raise
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._stack.__exit__(kind, error, trace)

    def _open(self) -> _Sink:
        temporary = self._stack.enter_context(atomic_path(self.path))
        try:
            handle = self._stack.enter_context(pa.OSFile(str(temporary), "wb"))
            sink = _sink(self.path, self._format, handle, self.schema, self.reading)
        except BaseException as error:
            self._stack.__exit__(type(error), error, error.__traceback__)
            raise
        self._stack.callback(sink.discard)
        return sink

    def _flush(self, last: bool = False) -> None:
        if self._waiting and (self._waiting_rows or last):
            table = pa.concat_tables(self._waiting)
            self._guarded(lambda: self._sink.write(table))
        self._waiting = []
        self._waiting_rows = self._waiting_bytes = 0

    def _guarded(self, action: Callable[[], None]) -> None:
        try:
            action()
        except OSError as error:
            if error.errno in DISK_FULL:
                raise write_error(self.path, error) from error
            raise
        except (pa.ArrowException, TypeError) as error:
            raise _unstorable(self.path, str(error)) from error


class _Gathered:
    def __init__(self, path: Path, array: str) -> None:
        self._path, self._array = path, array
        self._tables: list[pa.Table] = []

    def write(self, table: pa.Table) -> None:
        self._tables.append(table)

    def close(self) -> None:
        write_npz(self._path, unified_table(pa.concat_tables(self._tables)), self._array)

    def discard(self) -> None:
        self._tables = []


class _Parquet:
    def __init__(self, handle: pa.NativeFile, schema: pa.Schema) -> None:
        # Dictionaries and statistics of float columns cost time and never pay for embeddings and noised values.
        few_valued = [f.name for f in schema if not pa.types.is_floating(f.type)]
        self._writer = pq.ParquetWriter(
            handle,
            schema,
            compression="snappy",
            use_dictionary=few_valued or False,
            write_statistics=few_valued or False,
            write_page_checksum=True,
        )

    def write(self, table: pa.Table) -> None:
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))

    def close(self) -> None:
        self._writer.close()

    def discard(self) -> None:
        self._writer.is_open = False  # or its destructor writes a footer to the closed file


class _Arrow:
    def __init__(self, handle: pa.NativeFile, schema: pa.Schema) -> None:
        # A file in this format may extend a dictionary but not replace it.
        options = pa.ipc.IpcWriteOptions(compression="lz4", emit_dictionary_deltas=True)
        self._writer = pa.ipc.new_file(handle, schema, options=options)
        self._schema = schema
        self._levels = {f.name: pa.array([], f.type.value_type) for f in schema if pa.types.is_dictionary(f.type)}

    def write(self, table: pa.Table) -> None:
        columns = [
            self._recoded(name, table.column(name)) if name in self._levels else table.column(name)
            for name in self._schema.names
        ]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema).combine_chunks())

    def close(self) -> None:
        self._writer.close()

    def discard(self) -> None:
        pass

    def _recoded(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        kind = column.type
        # Unified dictionaries begin with the first, which holds the levels of earlier batches.
        empty = pa.DictionaryArray.from_arrays(pa.array([], kind.index_type), self._levels[name], ordered=kind.ordered)
        whole = unified(pa.chunked_array([empty, *column.chunks], kind))
        self._levels[name] = whole.chunk(0).dictionary
        return pa.chunked_array(whole.chunks[1:], kind)


class _Csv:
    def __init__(self, path: Path, reading: Reading, handle: pa.NativeFile, schema: pa.Schema) -> None:
        kind = table_suffix(path)
        separator = "\t" if ".tsv" in kind else reading.sep or ","
        self._commas = reading.decimal == "," and separator != ","
        self._plain = pa.schema([pa.field(f.name, _plain(f.type)) for f in schema])
        self._schema = pa.schema([pa.field(f.name, self._written(f.type)) for f in self._plain])
        self._stream = pa.CompressedOutputStream(handle, "gzip") if kind.endswith(".gz") else handle
        options = pc.WriteOptions(delimiter=separator)
        self._writer = pc.CSVWriter(self._stream, self._schema, write_options=options)

    def write(self, table: pa.Table) -> None:
        plain = table.replace_schema_metadata(None).cast(self._plain)
        columns = [self._column(column) for column in plain.columns]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))

    def _written(self, kind: pa.DataType) -> pa.DataType:
        return pa.string() if self._commas and _has_decimals(kind) else kind

    def _column(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return a column as it is written: a number with a decimal comma is a text, which Arrow puts into quotes."""
        if self._written(column.type) == column.type:
            return column
        return compute.replace_substring(column.cast(pa.string()), ".", ",")

    def close(self) -> None:
        self._writer.close()
        if isinstance(self._stream, pa.CompressedOutputStream):
            self._stream.close()

    def discard(self) -> None:
        pass


def _has_decimals(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    return pa.float32() if pa.types.is_float16(kind) else kind


def _sink(path: Path, kind: Format, handle: pa.NativeFile, schema: pa.Schema, reading: Reading) -> _Sink:
    sinks: dict[Format, Callable[[pa.NativeFile, pa.Schema], _Sink]] = {
        "parquet": _Parquet,
        "feather": _Arrow,
        "csv": functools.partial(_Csv, path, reading),
    }
    try:
        return sinks[kind](handle, schema)
    except (pa.ArrowException, TypeError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the system; Arrow's own, about a type, have no number
        raise _unstorable(path, str(error)) from error


def _unstorable(path: Path, got: str) -> DataError:
    return DataError(f"'{path}' cannot hold these columns ({got}). Write a .parquet file instead.")
