"""The folder of a frontier: what somebody else keeps there stays."""

from pathlib import Path

import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.workflow.frontier.written import frontier_folder
from withhold.workflow.request import Request


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    request = Request(tmp_path / "t.csv", ("s",))
    with pytest.raises(InvalidParameterError, match="holds something else"):
        frontier_folder(request, ["leace"], ["0.1"], seeds=1, out=tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
