"""Bytes by what they encode: pictures become images, bytes of one length numbers; what is neither stays bytes."""

import io
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from PIL import Image, UnidentifiedImageError

from withhold.contracts.images import image_column, is_image

# Formats of pictures without code inside; how much all pictures of a column may hold once they are opened (2 GB).
FORMATS, MOST_PIXELS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF"), 2_000_000_000
# Pictures differ from other bytes before these many are opened.
MODES = {"1": "L", "P": "RGB", "CMYK": "RGB", "YCbCr": "RGB", "I;16": "I;16", "L": "L", "RGB": "RGB", "RGBA": "RGBA"}
# More numbers than this are no embedding; sizes that embeddings and measurements have.
MOST_NUMBERS, SMALLEST, LARGEST, PLAUSIBLE = 4096, 1e-20, 1e20, 0.999


def decode(table: pa.Table) -> pa.Table:
    """Return `table` with bytes as what they encode, also those of structs of bytes and path; the rest is untouched.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(3, 2)).astype("<f4")
    >>> decode(pa.table({"vector": [row.tobytes() for row in rows]})).schema.field("vector").type
    FixedSizeListType(fixed_size_list<item: float>[2])
    """
    for index, field in enumerate(table.schema):
        inside, names = _bytes_of(table.column(index)), set(table.column_names)
        if inside is None:
            continue
        values = inside.to_pylist()
        found: pa.Array | None = None
        if values and None not in values:
            found = _pictures(values, field.name)
        if found is not None:
            table = table.set_column(index, pa.field(field.name, found.type), found)
            size = f"{field.name} file size"
            if size not in names:
                table = table.append_column(size, pa.array([len(value) for value in values]))
        elif not pa.types.is_struct(field.type) and not _starts_with_a_picture(values):
            numbers = _numbers(values)
            if numbers is not None:
                table = table.set_column(index, pa.field(field.name, numbers.type), numbers)
    return table


def _bytes_of(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return the bytes of a column, or of the field `bytes` of its structs; None where it has none."""
    kind = column.type
    if is_image(kind):
        return None
    if pa.types.is_struct(kind) and kind.get_field_index("bytes") >= 0:
        place = kind.get_field_index("bytes")
        others = [part for index, part in enumerate(column.flatten()) if index != place]
        # A path says something of its own: only empty ones may be dropped.
        return _bytes_of(column.flatten()[place]) if all(part.null_count == len(part) for part in others) else None
    binary = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary, pa.types.is_binary_view)
    return column if any(test(kind) for test in binary) else None


def _pictures(values: Sequence[bytes], name: str) -> pa.Array | None:
    """Return pictures of one size as images; None where they are none."""
    opened: list[np.ndarray[Any, Any]] = []
    try:
        for value in values:
            with warnings.catch_warnings():
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                picture = Image.open(io.BytesIO(value), formats=FORMATS)
            mode = MODES.get(picture.mode, picture.mode)
            if len(values) * picture.width * picture.height * len(picture.getbands()) > MOST_PIXELS:
                return None
            opened.append(np.asarray(picture if picture.mode == mode else picture.convert(mode)))
            if opened[-1].shape != opened[0].shape or opened[-1].dtype != opened[0].dtype:
                return None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombWarning):
        return None
    stacked = np.stack(opened)
    return None if stacked.dtype.name not in ("uint8", "uint16") else image_column(stacked, f"The images {name!r}")


def _starts_with_a_picture(values: Sequence[bytes | None]) -> bool:
    """Whether the first value is a picture: those of several sizes, or with gaps, are no numbers."""
    first = [value for value in values if value is not None][:1]
    return bool(first) and _pictures(first, "") is not None


def _numbers(values: Sequence[bytes | None]) -> pa.Array | None:
    """Return bytes of one length as lists: of floats where all are of a likely size, else of bytes."""
    known = [value for value in values if value is not None]
    lengths = {len(value) for value in known}
    if len(lengths) != 1:
        return None
    (length,) = lengths
    flat = np.frombuffer(b"".join(known), np.uint8).reshape(len(known), length)
    numbers: np.ndarray[Any, Any] = flat
    for kind in ("<f4", "<f8"):
        width = int(kind[-1])
        if length % width == 0 and length > width:
            tried = np.ascontiguousarray(flat).view(kind)
            with np.errstate(invalid="ignore"):
                likely = (tried == 0) | ((np.abs(tried) > SMALLEST) & (np.abs(tried) < LARGEST))
            if likely.mean() >= PLAUSIBLE:
                numbers = tried.astype(kind[1:])
                break
    if not 0 < numbers.shape[1] <= MOST_NUMBERS:
        return None
    full = np.zeros((len(values), numbers.shape[1]), numbers.dtype)
    missing = np.array([value is None for value in values])
    full[~missing] = numbers
    entries = pa.array(full.reshape(-1))
    return pa.FixedSizeListArray.from_arrays(entries, numbers.shape[1], mask=pa.array(missing))
