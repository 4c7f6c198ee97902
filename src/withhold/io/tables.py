"""Tables in and out: Parquet, CSV, Feather (Arrow), .npz, folders of Parquet parts or images, as `pyarrow.Table`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pyarrow as pa

from withhold.contracts.checks import refused
from withhold.contracts.errors import DataError, FileError, InvalidParameterError
from withhold.contracts.images import image_names
from withhold.io.columnar import columnar_batches, columnar_rows, columnar_schema, read_columnar, unified_table
from withhold.io.csv_files import Types, csv_batches, csv_rows, read_csv
from withhold.io.declared import as_said, batches_as_said
from withhold.io.digest import digest
from withhold.io.formats.registry import read_foreign
from withhold.io.image_folder import image_batches, read_image_folder
from withhold.io.image_writer import ImageFolderWriter
from withhold.io.npz import read_npz, write_npz
from withhold.io.partitions import partitions, with_partition
from withhold.io.reading import FOUND_OUT, Reading
from withhold.io.table_format import has_parts, image_files, is_whole, source_files, table_format, unreadable
from withhold.io.table_writer import TableWriter

__all__ = [
    "TableWriter",
    "count_rows",
    "digest",
    "open_writer",
    "read_table",
    "row_count",
    "table_batches",
    "write_table",
]

PathLike = str | os.PathLike[str]


def read_table(
    path: PathLike,
    array: str | None = None,
    labels: PathLike | None = None,
    types: Types | None = None,
    reading: Reading = FOUND_OUT,
) -> pa.Table:
    r"""Read a whole table.

    Parameters
    ----------
    path : path
        A .parquet, .csv, .tsv (.gz too), .feather, .arrow or .npz file, a folder of Parquet parts (read in order of
        their names; folders such as year=2024 below it give a column), or with `labels` a folder of PNG and JPEG
        images. With the extra `formats` also .xlsx, SPSS, Stata and SAS files, .npy and .h5ad.
    array : str, optional
        Of .xlsx the sheet, of .h5ad the matrix, of .npz the array with the features, which become columns x0, x1, ...;
        other 1-d arrays of the same length are columns beside it. An array of three or four dimensions holds images.
        Without it the file must hold one array of more than one dimension, or 1-d arrays of equal length.
    labels : path, optional
        Table of the labels of a folder of images, with a column "file".
    types : mapping of str to DataType, optional
        What is known of the columns. A CSV file states no types: its columns are read so where their values allow it,
        and by what they look like otherwise. Other formats state their own.
    reading : Reading
        What is said of separators, encodings, missing values, columns of text and dates; the rest is found out.

    Returns
    -------
    pyarrow.Table
        With pandas metadata and dictionary types where the file has them.

    Raises
    ------
    FileError
        Missing, unreadable or of a kind that is not a table.
    MissingExtraError
        If the package that reads this format is not installed.
    DataError
        Damaged, cut short, ragged, or with two columns of one name.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("age,city\n31,Rome\n,Oslo\n")
    >>> read_table(path).to_pylist()
    [{'age': 31, 'city': 'Rome'}, {'age': None, 'city': 'Oslo'}]
    """
    _check_options(path, array, labels)
    with _readable(path):
        if labels is not None:
            return read_image_folder(Path(path), read_table(labels, reading=reading))
        files = source_files(path)
        values = partitions(Path(path), files)
        read = (_read_file(file, array, types, reading) for file in files)
        tables = [with_partition(table, own) for table, own in zip(read, values, strict=True)]
        _check_parts(files, [table.schema for table in tables])
    return tables[0] if len(tables) == 1 else unified_table(pa.concat_tables(tables))


def row_count(path: PathLike) -> int | None:
    """Return the number of rows where it is known without reading (Parquet, folders of images), else None.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.parquet"
    >>> write_table(path, pa.table({"a": [1, 2, 3]}))
    >>> row_count(path)
    3
    """
    with _readable(path):
        images = image_files(path)
        if images:
            return len(images)
        files = source_files(path)
        if table_format(files[0]) != "parquet":
            return None
        return sum(columnar_rows(file) or 0 for file in files)


def count_rows(path: PathLike, reading: Reading = FOUND_OUT) -> int:
    """Return the number of rows, passing over the records piece by piece where the file does not state it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> write_table(path, pa.table({"a": [1, 2, 3]}))
    >>> count_rows(path)
    3
    """
    stated = row_count(path)
    if stated is not None:
        return stated
    with _readable(path):
        (file,) = source_files(path)
        if table_format(file) == "csv":
            return csv_rows(file, reading)
        return sum(batch.num_rows for batch in table_batches(file, 1 << 16))


def table_batches(
    path: PathLike,
    rows: int,
    array: str | None = None,
    labels: PathLike | None = None,
    types: Types | None = None,
    reading: Reading = FOUND_OUT,
) -> Iterator[pa.RecordBatch]:
    """Yield the records in order, in batches of exactly `rows` (the last may be shorter), in constant memory.

    Arrays, workbooks and files of statistics packages are read whole first. Where the batches end depends on `rows`
    only, not on how the file is divided. A folder of images needs no labels here: without them its images come in order
    of name. `types` and `reading` are as in `read_table`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.feather"
    >>> write_table(path, pa.table({"a": range(5)}))
    >>> [batch.num_rows for batch in table_batches(path, 2)]
    [2, 2, 1]
    """
    if rows < 1:
        raise refused("rows", "at least 1", rows)
    _check_options(path, array, labels)
    with _readable(path):
        if labels is not None or image_files(path):
            named = None if labels is None else read_table(labels, reading=reading)
            yield from image_batches(Path(path), named, rows)
            return
        files = source_files(path)
        if len(files) > 1:
            _check_parts(files, [columnar_schema(file) for file in files])
        values = partitions(Path(path), files)
        parts = (_file_batches(file, rows, array, types, reading) for file in files)
        pieces = (_part_batches(batches, own) for batches, own in zip(parts, values, strict=True))
        yield from _exact_batches(chain.from_iterable(pieces), rows)


def write_table(path: PathLike, table: pa.Table, array: str = "x", reading: Reading = FOUND_OUT) -> None:
    """Write a whole table; an earlier file of that name is replaced only when the new one is complete.

    Parameters
    ----------
    path : path
        A .parquet, .csv, .tsv (.gz too), .feather, .arrow or .npz file; without a suffix, for images, a folder of PNG
        files.
    array : str
        For .npz: name of the array that images, or columns x0, x1, ... of one type become.
    reading : Reading
        How the file that the table came from is written: a .csv gets its separator and its decimal mark.
    """
    if Path(path).suffix.lower() == ".npz":
        write_npz(Path(path), table, array)
        return
    with open_writer(path, table.schema, array, reading) as writer:
        writer.write(table)


def open_writer(
    path: PathLike, schema: pa.Schema, array: str = "x", reading: Reading = FOUND_OUT
) -> TableWriter | ImageFolderWriter:
    """Return what writes batches of one table to `path`: a file, or a folder of images where it has no suffix.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> with open_writer(path, pa.schema({"a": pa.int64()})) as writer:
    ...     writer.write(pa.table({"a": [1, 2]}))
    >>> read_table(path).num_rows
    2
    """
    if not Path(path).suffix and image_names(schema.empty_table()):
        return ImageFolderWriter(path, schema)
    return TableWriter(path, schema, array, reading)


def _read_file(path: Path, array: str | None, types: Types | None, reading: Reading) -> pa.Table:
    kind = table_format(path)
    if kind == "csv":
        return read_csv(path, types, reading)
    return as_said(_read_whole(path, array, reading), reading, str(path))


def _read_whole(path: Path, array: str | None, reading: Reading) -> pa.Table:
    kind = table_format(path)
    if kind == "npz":
        return read_npz(path, array)
    return read_foreign(path, array, reading) if kind == "foreign" else read_columnar(path)


def _file_batches(
    path: Path, rows: int, array: str | None, types: Types | None, reading: Reading
) -> Iterator[pa.RecordBatch]:
    kind = table_format(path)
    if kind == "csv":
        return csv_batches(path, rows, types, reading)
    whole = is_whole(path)
    batches = iter(_read_whole(path, array, reading).to_batches(rows)) if whole else columnar_batches(path, rows)
    return batches if reading.of_columns == FOUND_OUT else batches_as_said(batches, reading, str(path))


def _part_batches(batches: Iterator[pa.RecordBatch], values: dict[str, pa.Scalar]) -> Iterator[pa.RecordBatch]:
    if not values:
        return batches
    tables = (with_partition(pa.Table.from_batches([batch]), values) for batch in batches)
    return (batch for table in tables for batch in table.combine_chunks().to_batches())


def _exact_batches(pieces: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    waiting: list[pa.RecordBatch] = []
    count = 0
    for piece in pieces:
        offset = 0
        while offset < piece.num_rows:
            taken = piece.slice(offset, rows - count)
            waiting.append(taken)
            offset += taken.num_rows
            count += taken.num_rows
            if count == rows:
                yield _joined(waiting)
                waiting, count = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    return unified_table(pa.Table.from_batches(batches)).combine_chunks().to_batches()[0]


def _check_options(path: PathLike, array: str | None, labels: PathLike | None) -> None:
    if labels is not None and not Path(path).is_dir():
        raise InvalidParameterError(f"--labels (labels=) only applies to a folder of images, and '{path}' is none.")
    if array is not None and not has_parts(path):
        raise InvalidParameterError(
            f"--array (array=) only applies to .npz, .xlsx and .h5ad files, and '{path}' is none."
        )


def _check_parts(files: list[Path], schemas: list[pa.Schema]) -> None:
    for file, schema in zip(files, schemas, strict=True):
        if not schema.equals(schemas[0]):
            other = {(field.name, str(field.type)) for field in schema} - {(f.name, str(f.type)) for f in schemas[0]}
            difference = ", ".join(f"{name}: {kind}" for name, kind in sorted(other)) or "missing or reordered columns"
            raise DataError(
                f"'{file.name}' has another schema than '{files[0].name}' ({difference}). Rewrite that part."
            )


@contextmanager
def _readable(path: PathLike) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, PermissionError) as error:
        if isinstance(error, FileError):
            raise
        raise unreadable(path, error) from error
