"""Averages of images: right, and never of few records."""

import base64
from io import BytesIO

import numpy as np
import pyarrow as pa
from PIL import Image

from withhold.audit.kept.images import SIDE, compare_images
from withhold.contracts.images import image_column
from withhold.data.attributes import read_attributes

RNG = np.random.default_rng(0)


def table(images):
    return pa.table({"image": image_column(images)})


def pixels(text):
    return np.asarray(Image.open(BytesIO(base64.b64decode(text)))).astype(float)


def test_means_and_changes_are_those_of_the_pixels():
    before = RNG.integers(256, size=(60, 5, 4, 3), dtype=np.uint8)
    after = before.copy()
    after[:, 2, 1] = 255 - after[:, 2, 1]
    s = read_attributes(np.repeat(["a", "b"], [20, 40]), role="s")
    found = compare_images(table(after), table(before), s)
    truth = np.abs(after.astype(float) - before).mean() / 255
    assert np.isclose(found.change, truth)
    assert (pixels(found.change_image) > 0).sum() == 1
    assert [(mean.level, mean.n) for mean in found.classes] == [("a", 20), ("b", 40)]
    assert np.allclose(pixels(found.classes[1].raw), before[20:].mean(axis=0), atol=0.51)
    assert np.allclose(pixels(found.classes[1].release), after[20:].mean(axis=0), atol=0.51)


def test_small_classes_are_left_out_and_do_not_follow_from_the_rest():
    before = RNG.integers(256, size=(100, 4, 4), dtype=np.uint8)
    s = read_attributes(np.repeat(["a", "b", "c"], [70, 25, 5]), role="s")
    found = compare_images(table(before), table(before), s)
    assert [mean.level for mean in found.classes] == ["a"]
    assert compare_images(table(before[:9]), table(before[:9]), ()) is None


def test_a_class_of_few_subjects_is_small():
    before = RNG.integers(256, size=(400, 4, 4), dtype=np.uint8)
    s = read_attributes(np.repeat(["a", "b"], 200), role="s")
    assert len(compare_images(table(before), table(before), s).classes) == 2
    persons = np.arange(400) // 50  # four subjects in each class
    assert compare_images(table(before), table(before), s, persons).classes == []


def test_attributes_that_are_persons_or_numbers_have_no_classes():
    before = RNG.integers(256, size=(300, 4, 4), dtype=np.uint8)
    persons = read_attributes(np.arange(300) % 20, role="person")
    age = read_attributes(RNG.normal(size=300), role="age")
    assert compare_images(table(before), table(before), (*persons, *age)).classes == []


def test_large_images_are_shown_small_and_signals_on_their_own_scale():
    before = RNG.normal(size=(20, 250, 6)).astype(np.float32)
    s = read_attributes(np.arange(20) % 2, role="s")
    found = compare_images(table(before + 1), table(before), s)
    assert max(pixels(found.change_image).shape) <= SIDE
    assert pixels(found.classes[0].release).mean() > pixels(found.classes[0].raw).mean() + 20


def test_nothing_to_compare():
    before = RNG.integers(256, size=(60, 5, 4), dtype=np.uint8)
    assert compare_images(pa.table({"z0": np.zeros(60)}), table(before), ()) is None
    assert compare_images(table(before[:, :4]), table(before), ()) is None
    assert compare_images(table(before), None, ()) is None
