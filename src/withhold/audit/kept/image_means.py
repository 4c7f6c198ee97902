"""Images before and after, on average: mean images of classes and where pixels changed. No single record is in it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.audit.view.suppression import LEAST_RECORDS, suppress
from withhold.contracts.image_record import ImageComparison, MeanImages
from withhold.contracts.images import image_array, image_names
from withhold.data.attribute import Attribute
from withhold.io.png import png_text

# More classes than this are persons more often than groups, and nobody compares that many pictures.
MOST_CLASSES = 12
# Longest side of what a record holds.
SIDE = 96
PASS = 1_024  # images compared at a time


def compare_images(
    release: pa.Table,
    original: pa.Table | None,
    attributes: Sequence[Attribute],
    groups: NDArray[np.int64] | None = None,
) -> ImageComparison | None:
    """Return averages over the images of a release and of its originals.

    Parameters
    ----------
    release, original : pyarrow.Table
        The same records, row by row; None or other shapes: there is nothing to compare.
    attributes : sequence of Attribute
        Whose classes are averaged. A class of fewer than ten records is left out, and others beside it, so that it does
        not follow from the rest.
    groups : ndarray of int, optional
        Subject of each record; a class then needs ten subjects.

    Examples
    --------
    >>> from withhold.contracts.images import image_column
    >>> from withhold.data.attributes import read_attributes
    >>> black, white = (pa.table({"image": image_column(np.full((30, 4, 4), p, np.uint8))}) for p in (0, 255))
    >>> found = compare_images(white, black, read_attributes(np.arange(30) % 2))
    >>> found.change, [mean.n for mean in found.classes]
    (1.0, [15, 15])
    """
    names = [] if original is None else [n for n in image_names(original) if n in image_names(release)]
    if original is None or not names or release.num_rows < LEAST_RECORDS:
        return None
    before, after = image_array(original.column(names[0])), image_array(release.column(names[0]))
    if before.shape != after.shape:
        return None
    low, high = _range(before)
    change = np.zeros(before.shape[1:])
    for start in range(0, len(before), PASS):
        part = after[start : start + PASS].astype(np.float64) - before[start : start + PASS]
        change += np.abs(part).sum(axis=0)
    change /= len(before) * (high - low)
    place = _small(change if change.ndim == 2 else change.mean(axis=2))
    return ImageComparison(
        column=names[0],
        n=len(before),
        change=float(change.mean()),
        change_most=float(place.max()),
        change_image=png_text(place, 0.0, float(place.max()) or 1.0),
        classes=[mean for attribute in attributes for mean in _class_means(attribute, before, after, low, high, groups)],
    )


def _class_means(
    attribute: Attribute,
    before: NDArray[Any],
    after: NDArray[Any],
    low: float,
    high: float,
    groups: NDArray[np.int64] | None,
) -> Iterator[MeanImages]:
    if attribute.kind != "categorical" or not 2 <= attribute.n_classes <= MOST_CLASSES:
        return
    members = [np.flatnonzero(attribute.codes == code) for code in range(attribute.n_classes)]
    counts = [len(rows) if groups is None else len(np.unique(groups[rows])) for rows in members]
    for code, (rows, count) in enumerate(zip(members, suppress(counts), strict=True)):
        if count:
            raw, released = (_small(images[rows].mean(axis=0, dtype=np.float64)) for images in (before, after))
            yield MeanImages(
                attribute=attribute.name,
                level=attribute.levels[code],
                n=len(rows),
                raw=png_text(raw, low, high),
                release=png_text(released, low, high),
            )


def _range(images: NDArray[Any]) -> tuple[float, float]:
    """Return what is black and what is white: of a signal the ends of its mean, which no single record decides."""
    if images.dtype.kind == "u":
        return 0.0, float(np.iinfo(images.dtype).max)
    if images.min() >= 0 and images.max() <= 1:
        return 0.0, 1.0
    mean, spread = images.mean(dtype=np.float64), images.std(dtype=np.float64)
    return float(mean - 2 * spread), float(mean + 2 * spread) if spread else float(mean + 1)


def _small(image: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average blocks of pixels until no side is longer than what a record holds."""
    step = -(-max(image.shape[:2]) // SIDE)
    if step == 1:
        return image
    height, width = (max(1, side // step) for side in image.shape[:2])
    high, wide = min(step, image.shape[0]), min(step, image.shape[1])
    kept = image[: height * high, : width * wide]
    blocks = kept.reshape(height, high, width, wide, *image.shape[2:]).mean(axis=(1, 3))
    return np.asarray(blocks)
