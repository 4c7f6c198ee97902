"""The few pixels that alone may tell an attribute: a mark in a corner, a flag in the last bit of a brightness."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.audit.statistics.arrays import Codes, Reals
from withhold.audit.view.pixels import Pictures, channels_first, label
from withhold.audit.view.reading import Reading, read_columns
from withhold.contracts.images import image_array, image_names

# Pixels looked at one by one, for brightness and for its last bit each: who gives the attribute away stands out.
MOST = 4


def telling_pixels(table: pa.Table, s: Codes) -> Iterator[Reading]:
    """Yield the pixels whose brightness, or its last bit, differs most between classes, as columns.

    They are chosen with all rows: evidence about them must be corrected for the number of pixels.

    Parameters
    ----------
    table : pyarrow.Table
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
