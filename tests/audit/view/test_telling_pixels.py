"""The pixel that tells is among the few that are looked at, also when it tells by its last bit only."""

import numpy as np
import pyarrow as pa

from withhold.audit.view.pixels import MOST, constant_pixels, pixel_count, telling_pixels
from withhold.contracts.images import image_column


def images(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 250, (n, 12, 10, 3)).astype(np.uint8), rng.integers(0, 2, n)


def names(pixels: np.ndarray, s: np.ndarray) -> list[str]:
    return [reading.name for reading in telling_pixels(pa.table({"scan": image_column(pixels)}), s)]


def test_a_mark_comes_first() -> None:
    pixels, s = images()
    pixels[:, 7, 2, 1] //= 2
    pixels[:, 7, 2, 1] += (60 * s).astype(np.uint8)
    assert names(pixels, s)[0] == "scan[row 7, column 2, channel 1]"
    assert len(names(pixels, s)) <= 2 * MOST


def test_a_last_bit_is_found() -> None:
    pixels, s = images()
    pixels[:, 3, 4, 2] = pixels[:, 3, 4, 2] // 2 * 2 + s.astype(np.uint8)
    found = names(pixels, s)
    assert "scan[row 3, column 4, channel 2]" in found
    assert "scan[row 3, column 4, channel 2]" not in names(images()[0], s)


def test_unknown_classes_and_floats() -> None:
    pixels, s = images()
    floating = pixels.astype(np.float32)
    floating[:, 5, 5, 0] += 500 * s
    floating[0, 0, 0, 0] = np.nan
    assert names(floating, np.where(np.arange(len(s)) < 50, -1, s))[0] == "scan[row 5, column 5, channel 0]"


def test_constant_pixels_and_their_number() -> None:
    pixels, _ = images(20)
    pixels[:, 2, 3, 1] = 9
    assert np.argwhere(constant_pixels(pixels)).tolist() == [[2, 3, 1]]
    assert pixel_count(pa.table({"scan": image_column(pixels), "age": np.arange(20)})) == 360
