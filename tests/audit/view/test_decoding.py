"""Bytes are read as what they encode; bytes that encode nothing known stay bytes."""

import io

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from withhold.audit.view.decoding import decode
from withhold.contracts.images import image_array, image_names

RNG = np.random.default_rng(0)
FLOATS = RNG.normal(size=(20, 8))
PIXELS = RNG.integers(0, 255, (20, 9, 7)).astype(np.uint8)


def encoded(pixels: np.ndarray, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
def test_floats(kind):
    found = decode(pa.table({"v": [row.astype(kind).tobytes() for row in FLOATS]})).column("v")
    assert np.allclose(found.to_pylist(), FLOATS, atol=1e-6)


def test_a_missing_vector_stays_missing():
    found = decode(pa.table({"v": [None, *(row.astype("<f4").tobytes() for row in FLOATS)]})).column("v").to_pylist()
    assert found[0] is None
    assert np.allclose(found[1:], FLOATS, atol=1e-6)


def test_other_bytes_of_one_length_are_bytes():
    raw = [RNG.bytes(9) for _ in range(20)]
    assert decode(pa.table({"b": raw})).column("b").to_pylist() == [list(value) for value in raw]


@pytest.mark.parametrize("shape", ["column", "struct", "fixed", "view"])
def test_pictures(shape):
    files = [encoded(one, "BMP") for one in PIXELS]  # of one length
    column = {
        "column": lambda: pa.array(files),
        "struct": lambda: pa.array([{"bytes": file, "path": None} for file in files]),
        "fixed": lambda: pa.array(files, pa.binary(len(files[0]))),
        "view": lambda: pa.array(files, pa.binary_view()),
    }[shape]()
    found = decode(pa.table({"scan": column}))
    assert image_names(found) == ["scan"]
    assert (image_array(found.column("scan")) == PIXELS).all()
    assert found.column("scan file size").to_pylist() == [len(file) for file in files]


@pytest.mark.parametrize(
    "values",
    [
        [encoded(PIXELS[0]), encoded(PIXELS[1][:5])],
        [encoded(PIXELS[0]), b"\x89PNG damaged"],
        [encoded(PIXELS[0]), None],
        [RNG.bytes(7), RNG.bytes(8)],
        [b"", b""],
        [],
        [None, None],
    ],
)
def test_what_is_neither_stays_as_it_is(values):
    table = pa.table({"b": pa.array(values, pa.binary())})
    assert decode(table).equals(table)


def test_a_path_beside_the_bytes_is_kept():
    table = pa.table({"scan": [{"bytes": encoded(one), "path": f"ward {i}"} for i, one in enumerate(PIXELS)]})
    assert decode(table).equals(table)
