"""The folder of a frontier: what somebody else keeps there stays, and one command at a time writes into it."""

import json
from pathlib import Path

import numpy as np
import pytest

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.contracts.frontier_record import FrontierCell
from withhold.io.atomic import held
from withhold.workflow.choosing.trial import Candidate
from withhold.workflow.folder import LOCK, MARKER, OutputFolder
from withhold.workflow.frontier.cells import Cell
from withhold.workflow.frontier.written import frontier_folder
from withhold.workflow.request import Request

N = 120


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    def fill(job: object, cell: Cell) -> FrontierCell:
        trial = TrialRecord(method="noise", settings=[], fitted=60, n=N, seconds=0.0, fit_seconds=0.0)
        return FrontierCell(name=cell.name, rival=cell.rival, budget=None, seed=cell.seed, trial=trial)

    monkeypatch.setattr("withhold.workflow.frontier.grid.fill", fill)  # the folder is tested here, not its numbers
    g = np.random.default_rng(0)
    rows = "".join(f"{i % 2},{i % 2 + g.normal():.3f},{g.normal():.3f}\n" for i in range(N))
    (tmp_path / "t.csv").write_text(f"s,a,b\n{rows}")
    return Request(tmp_path / "t.csv", ("s",))


def write(request: Request, out: Path, **options: bool) -> None:
    frontier_folder(request, [Candidate("leace")], ["0.1"], seeds=1, out=out, **options)


@pytest.mark.parametrize(
    "files",
    [
        {"notes.txt": "mine"},
        {"asked.json": "{}", "cells/mine.txt": "mine", "frontier.html": "my page"},
        {MARKER: "withhold results 1: share/ may be sent, private/ stays\n", "share/manifest.json": "{}"},
    ],
)
def test_a_folder_that_holds_something_else_is_refused(request_of: Request, tmp_path: Path, files: dict) -> None:
    out = tmp_path / "out"
    for name, text in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)
    with pytest.raises(InvalidParameterError, match="nothing says that withhold made it"):
        write(request_of, out, overwrite=True)
    assert {name: (out / name).read_text() for name in files} == files
    assert {path.name for path in out.rglob("*") if path.is_file()} - {LOCK} == {Path(name).name for name in files}


def test_of_our_own_folder_only_what_we_wrote_is_replaced(request_of: Request, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(request_of, out)
    (out / "cells" / "mine.txt").write_text("mine")
    (out / "cells" / "mine.json").write_text('{"mine": 1}')
    cell = out / "cells" / "leace-seed-0.json"
    cell.write_text(json.dumps(json.loads(cell.read_text()) | {"budget": 7.0}))
    write(request_of, out, overwrite=True)
    assert json.loads(cell.read_text())["budget"] is None
    assert (out / "cells" / "mine.txt").read_text() == "mine"
    assert (out / "cells" / "mine.json").read_text() == '{"mine": 1}'
    with pytest.raises(InvalidParameterError, match="nothing says that withhold made it"):
        OutputFolder(out, overwrite=True)  # and a run takes it for a stranger's


def test_an_output_that_the_list_does_not_name_is_kept(request_of: Request, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(request_of, out)
    marker = (out / MARKER).read_text()
    (out / MARKER).write_text(marker.replace("\nfrontier.html", ""))
    (out / "frontier.html").write_text("my page")
    with pytest.raises(FileError, match=r"frontier.html was not written by withhold"):
        write(request_of, out, overwrite=True)
    assert (out / "frontier.html").read_text() == "my page"


def test_nothing_is_lost_by_a_command_that_is_refused(request_of: Request, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(request_of, out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    for bad in ([Candidate("cadp")], [Candidate("no-method")]):
        with pytest.raises(InvalidParameterError):
            frontier_folder(request_of, bad, ["0.1"], seeds=1, out=out, overwrite=True)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_one_command_at_a_time_and_no_links(request_of: Request, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(request_of, out)
    with held(out / LOCK, "busy"), pytest.raises(FileError, match="Another frontier"):
        write(request_of, out, resume=True)
    (tmp_path / "elsewhere").mkdir()
    (out / "tuning").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileError, match="symbolic link"):
        write(request_of, out, resume=True)


def test_a_damaged_cell_is_named(request_of: Request, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(request_of, out)
    cell = out / "cells" / "leace-seed-0.json"
    cell.write_bytes(cell.read_bytes()[:40])
    with pytest.raises(FileError, match=r"leace-seed-0.json is damaged. Remove it"):
        write(request_of, out, resume=True)
