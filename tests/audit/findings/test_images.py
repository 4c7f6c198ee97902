"""Findings about images: few sentences, and none about noise."""

import numpy as np
import pyarrow as pa

from audit.findings.scenes import scene
from withhold.audit.findings.duplicates import row_numbers
from withhold.audit.findings.images import blank_images, single_pixels
from withhold.audit.findings.scene import Scene
from withhold.audit.findings.survey import survey
from withhold.contracts.images import image_column
from withhold.data.attributes import read_attributes

RNG = np.random.default_rng(0)
N = 600
S = RNG.integers(0, 2, N)
FOLDS = np.arange(N) % 5


def table(images: np.ndarray) -> pa.Table:
    return pa.table({"image": image_column(images)})


def noise() -> np.ndarray:
    images = RNG.integers(0, 200, (N, 8, 8)).astype(np.uint8)
    images[:, :3] = 0
    return images


def test_noise_with_a_black_border_has_no_finding() -> None:
    sex = list(read_attributes(np.where(S == 1, "f", "m")))
    assert survey(Scene.of(table(noise()), sex, FOLDS, RNG, table(noise()))).findings == []


def test_a_pixel_that_tells_is_named_once() -> None:
    images = noise()
    images[:, 0, 0] = 255 * S
    images[:, 4, 4] = images[:, 4, 4] // 2 + 100 * (S ^ (RNG.random(N) < 0.1))
    found = single_pixels("sex", table(images), S, FOLDS)
    assert [(one.code, one.severity) for one in found] == [("pixel_determines_s", "critical")]
    assert "'image[row 0, column 0]'" in found[0].text
    images[:, 0, 0] = 0
    found = single_pixels("sex", table(images), S, FOLDS)
    assert [one.code for one in found] == ["pixel_reveals_s"]
    assert found[0].column == "image[row 4, column 4]"


def test_chance_among_many_pixels_is_no_finding() -> None:
    few = 60
    images = RNG.integers(0, 2, (few, 60, 60)).astype(np.uint8)
    assert single_pixels("sex", table(images), S[:few], FOLDS[:few]) == []


def test_blanked_parts_are_counted() -> None:
    before, after = noise(), noise()
    after[:, 6:] = 0
    assert blank_images(table(before), table(before)) == []
    assert blank_images(table(after), table(before))[0].text.startswith("16 of 64 pixels of 'image' are the same")
    assert blank_images(table(after), None) == []
    assert blank_images(table(np.zeros_like(after)), table(before))[0].code == "constant_column"


def test_equal_images_are_equal_rows() -> None:
    images = noise()[:4]
    images[3] = images[1]
    with_age = table(images).append_column("age", pa.array([5, 6, 7, 6]))
    assert row_numbers(with_age)[[1, 3]].tolist() in ([1, 1], [2, 2], [0, 0], [3, 3])
    assert len(set(row_numbers(with_age))) == 3
    assert len(set(row_numbers(table(images).append_column("age", pa.array([5, 6, 7, 8]))))) == 4


def examples():
    before, covered, told, hinted = noise(), noise(), noise(), noise()
    covered[:, 6:] = 0
    told[:, 0, 0] = 255 * S
    hinted[:, 0, 0] = S ^ (RNG.random(N) < 0.1)
    return {
        "constant_column": scene(table(np.zeros_like(before))),
        "pixels_emptied": scene(table(covered), original=table(before)),
        "pixel_determines_s": scene(table(told), S),
        "pixel_reveals_s": scene(table(hinted), S),
    }
