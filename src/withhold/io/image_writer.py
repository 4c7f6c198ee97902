"""Images as PNG: single ones as text for a record or a page, many as numbered files in a folder that appears whole."""

import base64
import os
import re
import shutil
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image

from withhold.contracts.errors import DataError, FileError
from withhold.contracts.images import image_array, image_names
from withhold.io.atomic import temporary_beside, write_error
from withhold.io.table_format import FILE, LABELS
from withhold.io.table_writer import TableWriter


def png_text(image: NDArray[Any], low: float = 0.0, high: float = 255.0) -> str:
    """Return an image as a PNG in base64: `low` becomes black and `high` white.

    Parameters
    ----------
    image : ndarray of shape (h, w) or (h, w, c)
        One, three or four channels are shown as they are; of any other number the mean.
    low, high : float
        Ends of the scale.

    Examples
    --------
    >>> base64.b64decode(png_text(np.zeros((4, 4))))[1:4]
    b'PNG'
    """
    pixels = np.asarray(image, dtype=np.float64)
    if pixels.ndim == 3 and pixels.shape[2] not in (3, 4):
        pixels = pixels.mean(axis=2)
    scaled = np.clip((pixels - low) / max(high - low, np.finfo(np.float64).tiny), 0, 1)
    buffer = BytesIO()
    Image.fromarray(np.rint(255 * scaled).astype(np.uint8)).save(buffer, format="PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


# What this writer makes, and nothing else, is in a folder that it may replace.
OWN = re.compile(r"\d{6,}\.png|" + re.escape(LABELS))


class ImageFolderWriter:
    """Write batches of one table with a column of images; an earlier folder of the same kind is replaced at the end.

    Images become 000000.png, 000001.png, ... in the order of the rows, so that the names of the files tell nothing;
    other columns become labels.csv beside them. Names of the files the images came from are not kept.

    Parameters
    ----------
    folder : path
        Absent, empty, or written by this class.
    schema : pyarrow.Schema
        Columns of every batch, one of them images of 8 bits, grey, in colours or with transparency.

    Examples
    --------
    >>> import tempfile
    >>> from withhold.contracts.images import image_column
    >>> folder = Path(tempfile.mkdtemp()) / "out"
    >>> table = pa.table({"image": image_column(np.zeros((2, 4, 4), np.uint8)), "y": [0, 1]})
    >>> with ImageFolderWriter(folder, table.schema) as writer:
    ...     writer.write(table)
    >>> sorted(path.name for path in folder.iterdir()), writer.rows
    (['000000.png', '000001.png', 'labels.csv'], 2)
    """

    def __init__(self, folder: str | os.PathLike[str], schema: pa.Schema) -> None:
        self.path, self.schema, self.rows = Path(os.path.realpath(folder)), schema, 0
        self._image = _image_of(self.path, schema)
        _settle(self.path)
        _refuse_strangers(self.path)
        beside = [field for field in schema if field.name not in (self._image, FILE)]
        self._stack = ExitStack()
        try:
            self._temporary = self._stack.enter_context(temporary_beside(self.path.with_suffix("")))
            self._temporary.mkdir()
            labels = pa.schema([pa.field(FILE, pa.string()), *beside])
            self._labels = TableWriter(self._temporary / LABELS, labels)
        except OSError as error:
            self._discard()
            raise write_error(self.path, error) from error
        except BaseException:
            self._discard()
            raise

    def write(self, batch: pa.Table | pa.RecordBatch) -> None:
        """Append the records of `batch`."""
        table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        files = [f"{row:06d}.png" for row in range(self.rows, self.rows + table.num_rows)]
        images = image_array(table.column(self._image))
        try:
            for file, image in zip(files, images, strict=True):
                Image.fromarray(_plain(image)).save(self._temporary / file, format="PNG")
        except OSError as error:
            raise write_error(self.path, error) from error
        names = [name for name in self._labels.schema.names if name != FILE]
        self._labels.write(
            pa.Table.from_arrays(
                [pa.array(files, pa.string()), *(table.column(name) for name in names)], schema=self._labels.schema
            )
        )
        self.rows += table.num_rows

    def close(self) -> None:
        """Finish the folder and put it in place."""
        try:
            self._labels.close()
            if hasattr(os, "sync"):  # not on Windows
                os.sync()  # once, because flushing thousands of small files one by one takes minutes
            _replace(self._temporary, self.path)
        except OSError as error:
            raise write_error(self.path, error) from error
        finally:
            self._discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
            return
        self._labels.__exit__(kind, error, trace)
        self._discard()

    def _discard(self) -> None:
        self._stack.close()


def write_image_folder(folder: Path, table: pa.Table) -> None:
    """Write the images of `table` as numbered PNG files, and its other columns as labels.csv beside them."""
    with ImageFolderWriter(folder, table.schema) as writer:
        writer.write(table)


def _plain(image: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(image[..., 0] if image.ndim == 3 and image.shape[2] == 1 else image)


def _replace(made: Path, folder: Path) -> None:
    """Put `made` in the place of `folder`, which is never half of each."""
    _refuse_strangers(folder)
    if folder.exists():
        os.replace(folder, _earlier(folder))
    try:
        os.replace(made, folder)
    finally:
        _settle(folder)


def _settle(folder: Path) -> None:
    """Bring an earlier folder back that a killed command had only taken away, or remove it where a new one is there."""
    earlier = _earlier(folder)
    if earlier.is_dir() and not folder.exists():
        os.replace(earlier, folder)
    shutil.rmtree(earlier, ignore_errors=True)


def _earlier(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.withhold-earlier")


def _refuse_strangers(folder: Path) -> None:
    strange = folder.exists() and (not folder.is_dir() or [p for p in folder.iterdir() if not OWN.fullmatch(p.name)])
    if not strange:
        return
    got = f"'{strange[0].name}' in it" if isinstance(strange, list) else "a file"
    raise FileError(
        f"'{folder}' must be absent, empty or an earlier folder of numbered images (got {got}). Choose another folder."
    )


def fits_png(schema: pa.Schema) -> bool:
    """Whether the images of a table, one column of them, can be written as PNG files.

    Examples
    --------
    >>> from withhold.contracts.images import image_column
    >>> tables = [pa.table({"image": image_column(np.zeros((1, 4, 4), kind))}) for kind in (np.uint8, np.uint16)]
    >>> [fits_png(table.schema) for table in tables]
    [True, False]
    """
    names = image_names(schema.empty_table())
    if len(names) != 1:
        return False
    kind = schema.field(names[0]).type
    return pa.types.is_uint8(kind.value_type) and (len(kind.shape) == 2 or kind.shape[2] in (1, 3, 4))


def _image_of(folder: Path, schema: pa.Schema) -> str:
    names = image_names(schema.empty_table())
    if not fits_png(schema):
        kind = schema.field(names[0]).type if len(names) == 1 else None
        got = f"{len(names)} columns of images" if kind is None else f"{kind.value_type} of shape {tuple(kind.shape)}"
        raise DataError(
            f"'{folder}' can only hold one column of 8-bit images, grey or in colour (got {got}). Write an .npz file."
        )
    return names[0]
