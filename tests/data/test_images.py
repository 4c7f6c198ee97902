"""Images as arrays and tensors: into the canonical table and back as they came."""

import numpy as np
import pytest
import torch

from withhold.data.frames import to_frame
from withhold.data.images import images_to_array, images_to_table


@pytest.mark.parametrize(
    ("shape", "sides"),
    [((6, 5, 4), [5, 4]), ((6, 3, 5, 4), [5, 4, 3]), ((6, 1, 5, 4), [5, 4, 1]), ((6, 5, 4, 3), [5, 4, 3])],
)
def test_tensors(shape: tuple[int, ...], sides: list[int]) -> None:
    images = torch.arange(np.prod(shape)).reshape(shape).to(torch.uint8)
    table = images_to_table(images)
    assert list(table.schema.field("image").type.shape) == sides
    back = images_to_array(table, "torch")
    assert back.dtype == images.dtype
    assert torch.equal(back, images)


def test_arrays_have_their_channels_last() -> None:
    images = np.random.default_rng(0).random((6, 3, 5, 4)).astype("float32")
    frame = to_frame(images)
    assert frame.container == "numpy"
    assert list(frame.table.schema.field("image").type.shape) == [3, 5, 4]
    np.testing.assert_array_equal(frame.native(), images)


def test_native_of_other_rows() -> None:
    images = torch.rand(6, 3, 5, 4)
    frame = to_frame(images)
    assert torch.equal(frame.native(frame.table.take([3, 0])), images[[3, 0]])


def test_a_written_tensor_is_the_callers_own() -> None:
    images = np.zeros((2, 3, 3), np.float32)
    back = images_to_array(images_to_table(images), "torch")
    back += 1.0
    assert images.max() == 0.0
