"""Images by their values, wherever these stand: gaps in the histogram, last bits, extremes, contrast and texture.

A scanner stretches contrast after digitising, a compressor smooths blocks of eight: nothing of it is at a fixed place,
and averages over blocks, which stand for images among the columns, lose all of it.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.view.features import Column
from withhold.audit.view.pixels import CHUNK, Pictures, channels_first
from withhold.contracts.images import image_array, image_names

Reals = npt.NDArray[np.float64]

# Frequencies of the histogram that are given, of 256 values; the side of a block of common compressors.
VALUES, FREQUENCIES, BLOCK = 256, 128, 8
# Parts along each side whose contrast is given apart.
PARTS = 3


def value_columns(table: pa.Table) -> Iterator[tuple[str, Column]]:
    """Yield the source and a column for each statistic of the images of `table`, centred and scaled.

    Examples
    --------
    >>> from withhold.contracts.images import image_column
    >>> images = np.random.default_rng(0).integers(0, 255, (9, 16, 16)).astype(np.uint8)
    >>> sum(1 for _ in value_columns(pa.table({"image": image_column(images)}))) > 100
    True
    """
    for name in image_names(table):
        images = channels_first(image_array(table.column(name), f"The images {name!r}"))
        for key, column in statistics_of(images):
            yield name, (f"{name} {key}", column)


def statistics_of(images: Pictures) -> Iterator[Column]:
    """Yield each statistic of images of shape (n, channels, height, width) that differs among them.

    Examples
    --------
    >>> images = np.random.default_rng(0).integers(0, 255, (9, 1, 16, 16)).astype(np.uint8)
    >>> [name for name, _ in statistics_of(images)][:2]
    ['mean', 'contrast']
    """
    parts = [_statistics(images[start : start + CHUNK]) for start in range(0, len(images), CHUNK)]
    for key in parts[0] if parts else ():
        values = np.concatenate([part[key] for part in parts])
        spread = values.std()
        if np.isfinite(spread) and spread > 1e-9 * max(1.0, float(np.abs(values).max())):
            yield key, ((values - values.mean()) / spread).astype(np.float32)


def _statistics(images: Pictures) -> dict[str, Reals]:
    """Return each statistic of each image, all channels together."""
    n = len(images)
    pixels = images.astype(np.float64)
    if images.dtype.kind == "f":
        pixels = np.nan_to_num(pixels, posinf=0.0, neginf=0.0)
    flat = pixels.reshape(n, -1)
    found = {
        "mean": flat.mean(axis=1),
        "contrast": flat.std(axis=1),
        "least": flat.min(axis=1),
        "largest": flat.max(axis=1),
        "share of the least": (flat == flat.min(axis=1, keepdims=True)).mean(axis=1),
        "share of the largest": (flat == flat.max(axis=1, keepdims=True)).mean(axis=1),
    }
    if images.dtype == np.uint8:
        found |= _histogram(images.reshape(n, -1))
    across, down = np.diff(pixels, axis=3), np.diff(pixels, axis=2)
    for name, steps in (("across", across), ("down", down)):
        if steps.size == 0:
            continue
        size = np.abs(steps)
        found[f"mean step {name}"] = size.mean(axis=(1, 2, 3))
        found[f"largest step {name}"] = size.max(axis=(1, 2, 3), initial=0.0)
        axis = 3 if name == "across" else 2
        if steps.shape[axis] > BLOCK:
            edges = size.take(np.arange(BLOCK - 1, steps.shape[axis], BLOCK), axis=axis)
            found[f"steps {name} at blocks"] = edges.mean(axis=(1, 2, 3)) - found[f"mean step {name}"]
        second = np.diff(steps, axis=axis)
        if second.size:
            found[f"second steps {name}"] = np.log(second.var(axis=(1, 2, 3)) + 1e-9)
            found[f"tails of second steps {name}"] = np.log((second**4).mean(axis=(1, 2, 3)) + 1e-9)
    height, width = pixels.shape[2:]
    if min(height, width) >= 2 * PARTS:
        for row in range(PARTS):
            for column in range(PARTS):
                rows = slice(row * height // PARTS, (row + 1) * height // PARTS)
                columns = slice(column * width // PARTS, (column + 1) * width // PARTS)
                part = pixels[:, :, rows, columns]
                found[f"contrast of part {row} {column}"] = part.std(axis=(1, 2, 3))
    return found


def _histogram(flat: npt.NDArray[np.uint8]) -> dict[str, Reals]:
    """Return how many values occur, how often the last bit is set, and the frequencies of the histogram."""
    n = len(flat)
    counts = np.bincount(
        (flat.astype(np.int64) + VALUES * np.arange(n)[:, None]).ravel(), minlength=n * VALUES
    ).reshape(n, VALUES)
    shares = counts / flat.shape[1]
    spectrum = np.log(np.abs(np.fft.rfft(shares, axis=1))[:, 1 : FREQUENCIES + 1] + 1e-6)
    low, high = (counts > 0).argmax(axis=1), VALUES - 1 - (counts > 0)[:, ::-1].argmax(axis=1)
    present = (counts > 0).sum(axis=1)
    found = {
        "values": present.astype(np.float64),
        "share of values between the extremes": present / np.maximum(high - low + 1, 1),
        "last bit": (flat & 1).mean(axis=1),
        "second last bit": (flat >> 1 & 1).mean(axis=1),
    }
    return {**found, **{f"histogram frequency {k + 1}": spectrum[:, k] for k in range(FREQUENCIES)}}
