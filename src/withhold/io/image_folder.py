"""Folders of PNG and JPEG images beside a table that names them, as one table: a column of images, and the labels."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import ExifTags, Image, UnidentifiedImageError

from withhold.contracts.errors import DataError, FileError
from withhold.contracts.images import IMAGE, image_column
from withhold.io.table_format import FILE, check_columns, check_regular, damaged, image_files

FORMATS = ("PNG", "JPEG")
SUFFIXES = {".png", ".jpg", ".jpeg"}
# How the pixels of each kind of file are read; one that has more colours decides for all.
KINDS = {"1": "L", "L": "L", "I;16": "I;16", "RGB": "RGB", "P": "RGB", "CMYK": "RGB", "YCbCr": "RGB"}
ORDER = ("L", "RGB", "RGBA")
MOST_NOTE = 200  # characters of a note that are read


def read_image_folder(folder: Path, labels: pa.Table | None) -> pa.Table:
    """Return the images that `labels` names and its columns, in its order.

    The names of the files stay a column: whoever gets the folder gets them. What else a file holds beside pixels, such
    as the camera's notes, is for `image_notes`.

    Parameters
    ----------
    labels : pyarrow.Table or None
        With a text column "file": paths below the folder. None: all images of the folder, in order of name.
    """
    labels = _labels(folder, labels)
    return _with_images(folder, labels, _common(folder, labels))


def image_batches(folder: Path, labels: pa.Table | None, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield what `read_image_folder` reads in batches of at most `rows`, in the memory of one.

    Every file is opened before the first batch, so that one that is missing or of another size is found at once.
    """
    labels = _labels(folder, labels)
    kind = _common(folder, labels)
    for start in range(0, labels.num_rows, rows):
        yield from _with_images(folder, labels.slice(start, rows), kind).combine_chunks().to_batches()


def unnamed_images(folder: Path, labels: pa.Table) -> int:
    """Return how many image files of the folder have no row in `labels`."""
    named = {_below(folder, name) for name in labels.column(FILE).to_pylist()}
    return sum(path.suffix.lower() in SUFFIXES and path not in named for path in folder.rglob("*"))


def first_unmatched(folder: Path, labels: pa.Table) -> str | None:
    """Return the first name of `labels` that is no file of the folder, None where all are."""
    names = _labels(folder, labels).column(FILE).to_pylist()
    return next((str(name) for name in names if not _below(folder, name).is_file()), None)


def image_notes(folder: Path, labels: pa.Table | None) -> pa.Table:
    """Return what the image files hold beside pixels, where it is not the same in all: one text column a note.

    The kind of file and of pixels, how a JPEG was compressed, the notes of cameras (EXIF) and of programs (PNG text,
    resolution, colour profile).

    Parameters
    ----------
    folder, labels
        As for `read_image_folder`, whose rows these are.
    """
    found: list[dict[str, str]] = []
    for name in _labels(folder, labels).column(FILE).to_pylist():
        with _opened(_below(folder, name)) as image:
            notes = {"kind of file": str(image.format), "kind of pixels": image.mode}
            notes |= {f"note {key}": _short(value) for key, value in image.info.items() if key != "exif"}
            tables = getattr(image, "quantization", None)  # of a JPEG: the quality it was saved with
            notes |= {} if tables is None else {"compression": blake2b(str(tables).encode(), digest_size=4).hexdigest()}
            notes |= {f"note {ExifTags.TAGS.get(tag, tag)}": _short(value) for tag, value in image.getexif().items()}
        found.append(notes)
    names = dict.fromkeys(name for notes in found for name in notes)
    columns = {name: [notes.get(name) for notes in found] for name in names}
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items() if len(set(values)) > 1})


def _short(value: Any) -> str:
    return repr(value)[:MOST_NOTE]


def _labels(folder: Path, labels: pa.Table | None) -> pa.Table:
    if labels is None:
        return pa.table({FILE: [path.relative_to(folder).as_posix() for path in image_files(folder)]})
    if FILE not in labels.column_names:
        got = ", ".join(map(repr, labels.column_names[:10]))
        raise DataError(f"The labels table has no column 'file' with the paths of the images, only {got}. Add it.")
    return labels


def _with_images(folder: Path, labels: pa.Table, kind: str) -> pa.Table:
    images = _read([_below(folder, name) for name in labels.column(FILE).to_pylist()], kind)
    name = IMAGE if IMAGE not in labels.column_names else "pixels"
    names = [name, *labels.column_names]
    check_columns(folder, names)
    return pa.Table.from_arrays([image_column(images, f"The images of '{folder}'"), *labels.columns], names=names)


def _below(folder: Path, name: Any) -> Path:
    path = PurePosixPath(str(name))
    if name is None or path.is_absolute() or ".." in path.parts:
        raise DataError(f"Each 'file' of the labels table must be a path below '{folder}' (got {name!r}).")
    return folder / path


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    check_regular(path)
    try:
        with Image.open(path, formats=FORMATS) as image:
            yield image
    except (FileNotFoundError, IsADirectoryError) as error:
        raise FileError(f"Image not found: '{path}'. Check the column 'file' of the labels table.") from error
    except PermissionError:
        raise
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise damaged(path, "PNG or JPEG") from error


def _kind(image: Image.Image) -> str:
    if "transparency" in image.info:
        return "RGBA"
    return KINDS.get(image.mode, "RGBA" if image.mode in ("RGBA", "LA", "PA") else image.mode)


def _common(folder: Path, labels: pa.Table) -> str:
    """Return how the pixels of all are read, having looked at each; refuse other sizes and other depths."""
    kinds: dict[str, Path] = {}
    sizes: dict[tuple[int, int], Path] = {}
    for path in (_below(folder, name) for name in labels.column(FILE).to_pylist()):
        with _opened(path) as image:
            kinds.setdefault(_kind(image), path)
            sizes.setdefault(image.size, path)
        if len(sizes) > 1:
            (first, one), (second, two) = list(sizes.items())[:2]
            raise DataError(
                f"The images of '{folder}' must be of one size (got {first[0]} x {first[1]} in '{one.name}' and "
                f"{second[0]} x {second[1]} in '{two.name}'). Resize or crop them first."
            )
    strange = [kind for kind in kinds if kind not in (*ORDER, "I;16")]
    if strange or ("I;16" in kinds and len(kinds) > 1):
        kind = strange[0] if strange else "I;16"
        raise DataError(
            f"The images of '{folder}' must all have 8 bits per colour, or all be grey of 16 bits (got {kind} in "
            f"'{kinds[kind].name}'). Convert them to one kind, or store them as an array in an .npz file."
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
