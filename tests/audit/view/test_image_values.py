"""Statistics of values see what stands nowhere in particular."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.image_values import value_columns
from withhold.contracts.images import image_column

RNG = np.random.default_rng(0)


def columns(images):
    return dict(column for _, column in value_columns(pa.table({"image": image_column(images)})))


def test_gaps_in_the_histogram_show():
    images = np.round(RNG.normal(120, 20, (40, 64, 64)))
    images[::2] = np.round(np.round(images[::2] / 1.3) * 1.3)
    shares = columns(np.clip(images, 0, 255).astype(np.uint8))["image share of values between the extremes"]
    assert shares[::2].max() < shares[1::2].min()


def test_last_bits_show():
    images = RNG.integers(0, 255, (40, 12, 12)).astype(np.uint8)
    images[::2] &= 254
    assert columns(images)["image last bit"][::2].max() < columns(images)["image last bit"][1::2].min()


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("shape", [(30, 1, 1), (30, 5, 1), (30, 9, 9, 3)])
def test_images_of_any_kind_and_size(kind, shape):
    for column in columns(RNG.integers(0, 200, shape).astype(kind)).values():
        assert np.isfinite(column).all()


def test_equal_images_have_no_statistics():
    assert columns(np.zeros((9, 8, 8), np.uint8)) == {}
