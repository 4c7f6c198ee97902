"""Which records are shown, and that it is really they."""

import base64
import re
from io import BytesIO

import numpy as np
from PIL import Image

from withhold.data.attributes import read_attributes
from withhold.workflow.samples import chosen, samples_page


def images_of(page):
    found = re.findall(r"base64,([A-Za-z0-9+/=]+)", page)
    return [np.asarray(Image.open(BytesIO(base64.b64decode(text)))) for text in found]


def test_every_version_and_the_change():
    x = np.random.default_rng(0).integers(256, size=(2, 6, 5, 3), dtype=np.uint8)
    drawn = images_of(samples_page("x", [("original", x), ("a", 255 - x), ("b", x // 2)], ["row 7", "row 9"]))
    assert len(drawn) == 8
    assert np.array_equal(drawn[0], x[0])
    assert np.array_equal(drawn[5], 255 - x[1])
    assert np.allclose(drawn[7].astype(float) - 127.5, (x[1] // 2 - x[1].astype(float)) / 2, atol=1)


def test_signals_are_drawn_on_their_own_scale():
    x = np.random.default_rng(0).normal(size=(3, 20, 6)).astype(np.float32) * 9
    drawn = images_of(samples_page("x", [("original", x)], ["a", "b", "c"]))
    assert drawn[0].shape == (20, 6)
    assert min(image.min() for image in drawn) == 0
    assert max(image.max() for image in drawn) == 255


def test_classes_take_turns_and_rows_are_those_given():
    s = read_attributes(np.repeat(["a", "b", "c"], [900, 90, 10]), role="s")
    rows = np.arange(0, 1000, 2)
    picked = chosen(s, rows, 0, 12)
    assert set(picked) <= set(rows)
    assert np.bincount(s[0].codes[picked]).tolist() == [4, 4, 4]
    assert np.array_equal(picked, chosen(s, rows, 0, 12))
    assert not np.array_equal(picked, chosen(s, rows, 1, 12))
    age = read_attributes(np.linspace(0, 1, 1000), role="age")
    assert len(chosen(age, rows, 0, 12)) == 12
