"""Images become flat numbers and come back."""

import numpy as np
import pyarrow as pa
import pytest
import torch

from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.contracts.images import image_array, image_column
from withhold.data.frames import to_frame
from withhold.methods.estimator.image_form import ImageForm

RNG = np.random.default_rng(0)
IMAGES = {
    "grey": RNG.integers(256, size=(12, 5, 4), dtype=np.uint8),
    "colour": RNG.integers(256, size=(12, 5, 4, 3), dtype=np.uint8),
    "deep": RNG.integers(65_536, size=(12, 5, 4)).astype(np.uint16),
    "single": RNG.random((12, 5, 4)).astype(np.float32),
    "signal": RNG.normal(size=(12, 9, 3)).astype(np.float32),
}


def table(images):
    return to_frame(images).table


@pytest.mark.parametrize("images", IMAGES.values(), ids=IMAGES)
def test_there_and_back(images):
    form = ImageForm.learn(table(images), "M")
    H = form.encode(table(images))
    assert H.dtype == np.float32
    assert H.shape == (12, images[0].size)
    assert np.array_equal(image_array(form.decode(H, table(images)).column("image")), images)
    again = ImageForm.from_header(form.header(), "M")
    assert again == form


def test_pixels_are_on_zero_to_one_and_signals_as_they_are():
    assert ImageForm.learn(table(IMAGES["deep"]), "M").encode(table(IMAGES["deep"])).max() <= 1
    assert ImageForm.learn(table(IMAGES["single"]), "M").bounded
    signal = ImageForm.learn(table(IMAGES["signal"]), "M")
    assert not signal.bounded
    assert np.array_equal(signal.encode(table(IMAGES["signal"])).ravel(), IMAGES["signal"].ravel())


def test_released_pixels_are_clipped_and_whole_and_signals_are_neither():
    Z = np.array([[-0.4, 0.5, 1.7, 100.4 / 255]], np.float32)
    whole = ImageForm.learn(table(np.zeros((2, 2, 2), np.uint8)), "M")
    released = image_array(whole.decode(Z, table(np.zeros((2, 2, 2), np.uint8))).column("image"))
    assert released.ravel().tolist() == [0, 128, 255, 100]
    signal = table(np.full((2, 2, 2), 3, np.float32))
    assert np.array_equal(
        image_array(ImageForm.learn(signal, "M").decode(Z, signal).column("image")).ravel(), Z.ravel()
    )


def test_records_are_their_raw_pixels():
    images = IMAGES["colour"]
    form = ImageForm.learn(table(images), "M")
    assert np.array_equal(form.rows(table(images)), images.reshape(12, -1))
    tensor = torch.from_numpy(np.moveaxis(images, -1, 1).copy())
    assert np.array_equal(form.rows(form.check(table(tensor))), images.reshape(12, -1))


def test_a_tensor_goes_back_with_its_channels_first():
    tensor = torch.rand(4, 3, 8, 6)
    frame = to_frame(tensor)
    form = ImageForm.learn(frame.table, "M")
    assert form.shape == (8, 6, 3)
    back = frame.native(form.decode(form.encode(frame.table), frame.table))
    assert torch.equal(back, tensor)


def test_drift_is_watched_by_brightness_and_contrast():
    form = ImageForm.learn(table(IMAGES["grey"]), "M")
    seen = form.tally(table(IMAGES["grey"]))
    form.encode(table(IMAGES["grey"] // 4), seen)
    assert seen.columns["brightness"].below > 6
    assert seen.columns["contrast"].below > 6


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        (table(IMAGES["grey"][:, :4]), DataError, r"fitted on records of shape \(5, 4\)"),
        (table(IMAGES["single"]), InvalidTypeError, "fitted on uint8 values"),
        (table(IMAGES["deep"]), InvalidTypeError, "fitted on uint8 values"),
        (pa.table({"x": [1.0]}), DataError, "no column 'image' of images"),
    ],
)
def test_other_records_are_refused(given, kind, words):
    form = ImageForm.learn(table(IMAGES["grey"]), "M")
    with pytest.raises(kind, match=words):
        form.check(given)


def test_another_name_is_understood_where_it_is_the_only_one():
    form = ImageForm.learn(table(IMAGES["grey"]), "M")
    assert form.check(pa.table({"id": range(12), "scan": image_column(IMAGES["grey"])})).column_names == ["image"]


def test_columns_beside_images_and_holes_are_refused():
    with pytest.raises(DataError, match="X also has 'age'"):
        ImageForm.learn(pa.table({"image": image_column(IMAGES["grey"]), "age": range(12)}), "M")
    holed = IMAGES["single"].copy()
    holed[3, 1, 1] = np.nan
    with pytest.raises(DataError, match="NaN or infinity"):
        ImageForm.learn(table(holed), "M")


def test_windows_of_a_signal_are_not_called_images():
    windows = np.random.default_rng(0).normal(size=(6, 100, 3)).astype(np.float32)
    form = ImageForm.learn(table(windows), "M")
    hole = np.where(windows > 1, np.nan, windows)
    for wrong in (windows[:, :50], (10 * windows).astype(np.uint8), hole):
        with pytest.raises((DataError, InvalidTypeError)) as caught:
            form.check(table(wrong))
        assert "image" not in str(caught.value)
        assert "pixel" not in str(caught.value).lower()
