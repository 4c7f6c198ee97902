"""Tests of the transform of files; the command's tests have the cases."""

from pathlib import Path

import pytest

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.workflow.transform import check_engine, transform_file


def test_engines() -> None:
    check_engine("local")
    with pytest.raises(InvalidParameterError, match="later version"):
        check_engine("ray")
    with pytest.raises(InvalidParameterError, match="'cloud'"):
        check_engine("cloud")


def test_absent_files(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="existing"):
        transform_file(tmp_path / "absent", tmp_path / "data.csv", tmp_path / "out.csv")
