"""Folders of PNG and JPEG images beside a table that names them, as one table: a column of images, and the labels."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from withhold.contracts.errors import DataError, FileError, sentence
from withhold.contracts.images import IMAGE, image_array, image_column, image_names
from withhold.io.atomic import TEMPORARY_PREFIX, write_error
from withhold.io.table_format import check_columns, damaged
from withhold.io.table_writer import TableWriter

FILE, LABELS = "file", "labels.csv"
FORMATS = ("PNG", "JPEG")
SUFFIXES = {".png", ".jpg", ".jpeg"}
# How the pixels of each kind of file are read; one that has more colours decides for all.
KINDS = {"1": "L", "L": "L", "I;16": "I;16", "RGB": "RGB", "P": "RGB", "CMYK": "RGB", "YCbCr": "RGB"}
ORDER = ("L", "RGB", "RGBA")


def read_image_folder(folder: Path, labels: pa.Table) -> pa.Table:
    """Return the images that `labels` names and its columns, in its order.

    The names of the files stay a column: whoever gets the folder gets them. What else a file holds beside pixels, such
    as the camera's notes, is not read.

    Parameters
    ----------
    folder : Path
    labels : pyarrow.Table
        With a text column "file": paths below the folder.
    """
    if FILE not in labels.column_names:
        got = ", ".join(map(repr, labels.column_names[:10]))
        why = "It says which image each row is about."
        raise DataError(sentence("The labels table", "one with a column 'file'", got, why, "Name the column 'file'."))
    paths = [_below(folder, name) for name in labels.column(FILE).to_pylist()]
    kinds: dict[str, Path] = {}
    sizes: dict[tuple[int, int], Path] = {}
    for path in paths:
        with _opened(path) as image:
            kinds.setdefault(_kind(image), path)
            sizes.setdefault(image.size, path)
        if len(sizes) > 1:
            (first, one), (second, two) = list(sizes.items())[:2]
            raise DataError(
                sentence(
                    f"The images of '{folder}'",
                    "of one size",
                    f"{first[0]} x {first[1]} in '{one.name}' and {second[0]} x {second[1]} in '{two.name}'",
                    "Pixels are compared place by place.",
                    "Resize or crop them to one size first.",
                )
            )
    images = _read(paths, _common(folder, kinds))
    name = IMAGE if IMAGE not in labels.column_names else "pixels"
    names = [name, *labels.column_names]
    check_columns(folder, names)
    return pa.Table.from_arrays([image_column(images, f"The images of '{folder}'"), *labels.columns], names=names)


def unnamed_images(folder: Path, labels: pa.Table) -> int:
    """Return how many image files of the folder have no row in `labels`."""
    named = {_below(folder, name) for name in labels.column(FILE).to_pylist()}
    return sum(path.suffix.lower() in SUFFIXES and path not in named for path in folder.rglob("*"))


def write_image_folder(folder: Path, table: pa.Table) -> None:
    """Write the images of `table` as numbered PNG files, and its other columns as labels.csv beside them.

    The folder appears whole or not at all. Names of the files the images came from are not kept.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "out"
    >>> write_image_folder(folder, pa.table({"image": image_column(np.zeros((2, 4, 4), np.uint8)), "y": [0, 1]}))
    >>> sorted(path.name for path in folder.iterdir())
    ['000000.png', '000001.png', 'labels.csv']
    """
    images = _writable(folder, table)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        why = "Other files in it would be taken for part of the release."
        raise FileError(
            sentence(f"The folder '{folder}'", "absent or empty", "something there", why, "Choose another.")
        )
    files = [f"{row:06d}.png" for row in range(len(images))]
    rest = table.drop_columns([name for name in table.column_names if name in (*image_names(table), FILE)])
    temporary = folder.parent / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
    try:
        temporary.mkdir()
        for file, image in zip(files, images, strict=True):
            Image.fromarray(image[..., 0] if image.ndim == 3 and image.shape[2] == 1 else image).save(temporary / file)
        beside = pa.table({FILE: files, **{name: rest.column(name) for name in rest.column_names}})
        with TableWriter(temporary / LABELS, beside.schema) as writer:
            writer.write(beside)
        os.replace(temporary, folder)
    except OSError as error:
        raise write_error(folder, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _below(folder: Path, name: Any) -> Path:
    path = PurePosixPath(str(name))
    if name is None or path.is_absolute() or ".." in path.parts:
        why = "Only what is in the folder is handed over."
        raise DataError(
            sentence("Each 'file' of the labels table", f"a path below '{folder}'", repr(name), why, "Fix it.")
        )
    return folder / path


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    try:
        with Image.open(path, formats=FORMATS) as image:
            yield image
    except (FileNotFoundError, IsADirectoryError) as error:
        why = "The labels table names it."
        raise FileError(
            sentence(f"The image '{path}'", "an existing file", "nothing there", why, "Check the 'file' column.")
        ) from error
    except PermissionError:
        raise
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise damaged(path, "PNG or JPEG") from error


def _kind(image: Image.Image) -> str:
    if "transparency" in image.info:
        return "RGBA"
    return KINDS.get(image.mode, "RGBA" if image.mode in ("RGBA", "LA", "PA") else image.mode)


def _common(folder: Path, kinds: dict[str, Path]) -> str:
    strange = [kind for kind in kinds if kind not in (*ORDER, "I;16")]
    if strange or ("I;16" in kinds and len(kinds) > 1):
        kind = strange[0] if strange else "I;16"
        why = "Brightness must mean the same in all images."
        raise DataError(
            sentence(
                f"The images of '{folder}'",
                "all of 8 bits a colour, or all grey of 16 bits",
                f"pixels of kind {kind} in '{kinds[kind].name}'",
                why,
                "Convert them to one kind, or store them as an array in an .npz file.",
            )
        )
    return "I;16" if "I;16" in kinds else max(kinds, key=ORDER.index, default="L")


def _read(paths: list[Path], kind: str) -> NDArray[Any]:
    images: NDArray[Any] = np.empty((0, 1, 1), np.uint8)
    for row, path in enumerate(paths):
        with _opened(path) as image:
            pixels = np.asarray(image if image.mode == kind else image.convert(kind))
        if row == 0:
            images = np.empty((len(paths), *pixels.shape), np.uint16 if kind == "I;16" else np.uint8)
        images[row] = pixels
    return images


def _writable(folder: Path, table: pa.Table) -> NDArray[Any]:
    names = image_names(table)
    images = image_array(table.column(names[0])) if len(names) == 1 else None
    grey = images is not None and (images.ndim == 3 or images.shape[3] == 1)
    if images is None or not (images.dtype == np.uint8 and (grey or images.shape[3] in (3, 4))):
        got = f"{len(names)} columns of images" if images is None else f"{images.dtype} of shape {images.shape[1:]}"
        why = "A PNG file holds whole brightnesses from 0 to 255, grey, in three colours, or with transparency."
        expected = "one column of 8-bit images"
        raise DataError(sentence(f"What is written to '{folder}'", expected, got, why, "Write an .npz file instead."))
    return images
