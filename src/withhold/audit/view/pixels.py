"""Images as attackers read them, and the few pixels that alone may tell an attribute."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from torch.nn import functional

from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.audit.view.reading import Reading, read_columns
from withhold.contracts.images import image_array, image_names

Pictures = NDArray[Any]

# Numbers an image that attackers of columns get.
MOST_BLOCKS = 256
# Images averaged at once.
CHUNK = 2_048


def pictures(table: pa.Table) -> Pictures | None:
    """Return the images of `table`, shape (n, channels, height, width), as stored; None where there are none.

    Images of one record in several columns become further channels; smaller ones get an edge of zeros.

    Examples
    --------
    >>> from withhold.contracts.images import image_column
    >>> pictures(pa.table({"image": image_column(np.zeros((5, 8, 6, 3), np.uint8))})).shape
    (5, 3, 8, 6)
    >>> pictures(pa.table({"a": [1]})) is None
    True
    """
    found = [channels_first(image_array(table.column(name), f"The images {name!r}")) for name in image_names(table)]
    if not found:
        return None
    if len(found) == 1:
        return found[0]
    height, width = (max(one.shape[axis] for one in found) for axis in (2, 3))
    return np.concatenate([_framed(one, height, width) for one in found], axis=1)


def _framed(images: Pictures, height: int, width: int) -> Pictures:
    edges = (0, 0), (0, 0), (0, height - images.shape[2]), (0, width - images.shape[3])
    return images if images.shape[2:] == (height, width) else np.pad(images, edges)


def channels_first(images: Pictures) -> Pictures:
    """Return images of shape (n, h, w) or (n, h, w, c) as (n, c, h, w), without a copy.

    Examples
    --------
    >>> channels_first(np.zeros((5, 8, 6))).shape
    (5, 1, 8, 6)
    """
    return np.moveaxis(images, -1, 1) if images.ndim == 4 else images[:, None]


def floats(images: Pictures) -> NDArray[np.float32]:
    """Return pixels in single precision; what is no number is 0.

    Examples
    --------
    >>> floats(np.array([np.nan, 2.0])).tolist()
    [0.0, 2.0]
    """
    pixels = np.ascontiguousarray(images, dtype=np.float32)
    return pixels if images.dtype.kind != "f" else np.nan_to_num(pixels, posinf=0.0, neginf=0.0)


def image_numbers(images: Pictures) -> NDArray[np.int64]:
    """Give each image a number so that equal images, and only they, share a number.

    Examples
    --------
    >>> image_numbers(np.array([[[1]], [[2]], [[1]]])).tolist()
    [0, 1, 0]
    """
    seen: dict[bytes, int] = {}
    codes = [seen.setdefault(sha256(image).digest(), len(seen)) for image in np.ascontiguousarray(images)]
    return np.asarray(codes, np.int64)


def block_side(shape: Sequence[int], most: int = MOST_BLOCKS) -> int:
    """Return how many pixels of an image of (channels, height, width) lie along the side of a block; 1: no average.

    Examples
    --------
    >>> block_side((1, 16, 16)), block_side((1, 28, 28))
    (1, 2)
    """
    channels, height, width = shape
    step = 1
    while channels * -(-height // step) * -(-width // step) > most and step < max(height, width):
        step += 1
    return step


def blocks(images: Pictures, most: int = MOST_BLOCKS) -> tuple[Matrix, list[tuple[int, int, int]]]:
    """Average images over equal blocks, the smallest that give at most `most` numbers an image.

    Parameters
    ----------
    images : ndarray of shape (n, c, h, w)

    Returns
    -------
    averages : ndarray of float32, shape (n, p)
    places : list of (channel, row, column)
        The first pixel of each block.

    Examples
    --------
    >>> averages, places = blocks(np.arange(16.0).reshape(1, 1, 4, 4), most=4)
    >>> averages.tolist(), places[1]
    ([[2.5, 4.5, 10.5, 12.5]], (0, 0, 2))
    """
    n, channels, height, width = images.shape
    step = block_side(images.shape[1:], most)
    rows, columns = -(-height // step), -(-width // step)
    out = np.empty((n, channels * rows * columns), np.float32)
    for start in range(0, n, CHUNK):
        part = floats(images[start : start + CHUNK])
        if step > 1:
            part = functional.adaptive_avg_pool2d(torch.from_numpy(part), (rows, columns)).numpy()
        out[start : start + CHUNK] = part.reshape(len(part), -1)
    places = [
        (channel, row * height // rows, column * width // columns)
        for channel in range(channels)
        for row in range(rows)
        for column in range(columns)
    ]
    return out, places


def block_columns(table: pa.Table, most: int = MOST_BLOCKS) -> Iterator[tuple[str, str, Matrix]]:
    """Yield name, source and values of the averages that stand for the images of `table`, scaled to spread 1.

    Blocks that are the same in every image are left out.
    """
    for name in image_names(table):
        images = channels_first(image_array(table.column(name), f"The images {name!r}"))
        averages, places = blocks(images, most)
        # One scale for all blocks: what is dark and still in most images stays so, as in the picture.
        scale = max(float(averages.std(dtype=np.float64)), 1e-12)
        for column, place in zip(averages.T, places, strict=True):
            if column.min() < column.max():
                centred = (column - column.mean(dtype=np.float64)) / scale
                yield f"{name}[{label(place, images.shape[1])}]", name, centred.astype(np.float32)


def label(place: tuple[int, int, int], channels: int) -> str:
    """Say where a pixel is.

    Examples
    --------
    >>> label((0, 3, 4), 1), label((2, 3, 4), 3)
    ('row 3, column 4', 'row 3, column 4, channel 2')
    """
    channel, row, column = place
    return f"row {row}, column {column}" + (f", channel {channel}" if channels > 1 else "")


# Pixels looked at one by one, for brightness and for its last bit each: who gives the attribute away stands out.
MOST = 4


def telling_pixels(table: pa.Table, s: Codes) -> Iterator[Reading]:
    """Yield the pixels whose brightness, or its last bit, differs most between classes, as columns.

    They are chosen with all rows: evidence about them must be corrected for the number of pixels.

    Parameters
    ----------
    s : ndarray of int, shape (n,)
        Classes; -1 where unknown.

    Examples
    --------
    >>> from withhold.contracts.images import image_column
    >>> s = np.arange(100) % 2
    >>> images = np.random.default_rng(0).integers(0, 9, (100, 4, 4)).astype(np.uint8)
    >>> images[:, 1, 2] = 7 * s
    >>> next(telling_pixels(pa.table({"image": image_column(images)}), s)).name
    'image[row 1, column 2]'
    """
    for name in image_names(table):
        images = channels_first(image_array(table.column(name)))
        scores = [association(images, s, bit=False)]
        if images.dtype.kind == "u":
            scores.append(association(images, s, bit=True))
        chosen = dict.fromkeys(int(i) for score in scores for i in np.argsort(-score, kind="stable")[:MOST])
        places = [tuple(int(i) for i in np.unravel_index(index, images.shape[1:])) for index in chosen]
        columns = {f"{name}[{label((c, y, x), images.shape[1])}]": images[:, c, y, x] for c, y, x in places}
        yield from read_columns(pa.table({key: np.ascontiguousarray(pixel) for key, pixel in columns.items()}))


def pixel_count(table: pa.Table) -> int:
    """Return how many pixels, of all images of a record together, there are to choose from.

    Examples
    --------
    >>> from withhold.contracts.images import image_column
    >>> pixel_count(pa.table({"image": image_column(np.zeros((1, 4, 4, 3), np.uint8))}))
    48
    """
    return sum(int(np.prod(table.schema.field(name).type.shape)) for name in image_names(table))


def constant_pixels(images: Pictures) -> NDArray[np.bool_]:
    """Say which pixels are the same in every image.

    Examples
    --------
    >>> constant_pixels(np.array([[[[1, 2]]], [[[1, 3]]]])).tolist()
    [[[True, False]]]
    """
    return np.asarray((images == images[:1]).all(axis=0))


def association(images: Pictures, s: Codes, bit: bool) -> Reals:
    """Return the share of the variance of each pixel, or of its last bit, that is between classes.

    Examples
    --------
    >>> association(np.array([[[[1, 2]]], [[[1, 3]]]], np.uint8), np.array([0, 1]), bit=False).tolist()
    [0.0, 1.0]
    """
    rows = np.flatnonzero(s >= 0)
    classes = int(s.max(initial=0)) + 1
    sums, squares = np.zeros((classes, int(np.prod(images.shape[1:])))), 0.0
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        pixels = images[part].reshape(len(part), -1)
        values = np.nan_to_num((pixels & 1 if bit else pixels).astype(np.float64), posinf=0.0, neginf=0.0)
        sums += np.eye(classes)[s[part]].T @ values
        squares = squares + (values**2).sum(axis=0)
    counts = np.maximum(np.bincount(s[rows], minlength=classes), 1)[:, None]
    centre = sums.sum(axis=0) ** 2 / max(1, len(rows))
    between, total = (sums**2 / counts).sum(axis=0) - centre, squares - centre
    return np.where(total > 1e-9 * np.maximum(squares, 1e-300), between / np.maximum(total, 1e-300), 0.0)
