"""Which reader a format of another program has: the one list of them."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from withhold.contracts.errors import MissingExtraError
from withhold.io.reading import Reading
from withhold.io.table_format import FOREIGN, table_suffix


def read_foreign(path: Path, array: str | None, reading: Reading) -> pa.Table:
    """Return the table of a file of another program.

    Parameters
    ----------
    path : Path
        With a suffix of `FOREIGN`.
    array : str or None
        The sheet, layer or array to read, where the file has several.
    reading : Reading
        What is said of missing values and text.

    Raises
    ------
    MissingExtraError
        If the package that reads it is not installed.
    """
    with _package(path):
        table: pa.Table = _reader(path).read(path, array, reading)
    return table


def left_out(path: Path, array: str | None) -> list[str]:
    """Return what a file holds beside the table that is read of it: other sheets, comments, layers.

    Examples
    --------
    >>> left_out(Path("a.parquet"), None)
    []
    """
    if table_suffix(path) not in FOREIGN:
        return []
    beside = getattr(_reader(path), "beside", None)
    with _package(path):
        return [] if beside is None else list(beside(path, array))


def _reader(path: Path) -> Any:
    return importlib.import_module(f"withhold.io.formats.{FOREIGN[table_suffix(path)]}")


@contextmanager
def _package(path: Path) -> Iterator[None]:
    """Readers import their packages when they read: none of these need be there for anything else."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"Reading {table_suffix(path)} files needs {error.name}: pip install 'withhold[formats]'. Or export the "
            "table as CSV."
        ) from error
