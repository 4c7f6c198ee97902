"""Images as attackers read them: nothing lost where there is room, equal blocks where there is not."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.pixels import block_columns, blocks, channels_first, floats, image_numbers, pictures
from withhold.audit.view.view import AttackView
from withhold.contracts.images import image_column

RNG = np.random.default_rng(0)


def table(*images: np.ndarray) -> pa.Table:
    return pa.table({f"image{i}" if i else "image": image_column(one) for i, one in enumerate(images)})


def test_small_images_are_given_pixel_by_pixel() -> None:
    images = RNG.integers(0, 255, (5, 3, 16, 5)).astype(np.uint8)
    averages, places = blocks(images)
    np.testing.assert_array_equal(averages, images.reshape(5, -1))
    assert places[5] == (0, 1, 0)
    assert len(places) == averages.shape[1] == 240


@pytest.mark.parametrize("shape", [(1, 28, 28), (3, 64, 64), (1, 112, 92), (4, 9, 200), (1, 1, 1000)])
def test_large_images_become_few_averages_that_keep_the_mean(shape: tuple[int, int, int]) -> None:
    images = RNG.random((3, *shape)).astype(np.float32)
    averages, places = blocks(images)
    assert 30 <= averages.shape[1] <= 256
    assert averages.shape[1] == len(places)
    np.testing.assert_allclose(averages.mean(axis=1), images.mean(axis=(1, 2, 3)), atol=0.02)


def test_columns_have_one_scale_and_constant_blocks_are_left_out() -> None:
    images = RNG.integers(0, 255, (40, 4, 4)).astype(np.uint8)
    images[:, 0] = 7
    images[:, 1] //= 8
    found = {name: column for name, _, column in block_columns(table(images))}
    assert len(found) == 12
    assert found["image[row 1, column 0]"].std() < 0.3 < found["image[row 2, column 0]"].std()


def test_what_is_no_number_is_dark() -> None:
    images = np.array([[[np.nan, np.inf], [1.0, 2.0]]])
    assert floats(images).tolist() == [[[0.0, 0.0], [1.0, 2.0]]]
    assert np.isfinite(AttackView.fit(table(np.repeat(images, 3, axis=0))).dense).all()


def test_several_images_of_a_record_are_channels_and_smaller_ones_get_an_edge() -> None:
    grey, colour, small = (RNG.random(shape).astype(np.float32) for shape in ((4, 8, 8), (4, 8, 8, 3), (4, 5, 5)))
    found = pictures(table(grey, colour, small))
    assert found.shape == (4, 5, 8, 8)
    assert (found[:, 4, :5, :5] == small).all()
    assert not found[:, 4, 5:].any()
    assert channels_first(colour).shape == (4, 3, 8, 8)
    assert len({name for _, name, _ in block_columns(table(grey, small))}) == 2


def test_the_view_holds_images_beside_columns() -> None:
    images = RNG.integers(0, 255, (30, 28, 28)).astype(np.uint8)
    view = AttackView.fit(table(images).append_column("age", pa.array(RNG.integers(0, 90, 30))))
    assert view.images.shape == (30, 1, 28, 28)
    assert view.images.dtype == np.uint8
    assert np.shares_memory(view.images, images)
    assert view.columns["age"] == "age"
    assert view.columns["image[row 2, column 4]"] == "image"
    assert view.ordinal.shape[1] >= 196
    assert AttackView.fit(pa.table({"a": [1, 2]})).images is None


def test_equal_images_share_a_number() -> None:
    images = RNG.random((4, 3, 3))
    images[2] = images[0]
    assert image_numbers(images).tolist() == [0, 1, 0, 2]
