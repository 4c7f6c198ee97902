"""What became of images: means before and after, and how well a fresh linear decoder paints the originals."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.audit.statistics.arrays import Codes, Matrix
from withhold.audit.view.cells import Cells
from withhold.audit.view.pixels import blocks, channels_first
from withhold.audit.view.reading import Reading, read_column
from withhold.audit.view.suppression import LEAST_RECORDS, suppress
from withhold.audit.view.view import AttackView
from withhold.contracts.audit_record import ColumnResult, Histogram
from withhold.contracts.image_record import ImageComparison, MeanImages
from withhold.contracts.images import image_array, image_names
from withhold.data.attribute import Attribute
from withhold.io.image_writer import png_text

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
        classes=[
            mean for attribute in attributes for mean in _class_means(attribute, before, after, low, high, groups)
        ],
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


KIND = "image"
# Numbers an image that are painted, and that are painted from: averages over the smallest blocks that give no more.
MOST_PIXELS = 1_024
# Ridges relative to the mean curvature; rows that are not scored choose.
RIDGES = (1e-6, 1e-3, 1e-1)
INNER = 0.1


def measure_images(
    release: pa.Table, original: pa.Table, view: AttackView, train: Codes, score: Codes
) -> dict[str, ColumnResult]:
    """Measure every column of images of the original.

    Retention is 1 - squared error of the decoder / variance over images, all pixels together, within [0, 1].

    Parameters
    ----------
    release, original : pyarrow.Table
        The same rows.
    view : AttackView
        Of the release.
    train, score : ndarray of int
        Rows the decoder learns from, in random order, and rows it is judged on.

    Examples
    --------
    >>> from withhold.contracts.images import image_column
    >>> images = np.random.default_rng(0).random((300, 4, 4)).astype("float32")
    >>> before, after = (pa.table({"image": image_column(x)}) for x in (images, images[:, :2]))
    >>> found = measure_images(after, before, AttackView.fit(after), np.arange(200), np.arange(200, 300))
    >>> 0.4 < found["image"].retention < 0.6
    True
    """
    out = {}
    released = image_names(release)
    inputs = [blocks(channels_first(image_array(release.column(name))), MOST_PIXELS)[0] for name in released]
    for name in image_names(original):
        before = image_array(original.column(name))
        kept = None
        if min(len(train), len(score)) >= LEAST_RECORDS:
            target = blocks(channels_first(before), MOST_PIXELS)[0]
            kept = explained(np.column_stack([view.dense, *inputs]), target, train, score)
        after = image_array(release.column(name)) if name in released else None
        out[name] = ColumnResult(kind=KIND, retention=kept, histogram=_brightness(before, after))
    return out


def explained(X: Matrix, Y: Matrix, train: Codes, score: Codes) -> float | None:
    """Return the share of the variance of `Y` that ridge regression on `X` explains on the rows `score`; None if none.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(400, 3)).astype(np.float32)
    >>> round(explained(x, x, np.arange(200), np.arange(200, 400)), 3)
    1.0
    """
    inner, fitted = train[: int(INNER * len(train))], train[int(INNER * len(train)) :]
    centre, spread = X[fitted].mean(axis=0, dtype=np.float64), X[fitted].std(axis=0, dtype=np.float64)
    mean = Y[fitted].mean(axis=0, dtype=np.float64)
    used = np.flatnonzero(spread > 0)

    def scaled(rows: Codes) -> NDArray[np.float64]:
        return np.asarray((X[rows][:, used] - centre[used]) / spread[used])

    A, B = scaled(fitted), Y[fitted] - mean
    gram, cross = A.T @ A, A.T @ B
    curvature = np.trace(gram) / max(1, len(used))
    best, least = None, np.inf
    for ridge in RIDGES:
        weights = np.linalg.solve(gram + ridge * curvature * np.eye(len(used)), cross)
        error = float(((scaled(inner) @ weights - (Y[inner] - mean)) ** 2).sum()) if len(inner) else 0.0
        if best is None or error < least:
            best, least = weights, error
    truth = Y[score] - mean
    variance = float((truth**2).sum())
    if variance <= 0 or best is None:
        return None
    return float(np.clip(1.0 - ((scaled(score) @ best - truth) ** 2).sum() / variance, 0.0, 1.0))


def _brightness(before: NDArray[np.generic], after: NDArray[np.generic] | None) -> Histogram | None:
    """Return records by the mean pixel of their image, before and after, on the same cells."""
    if after is None:
        return None
    raw, released = (_means(images) for images in (before, after))
    cut = Cells.fit(raw, np.ones(len(before), bool))
    counts = [np.bincount(cut.place(reading), minlength=cut.count) for reading in (raw, released)]
    shown = np.flatnonzero((counts[0] > 0) | (counts[1] > 0))
    labels = [cut.labels[cell] for cell in shown]
    return Histogram(labels=labels, raw=suppress(counts[0][shown]), release=suppress(counts[1][shown]))


def _means(images: NDArray[np.generic]) -> Reading:
    means = images.reshape(len(images), -1).mean(axis=1, dtype=np.float64)
    return read_column(pa.table({"mean": np.nan_to_num(means)}), "mean")
