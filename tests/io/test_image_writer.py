"""Folders of numbered images: whole or not at all, and never at the cost of other files."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, FileError
from withhold.contracts.images import image_array, image_column
from withhold.io.image_writer import ImageFolderWriter, write_image_folder
from withhold.io.tables import open_writer, read_table, write_table

RNG = np.random.default_rng(0)
GREY = RNG.integers(0, 255, (5, 5, 4), np.uint8)
TABLE = pa.table({"y": list("abcde"), "image": image_column(GREY), "file": [f"male/{i}.png" for i in range(5)]})


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_batches_become_one_folder_without_the_names_they_came_with(tmp_path):
    with open_writer(tmp_path / "out", TABLE.schema) as writer:
        writer.write(TABLE.slice(0, 3))
        assert names(tmp_path) != ["out"]  # not there before it is whole
        writer.write(TABLE.slice(3))
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == [*(f"{i:06d}.png" for i in range(5)), "labels.csv"]
    assert b"male" not in b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    again = read_table(tmp_path / "out", labels=tmp_path / "out" / "labels.csv")
    assert np.array_equal(image_array(again.column("image")), GREY)
    assert again.column("y").to_pylist() == list("abcde")


def test_an_earlier_folder_is_replaced_whole_and_only_at_the_end(tmp_path):
    write_table(tmp_path / "out", TABLE)
    writer = ImageFolderWriter(tmp_path / "out", TABLE.schema)
    writer.write(TABLE.slice(0, 1))
    writer.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert len(names(tmp_path / "out")) == 6
    write_table(tmp_path / "out", TABLE.slice(0, 2))
    assert names(tmp_path / "out") == ["000000.png", "000001.png", "labels.csv"]
    assert names(tmp_path) == ["out"]


def test_other_files_are_never_touched(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").touch()
    (tmp_path / "plain").touch()
    for name, word in (("full", "thesis.txt"), ("plain", "a file")):
        with pytest.raises(FileError, match=word):
            write_image_folder(tmp_path / name, TABLE)
    assert names(tmp_path) == ["full", "plain"]


def test_what_a_png_cannot_hold_is_refused(tmp_path):
    for images in (GREY.astype(np.float32), RNG.integers(0, 255, (5, 4, 4, 2), np.uint8)):
        with pytest.raises(DataError, match="npz"):
            write_image_folder(tmp_path / "out", pa.table({"image": image_column(images)}))
    with pytest.raises(FileError, match="no folder"):
        write_image_folder(tmp_path / "absent" / "out", TABLE)
    assert names(tmp_path) == []
