import os
import socket
from pathlib import Path

import pyarrow as pa
import pytest

from withhold.contracts.errors import FileError, WithholdError
from withhold.io.artifact import read_artifact
from withhold.io.atomic import write_text
from withhold.io.table_format import check_name, check_regular
from withhold.io.tables import read_table, table_batches, write_table
from withhold.privacy.noise_key import NoiseKey

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices with paths")

READERS = {
    "table": read_table,
    "batches": lambda path: list(table_batches(path, 10)),
    "artifact": read_artifact,
    "key": NoiseKey.from_file,
    "write": lambda path: write_text(path, "x"),
}


@pytest.fixture(params=READERS.values(), ids=READERS.keys())
def reader(request):
    return request.param


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather", ".npz"])
def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path, reader, suffix) -> None:
    os.mkfifo(tmp_path / f"p{suffix}")
    with pytest.raises(FileError, match="pipe"):
        reader(tmp_path / f"p{suffix}")


def test_a_device_is_neither_read_nor_replaced(tmp_path: Path, reader) -> None:
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    with pytest.raises(FileError, match="device"):
        reader(tmp_path / "endless.csv")
    assert Path("/dev/zero").is_char_device()


def test_a_pipe_among_parts(tmp_path: Path) -> None:
    write_table(tmp_path / "a.parquet", pa.table({"a": [1]}))
    assert read_table(tmp_path).num_rows == 1  # positive control
    os.mkfifo(tmp_path / "b.parquet")
    with pytest.raises(FileError, match="pipe"):
        read_table(tmp_path)


def test_a_socket(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind("s.csv")
        with pytest.raises(FileError, match="socket"):
            check_regular("s.csv")


def test_names_that_are_no_text(tmp_path: Path, reader) -> None:
    path = tmp_path / os.fsdecode(b"K\xf6ln.csv")
    Path(os.fsdecode(os.fsencode(path))).write_bytes(b"a\n1\n")
    with pytest.raises(WithholdError, match=r"K\\udcf6ln.csv"):
        reader(path)
    check_name(tmp_path / "Köln.csv")
