"""How much of the images can be painted from the release: all of a copy, none of noise, some of a blur."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import ndimage

from withhold.audit.effort import EFFORTS
from withhold.audit.kept.columns import measure_columns
from withhold.audit.kept.images import explained
from withhold.audit.view.view import AttackView
from withhold.contracts.images import image_column

RNG = np.random.default_rng(0)
N = 800
IMAGES = ndimage.gaussian_filter(RNG.normal(size=(N, 12, 12)), (0, 1, 1))
IMAGES = np.clip(128 + 150 * IMAGES, 0, 255).astype(np.uint8)
COARSE = IMAGES.reshape(N, 2, 6, 2, 6).mean(axis=(2, 4)).repeat(6, axis=1).repeat(6, axis=2).astype(np.uint8)


def kept(release: pa.Table, original: pa.Table):
    view = AttackView.fit(release)
    return measure_columns(release, original, view, np.arange(N) % 4, EFFORTS["quick"], np.random.default_rng(0))


def table(images: np.ndarray) -> pa.Table:
    return pa.table({"image": image_column(images)})


@pytest.mark.parametrize(
    ("release", "low", "high"),
    [
        (IMAGES, 0.99, 1.0),
        (255 - IMAGES, 0.99, 1.0),
        (IMAGES[:, 2:10], 0.5, 0.95),
        (COARSE, 0.05, 0.7),
        (RNG.integers(0, 255, IMAGES.shape).astype(np.uint8), 0.0, 0.02),
        (np.zeros_like(IMAGES), 0.0, 0.02),
    ],
    ids=["copy", "negative", "crop", "coarse", "noise", "black"],
)
def test_retention(release: np.ndarray, low: float, high: float) -> None:
    found = kept(table(release), table(IMAGES))
    assert list(found) == ["image"]
    assert found["image"].kind == "image"
    assert low <= found["image"].retention <= high


def test_images_are_painted_from_an_embedding_too() -> None:
    embedding = IMAGES.reshape(N, -1) @ RNG.normal(size=(144, 300))
    found = kept(pa.table({f"z{j}": embedding[:, j] for j in range(300)}), table(IMAGES))
    assert found["image"].retention > 0.9
    assert found["image"].histogram is None


def test_columns_beside_images_are_measured_too() -> None:
    age = RNG.integers(20, 60, N)
    both = table(IMAGES).append_column("age", pa.array(age))
    found = kept(both, both)
    assert found["age"].retention > 0.8
    assert found["image"].retention > 0.99
    histogram = found["image"].histogram
    assert sum(count for count in histogram.raw if count is not None) == N
    assert all(count is None or count == 0 or count >= 10 for count in histogram.raw + histogram.release)


def test_nothing_to_explain() -> None:
    x = RNG.normal(size=(100, 3)).astype(np.float32)
    assert explained(x, np.zeros((100, 2), np.float32), np.arange(50), np.arange(50, 100)) is None
