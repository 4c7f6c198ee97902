"""NumPy's .npy files: read as the only array of an .npz file; objects and forged sizes are refused."""

import struct

import numpy as np
import pytest

from withhold.contracts.errors import DataError
from withhold.io.tables import read_table


def test_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(6, dtype=np.float32).reshape(3, 2))
    assert read_table(tmp_path / "a.npy").to_pydict() == {"x0": [0, 2, 4], "x1": [1, 3, 5]}
    np.save(tmp_path / "b.npy", np.zeros((2, 4, 4), np.uint8))
    assert read_table(tmp_path / "b.npy").column_names == ["image"]
    np.save(tmp_path / "c.npy", np.asfortranarray(np.arange(6).reshape(3, 2)))
    assert read_table(tmp_path / "c.npy").to_pydict() == {"x0": [0, 2, 4], "x1": [1, 3, 5]}


def test_objects(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="could run code"):
        read_table(tmp_path / "a.npy")


def test_a_forged_shape_and_damaged_files(tmp_path):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**11}, 9), }}".ljust(117) + "\n"
    forged = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(800)
    for content in (forged, b"", b"text", b"\x93NUMPY\x01\x00"):
        (tmp_path / "a.npy").write_bytes(content)
        with pytest.raises(DataError, match=r"is not a readable \.npy file"):
            read_table(tmp_path / "a.npy")
