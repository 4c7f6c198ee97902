"""NumPy's .npz files as tables: 1-d arrays are columns, a 2-d array is x0, x1, ..., a 3-d or 4-d one is images."""

import math
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.images import IMAGE, image_array, image_column, image_names, is_image
from withhold.io.atomic import atomic_path
from withhold.io.growth import check_archive
from withhold.io.table_format import check_columns, damaged

Arrays = dict[str, NDArray[Any]]

# An array is believed to be so large; of a larger one every value takes a byte of its file at least.
_MOST_UNSEEN = 1 << 20
# The date of every member, so that equal arrays give equal files (the earliest that zip knows).
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def read_npz(path: Path, array: str | None = None) -> pa.Table:
    """Return the arrays of an .npz file as a table.

    Parameters
    ----------
    path : Path
        The file. Pickled objects in it are refused.
    array : str, optional
        Name of the array that holds the features, where the file has several candidates. Other 1-d arrays with as
        many rows come along as columns. Of three or four dimensions it holds images: one column "image", or of the
        array's own name where another array is called so.
    """
    arrays = _load(path)
    return _table(path, arrays, _main_array(path, arrays, array))


def array_table(path: Path, values: NDArray[Any]) -> pa.Table:
    """Return the only array of a file as a table."""
    return _table(path, {"x": values}, _main_array(path, {"x": values}, "x"))


def _table(path: Path, arrays: Arrays, main: str) -> pa.Table:
    columns: Arrays = {}
    if arrays[main].ndim == 2:
        columns |= {f"x{j}": column for j, column in enumerate(np.ascontiguousarray(arrays[main].T))}
    beside = _labels(arrays, main)
    images = {}
    if arrays[main].ndim > 2:
        images[main if IMAGE in beside else IMAGE] = image_column(arrays[main], f"The array '{main}' of '{path}'")
    names = [*images, *columns, *beside]
    check_columns(path, names)
    columns |= beside
    filled = [images[name] if name in images else _column(path, name, columns[name]) for name in names]
    return pa.Table.from_arrays(filled, names=names)


def arrays_beside(path: Path, array: str | None = None) -> dict[str, tuple[int, ...]]:
    """Return name and shape of the arrays that `read_npz` leaves out of a file; only headers are read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x.npz"
    >>> np.savez(path, x=np.zeros((5, 4, 4)), y=np.arange(5), masks=np.ones((5, 8, 8)), centre=np.zeros(3))
    >>> arrays_beside(path, "x")
    {'masks': (5, 8, 8), 'centre': (3,)}
    """
    with zipfile.ZipFile(path) as archive:
        shapes = {name.removesuffix(".npy"): _shape(archive, name) for name in archive.namelist()}
    # Stand-ins of the same shapes, which take no memory.
    arrays: Arrays = {name: np.broadcast_to(np.uint8(0), shape) for name, shape in shapes.items()}
    main = _main_array(path, arrays, array)
    taken = {main, *_labels(arrays, main)}
    return {name: a.shape for name, a in arrays.items() if name not in taken}


def write_npz(path: Path, table: pa.Table, array: str = "x") -> None:
    """Write a table as an .npz file, whole or not at all.

    Columns x0, x1, ... of one numeric type become one 2-d array called `array`, else images become an array of that
    name; all others 1-d arrays of their name.
    """
    matrix, images = _matrix_columns(table), image_names(table)
    if len(images) == 1 and not matrix:
        table = table.rename_columns([array if n in images else n for n in table.column_names])
        check_columns(path, table.column_names)
    arrays = {n: _array(path, n, table.column(n)) for n in table.column_names if n not in matrix}
    if matrix:
        check_columns(path, [array, *arrays])
        arrays = {array: np.column_stack([_array(path, n, table.column(n)) for n in matrix]), **arrays}
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, values in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy", _ZIP_DATE), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, values, allow_pickle=False)


def _load(path: Path) -> Arrays:
    check_archive(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.removesuffix(".npy"): _member(archive, name) for name in archive.namelist()}
    except (FileNotFoundError, PermissionError):
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError, OSError) as error:
        if "allow_pickle" not in str(error):
            raise damaged(path, ".npz") from error
        raise DataError(
            f"'{path}' holds an object array, which could run code when it is read. "
            "Save text as fixed-width strings and numbers as numeric arrays."
        ) from error


def _member(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(name) as member:
        size = math.prod(_shape(archive, name))
        if size > archive.getinfo(name).file_size and size > _MOST_UNSEEN:
            raise ValueError(f"{name} states more values than it holds")
        values: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        if member.read(1):  # also makes zipfile compare the checksum, which it does at the end only
            raise ValueError(f"{name} holds more than one array")
        return values


def _shape(archive: zipfile.ZipFile, name: str) -> tuple[int, ...]:
    with archive.open(name) as member:
        first = np.lib.format.read_magic(member) == (1, 0)
        read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
        shape: tuple[int, ...] = read(member)[0]
        return shape


def _main_array(path: Path, arrays: Arrays, array: str | None) -> str:
    listing = ", ".join(f"'{name}' {a.shape}" for name, a in arrays.items()) or "an empty file"
    remedy = f"It holds {listing}. Name one with --array NAME (array='NAME')."
    if array is not None and array not in arrays:
        raise InvalidParameterError(f"'{path}' has no array '{array}'. {remedy}")
    wide = [name for name, a in arrays.items() if a.ndim > 1]
    lengths = {len(a) if a.ndim else -1 for a in arrays.values()}
    if array is None:
        if len(wide) > 1 or (not wide and len(lengths) != 1) or not arrays:
            raise DataError(
                f"'{path}' is not one table: 1-d arrays of equal length, or one 2-d array beside them. {remedy}"
            )
        array = wide[0] if wide else next(iter(arrays))
    if arrays[array].ndim not in (1, 2, 3, 4):
        raise DataError(
            f"Array '{array}' of '{path}' must be 1-d to 4-d (got shape {arrays[array].shape}). "
            "Save one row per record: x.reshape(len(x), -1)."
        )
    return array


def _labels(arrays: Arrays, main: str) -> Arrays:
    """Return the arrays of one value a record, which are columns beside the features."""
    return {name: a for name, a in arrays.items() if a.ndim == 1 and len(a) == len(arrays[main])}


def _column(path: Path, name: str, values: NDArray[Any]) -> pa.Array:
    try:
        if values.dtype.kind == "S":
            values = np.char.decode(values, "utf-8")
        return pa.array(np.ascontiguousarray(values.astype(values.dtype.newbyteorder("="), copy=False)))
    except (pa.ArrowException, UnicodeDecodeError, TypeError) as error:
        raise DataError(
            f"Array '{name}' of '{path}' must hold numbers, text or dates (got {values.dtype}). Convert it."
        ) from error


def _matrix_columns(table: pa.Table) -> list[str]:
    names = [n for n in table.column_names if re.fullmatch(r"x(0|[1-9]\d*)", n)]
    types = {table.schema.field(n).type for n in names}
    numeric = all(pa.types.is_floating(t) or pa.types.is_integer(t) for t in types)
    return names if len(types) == 1 and numeric and names == [f"x{j}" for j in range(len(names))] else []


def _array(path: Path, name: str, column: pa.ChunkedArray) -> NDArray[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if is_image(column.type):
        return image_array(column, f"The images of '{path}'")
    floating = pa.types.is_floating(column.type)
    values: NDArray[Any] = column.to_numpy()
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        values = values.astype(np.str_)
    if (column.null_count and not floating) or values.dtype.kind not in "biufUMm":
        got = "missing values" if column.null_count else str(column.type)
        raise DataError(f"'{path}' cannot hold column '{name}' ({got}). Write a .parquet file instead.")
    return values
