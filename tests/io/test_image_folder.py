"""Folders of images: read in the order of their labels, written whole, and every way to be wrong said in words."""

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from withhold.contracts.errors import DataError, FileError
from withhold.contracts.images import image_array
from withhold.io.image_folder import image_batches, image_notes, read_image_folder
from withhold.io.image_writer import write_image_folder
from withhold.io.tables import digest, read_table, row_count, table_batches

RNG = np.random.default_rng(0)
GREY = RNG.integers(0, 255, (3, 5, 4), np.uint8)
COLOUR = RNG.integers(0, 255, (3, 5, 4, 3), np.uint8)


def save(folder, images, suffix="png"):
    folder.mkdir(parents=True, exist_ok=True)
    for i, image in enumerate(images):
        Image.fromarray(image).save(folder / f"{i}.{suffix}")
    return pa.table({"file": [f"{i}.{suffix}" for i in range(len(images))], "sex": list("fmf")[: len(images)]})


@pytest.mark.parametrize("images", [GREY, COLOUR], ids=["grey", "colour"])
def test_round_trip(tmp_path, images):
    labels = save(tmp_path / "in", images)
    table = read_image_folder(tmp_path / "in", labels.take(pa.array([2, 0, 1])))
    assert table.column_names == ["image", "file", "sex"]
    np.testing.assert_array_equal(image_array(table.column("image")), images[[2, 0, 1]])
    write_image_folder(tmp_path / "out", table)
    again = read_table(tmp_path / "out", labels=tmp_path / "out" / "labels.csv")
    assert again.column("image").equals(table.column("image"))
    assert again.column("sex").to_pylist() == ["f", "f", "m"]
    assert again.column("file")[0].as_py() == "000000.png"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_one_colour_image_makes_all_colour(tmp_path):
    save(tmp_path, GREY)
    Image.fromarray(COLOUR[1]).save(tmp_path / "1.png")
    images = image_array(read_image_folder(tmp_path, pa.table({"file": ["0.png", "1.png"]})).column("image"))
    np.testing.assert_array_equal(images[0], np.repeat(GREY[0][..., None], 3, axis=2))
    np.testing.assert_array_equal(images[1], COLOUR[1])


def test_transparency_is_kept(tmp_path):
    clear = np.dstack([COLOUR[0], GREY[0]])
    Image.fromarray(clear).save(tmp_path / "a.png")
    images = image_array(read_image_folder(tmp_path, pa.table({"file": ["a.png"]})).column("image"))
    np.testing.assert_array_equal(images[0], clear)


def test_jpeg_subfolders_and_16_bits(tmp_path):
    save(tmp_path / "a", COLOUR[:1], "jpeg")
    table = read_image_folder(tmp_path, pa.table({"file": ["a/0.jpeg"]}))
    assert list(table.schema.field("image").type.shape) == [5, 4, 3]
    deep = (GREY[0].astype(np.uint16) + 1) * 200
    Image.fromarray(deep).save(tmp_path / "deep.png")
    images = image_array(read_image_folder(tmp_path, pa.table({"file": ["deep.png"]})).column("image"))
    np.testing.assert_array_equal(images[0], deep)
    with pytest.raises(DataError, match="all be grey of 16 bits"):
        read_image_folder(tmp_path, pa.table({"file": ["deep.png", "a/0.jpeg"]}))


@pytest.mark.parametrize(
    ("labels", "error", "word"),
    [
        ({"name": ["0.png"]}, DataError, "column 'file'"),
        ({"file": ["0.png", "absent.png"]}, FileError, "absent.png"),
        ({"file": ["0.png", "small.png"]}, DataError, "4 x 5 in '0.png' and 2 x 2 in 'small.png'"),
        ({"file": ["0.png", "broken.png"]}, DataError, "broken.png"),
        ({"file": ["0.png", "cut.png"]}, DataError, "cut.png"),
        ({"file": ["../0.png"]}, DataError, "a path below"),
        ({"file": ["0.png", None]}, DataError, "None"),
        ({"file": ["notes.txt"]}, DataError, "notes.txt"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, labels, error, word):
    save(tmp_path, GREY)
    Image.fromarray(GREY[0, :2, :2]).save(tmp_path / "small.png")
    (tmp_path / "broken.png").write_bytes(b"no image")
    (tmp_path / "notes.txt").write_text("no image")
    Image.fromarray(RNG.integers(0, 255, (5, 4), np.uint8)).save(tmp_path / "cut.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "cut.png").read_bytes()[:50])
    with pytest.raises(error, match=word):
        read_image_folder(tmp_path, pa.table(labels))


def test_batches_need_no_labels_and_join_to_the_whole(tmp_path):
    save(tmp_path, COLOUR)
    pieces = list(image_batches(tmp_path, None, 2))
    assert [piece.num_rows for piece in pieces] == [2, 1]
    joined = pa.Table.from_batches(pieces)
    assert joined.equals(read_image_folder(tmp_path, None))
    assert joined.column("file").to_pylist() == ["0.png", "1.png", "2.png"]
    assert pa.Table.from_batches(list(table_batches(tmp_path, 2))).equals(joined)
    assert row_count(tmp_path) == 3
    Image.fromarray(GREY[0, :2, :2]).save(tmp_path / "last.png")
    with pytest.raises(DataError, match="of one size"):
        next(image_batches(tmp_path, None, 1))


def test_the_digest_is_of_names_and_pixels(tmp_path):
    save(tmp_path / "a", GREY)
    save(tmp_path / "b", GREY)
    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    Image.fromarray(GREY[1]).save(tmp_path / "b" / "0.png")
    assert digest(tmp_path / "a") != digest(tmp_path / "b")
    before = digest(tmp_path / "b")
    (tmp_path / "b" / "labels.csv").write_text("file,sex\n0.png,f\n")
    assert digest(tmp_path / "b") != before


def test_notes_beside_pixels_are_columns_where_they_differ(tmp_path):
    labels = save(tmp_path, GREY)
    assert image_notes(tmp_path, labels).num_columns == 0
    text, exif = PngInfo(), Image.Exif()
    text.add_text("site", "north")
    exif[0x0110] = "Scanner 7"  # the model of the camera
    Image.fromarray(GREY[1]).save(tmp_path / "1.png", pnginfo=text, exif=exif)
    Image.fromarray(COLOUR[2]).save(tmp_path / "2.png")
    assert image_notes(tmp_path, labels).to_pydict() == {
        "kind of pixels": ["L", "L", "RGB"],
        "note site": [None, "'north'", None],
        "note Model": [None, "'Scanner 7'", None],
    }


def test_the_quality_of_a_jpeg_is_a_note(tmp_path):
    for name, quality in (("a.jpg", 90), ("b.jpg", 91), ("c.jpg", 90)):
        Image.fromarray(GREY[0]).save(tmp_path / name, quality=quality)
    first, second, third = image_notes(tmp_path, None).column("compression").to_pylist()
    assert first == third != second
