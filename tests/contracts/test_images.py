"""The image column: shapes and types kept, everything else refused in words."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.contracts.images import image_array, image_column, image_names, is_image


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(5, 4, 3), (5, 4, 3, 3), (0, 4, 3)])
def test_round_trip(shape: tuple[int, ...], dtype: str) -> None:
    images = (np.random.default_rng(0).random(shape) * 200).astype(dtype)
    column = pa.chunked_array([image_column(images)])
    back = image_array(column)
    assert is_image(column.type)
    assert back.dtype == images.dtype
    np.testing.assert_array_equal(back, images)


def test_rows_taken_sliced_and_joined() -> None:
    images = np.arange(6 * 4, dtype=np.uint8).reshape(6, 2, 2)
    table = pa.table({"image": image_column(images), "label": np.arange(6)})
    np.testing.assert_array_equal(image_array(table.take(pa.array([4, 1])).column("image")), images[[4, 1]])
    np.testing.assert_array_equal(image_array(table.slice(2, 3).column("image")), images[2:5])
    twice = pa.concat_tables([table, table])
    np.testing.assert_array_equal(image_array(twice.column("image")), np.concatenate([images, images]))
    assert image_names(twice) == ["image"]


def test_other_byte_order_is_read() -> None:
    images = np.arange(8, dtype=">u2").reshape(2, 2, 2)
    np.testing.assert_array_equal(image_array(pa.chunked_array([image_column(images)])), images)


def test_half_precision_becomes_single() -> None:
    images = np.arange(8, dtype=np.float16).reshape(2, 2, 2)
    back = image_array(pa.chunked_array([image_column(images)]))
    assert back.dtype == np.float32
    np.testing.assert_array_equal(back, images)


@pytest.mark.parametrize(
    ("images", "word"),
    [
        (np.zeros((4, 3), np.uint8), "shape"),
        (np.zeros((4, 0, 3), np.uint8), "shape"),
        (np.zeros((4, 3, 28, 28), np.uint8), "moveaxis"),
        (np.zeros((4, 28, 28), np.int64), "int64"),
    ],
)
def test_refused(images: np.ndarray, word: str) -> None:
    with pytest.raises(InvalidTypeError, match=word):
        image_column(images)


def test_a_missing_image_is_refused() -> None:
    kind = pa.fixed_shape_tensor(pa.uint8(), (2, 2))
    column = pa.ExtensionArray.from_storage(kind, pa.array([[1, 2, 3, 4], None], kind.storage_type))
    with pytest.raises(DataError, match="1 missing"):
        image_array(pa.chunked_array([column]))
