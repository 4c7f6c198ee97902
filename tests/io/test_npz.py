import datetime as dt
import zipfile
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, InvalidParameterError, InvalidTypeError
from withhold.contracts.images import image_array
from withhold.io.npz import read_npz, write_npz


@pytest.fixture
def npz(tmp_path):
    def save(**arrays):
        np.savez(tmp_path / "a.npz", **arrays)
        return tmp_path / "a.npz"

    return save


def test_1d_arrays_of_equal_length_are_columns(npz):
    table = read_npz(npz(age=np.array([31, 58], np.int8), city=np.array(["Rom", "Köln"]), ok=np.array([True, False])))
    assert table.to_pydict() == {"age": [31, 58], "city": ["Rom", "Köln"], "ok": [True, False]}
    assert table.schema.field("age").type == pa.int8()


def test_a_2d_array_is_x0_x1_with_labels_beside_it(npz):
    features = np.arange(6, dtype=np.float32).reshape(3, 2)
    path = npz(features=features, label=np.array([0, 1, 0]), class_names=np.array(["a", "b"]))
    for array in (None, "features"):
        table = read_npz(path, array)
        assert table.column_names == ["x0", "x1", "label"]
        np.testing.assert_array_equal(table.column("x1").to_numpy(), features[:, 1])
        assert table.schema.field("x1").type == pa.float32()


def test_nan_stays_nan(npz):
    column = read_npz(npz(x=np.array([[np.nan], [1.0]]))).column("x0")
    assert column.null_count == 0
    assert np.isnan(column.to_numpy()[0])


def test_byte_orders_bytes_dates_and_halves(npz):
    path = npz(
        big=np.array([1.5, 2.5], ">f8"),
        text=np.array([b"a", "é".encode()]),
        day=np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"),
        half=np.array([0.5, 1], np.float16),
    )
    assert read_npz(path).to_pydict() == {
        "big": [1.5, 2.5],
        "text": ["a", "é"],
        "day": [dt.date(2020, 1, 1), dt.date(2020, 1, 2)],
        "half": [0.5, 1],
    }


def test_an_array_must_be_chosen_where_several_could_be_meant(npz):
    path = npz(train=np.zeros((3, 2)), test=np.zeros((2, 2)))
    with pytest.raises(DataError, match=r"'train' \(3, 2\), 'test' \(2, 2\). Name one with --array NAME"):
        read_npz(path)
    assert read_npz(path, "test").num_rows == 2
    with pytest.raises(DataError, match="is not one table"):
        read_npz(npz(a=np.zeros(3), b=np.zeros(2)))
    with pytest.raises(DataError, match="is not one table"):
        read_npz(npz())
    with pytest.raises(InvalidParameterError, match="has no array 'z'"):
        read_npz(path, "z")


@pytest.mark.parametrize("shape", [(3, 4, 5), (3, 4, 5, 3)])
def test_images_come_back_as_they_were(npz, tmp_path, shape):
    images = np.random.default_rng(0).integers(0, 255, shape).astype(np.uint8)
    path = npz(x=images, y=np.arange(3))
    for array in (None, "x"):
        table = read_npz(path, array)
        assert table.column_names == ["image", "y"]
        np.testing.assert_array_equal(image_array(table.column("image")), images)
    write_npz(tmp_path / "b.npz", table, "x")
    with np.load(tmp_path / "b.npz") as written:
        np.testing.assert_array_equal(written["x"], images)
        assert written["x"].dtype == np.uint8
        np.testing.assert_array_equal(written["y"], np.arange(3))


def test_an_array_called_image_keeps_its_name(npz):
    table = read_npz(npz(x=np.zeros((3, 4, 5)), image=np.arange(3)), "x")
    assert table.column_names == ["x", "image"]
    assert table.schema.field("image").type == pa.int64()


def test_too_many_dimensions_say_how_to_become_a_table(npz):
    with pytest.raises(DataError, match=r"must be 1-d to 4-d \(got shape \(3, 2, 2, 1, 1\)\).*reshape"):
        read_npz(npz(x=np.zeros((3, 2, 2, 1, 1)), y=np.zeros(3)))
    with pytest.raises(InvalidTypeError, match="int64"):
        read_npz(npz(x=np.zeros((3, 2, 2), np.int64)))


def test_a_column_of_the_matrix_and_an_array_of_one_name_are_refused(npz):
    with pytest.raises(DataError, match="2 columns named 'x1'"):
        read_npz(npz(features=np.zeros((3, 2)), x1=np.zeros(3)))


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("code of the file was executed",))


def test_pickled_objects_are_refused_and_not_run(npz):
    with pytest.raises(DataError, match="holds an object array"):
        read_npz(npz(a=np.array([Trap()], object)))


@pytest.mark.parametrize("values", [np.array([1j, 2]), np.zeros(2, [("a", int), ("b", int)])])
def test_types_without_a_counterpart_are_refused(npz, values):
    with pytest.raises(DataError, match="must hold numbers, text or dates"):
        read_npz(npz(a=values))


def test_garbage_within_the_archive_is_damage_not_an_error_of_the_system(tmp_path):
    write_npz(tmp_path / "a.npz", pa.table({"a": range(50)}))
    raw = (tmp_path / "a.npz").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(200):
        changed = bytearray(raw)
        changed[rng.integers(len(raw))] = rng.integers(256)
        (tmp_path / "a.npz").write_bytes(changed)
        with suppress(DataError):
            read_npz(tmp_path / "a.npz")


def test_members_that_are_no_arrays_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("notes.txt", "hello")
    with pytest.raises(DataError, match=r"is not a readable \.npz file"):
        read_npz(tmp_path / "a.npz")


def test_round_trip(tmp_path):
    table = pa.table(
        {
            "x0": pa.array([1, 2], pa.float32()),
            "x1": pa.array([3, None], pa.float32()),
            "city": pa.array(["a", "b"]).dictionary_encode(),
            "file": pa.array([1, 2], pa.int16()),  # a name that numpy.savez could not store
            "day": pa.array([dt.date(2020, 1, 1), dt.date(2020, 1, 2)]),
        }
    )
    write_npz(tmp_path / "a.npz", table, "z")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert arrays.files == ["z", "city", "file", "day"]
        assert arrays["z"].shape == (2, 2)
        assert arrays["z"].dtype == np.float32
    again = read_npz(tmp_path / "a.npz")
    assert again.column_names == table.column_names
    assert again.drop_columns("x1").to_pydict() == table.drop_columns("x1").to_pydict()
    assert np.isnan(again.column("x1")[1].as_py())
    raw = (tmp_path / "a.npz").read_bytes()
    write_npz(tmp_path / "a.npz", table, "z")
    assert (tmp_path / "a.npz").read_bytes() == raw


@pytest.mark.parametrize(
    "column", [pa.array([1, None]), pa.array(["a", None]), pa.array([[1], [2]]), pa.array([True, None])]
)
def test_what_npz_cannot_hold_is_refused_and_an_earlier_file_stays(tmp_path, column):
    (tmp_path / "a.npz").write_bytes(b"old")
    with pytest.raises(DataError, match="cannot hold column"):
        write_npz(tmp_path / "a.npz", pa.table({"a": column}))
    assert (tmp_path / "a.npz").read_bytes() == b"old"


def test_numbered_columns_of_several_types_stay_columns(tmp_path):
    write_npz(tmp_path / "a.npz", pa.table({"x0": [1], "x1": [1.5]}))
    with np.load(tmp_path / "a.npz") as arrays:
        assert arrays.files == ["x0", "x1"]
