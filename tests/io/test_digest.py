import hashlib

import pytest

from withhold.contracts.errors import FileError
from withhold.io.digest import digest


def test_a_file_larger_than_one_piece(tmp_path):
    data = bytes(range(256)) * 10_000
    (tmp_path / "a.csv").write_bytes(data)
    assert digest(tmp_path / "a.csv") == hashlib.sha256(data).hexdigest()


def test_a_folder_follows_names_and_contents(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"1")
    (tmp_path / "b.parquet").write_bytes(b"2")
    first = digest(tmp_path)
    assert digest(tmp_path) == first
    (tmp_path / "b.parquet").rename(tmp_path / "c.parquet")
    renamed = digest(tmp_path)
    (tmp_path / "c.parquet").write_bytes(b"3")
    assert len({first, renamed, digest(tmp_path)}) == 3


def test_a_missing_file(tmp_path):
    with pytest.raises(FileError, match="File not found: "):
        digest(tmp_path / "absent")
