"""Tests of fitting to a file."""

from pathlib import Path

import pyarrow as pa
import pytest

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.io.tables import write_table
from withhold.privacy.noise_key import NoiseKey
from withhold.workflow.fit import fit_file, key_path
from withhold.workflow.request import Request


def test_sanitiser_and_key_are_written_or_nothing(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", pa.table({"a": list(range(40)), "s": ["x", "y"] * 20}))
    request = Request(tmp_path / "t.csv", ("s",), method="identity")
    save = tmp_path / "s.withhold"
    assert fit_file(request, save).name == "identity"
    assert save.exists()
    assert key_path(save).exists()
    with pytest.raises(InvalidParameterError, match="--overwrite"):
        fit_file(request, save)
    with pytest.raises(FileError):
        fit_file(request, tmp_path / "absent" / "s.withhold")
    assert not (tmp_path / "absent").exists()


def test_overwrite_replaces_the_key_too(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", pa.table({"a": list(range(40)), "s": ["x", "y"] * 20}))
    request = Request(tmp_path / "t.csv", ("s",), method="identity")
    save = tmp_path / "s.withhold"
    fit_file(request, save)
    before = NoiseKey.from_file(key_path(save))
    fit_file(request, save, overwrite=True)
    assert NoiseKey.from_file(key_path(save)) != before
