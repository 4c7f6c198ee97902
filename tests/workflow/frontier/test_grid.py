"""Cells as files: what is killed at any moment is continued, and comes out as if nothing had happened."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.frontier_record import FrontierCell
from withhold.io.atomic import TEMPORARY_PREFIX
from withhold.workflow.frontier import grid
from withhold.workflow.frontier.cells import Cell
from withhold.workflow.frontier.grid import CELLS, LOCKS, read_cells
from withhold.workflow.request import Request

CELLS_OF_WORK = [Cell("noise", (), seed) for seed in range(8)]
WORK = f"""
import sys; sys.path[:0] = {[str(Path(__file__).parents[2])]!r}
from pathlib import Path
from workflow.frontier.test_grid import work
work(Path(sys.argv[1]))
"""


def filled(job: Request, cell: Cell) -> FrontierCell:
    time.sleep(0.1)
    return FrontierCell(name=cell.name, seed=cell.seed, trial=TrialRecord(method=cell.name, fitted=1, n=2))


def work(folder: Path) -> None:
    """Fill cells that take a tenth of a second, and say which they are: the mechanism is what is tested here."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(grid, "fill", filled)
        patched.setattr(grid, "job_of", lambda request, source: request)
        print("ready", flush=True)
        request = Request(Path("t.csv"), ("s",))
        grid.fill_all(request, None, CELLS_OF_WORK, folder, 1, lambda text: print(text, flush=True))


def started(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", WORK, str(folder)], stdout=subprocess.PIPE, text=True)


def test_a_kill_loses_one_cell_and_the_rest_is_kept(tmp_path: Path) -> None:
    place = tmp_path / CELLS
    with started(tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.37)  # within a cell
        process.send_signal(signal.SIGKILL)
        told = process.stdout.read().splitlines()
    finished = {cell.file for cell in CELLS_OF_WORK if (place / cell.file).exists()}
    assert len(told) <= len(finished) < len(CELLS_OF_WORK)  # what was said to be done is there
    for name in finished:
        json.loads((place / name).read_text())  # whole, never half
    kept = {name: (place / name).stat().st_mtime_ns for name in finished}
    (place / LOCKS).mkdir(parents=True, exist_ok=True)
    work(tmp_path)
    assert {name: (place / name).stat().st_mtime_ns for name in finished} == kept  # nothing is done twice
    assert [cell.seed for cell in read_cells(CELLS_OF_WORK, tmp_path)] == list(range(8))
    left = [path.name for path in place.iterdir() if not path.name.startswith(TEMPORARY_PREFIX)]  # swept a minute later
    assert sorted(left) == sorted(cell.file for cell in CELLS_OF_WORK)


def test_names_of_files_are_plain_and_differ() -> None:
    cells = [
        Cell("without the hidden columns", (), 0),
        Cell("a", ("b=1",), 0),
        Cell("a", ("b=1.5",), 0),
        Cell("a", (), 3),
    ]
    names = [cell.file for cell in cells]
    assert len(set(names)) == len(names)
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-") for name in names)
    assert LOCKS.startswith(".")
