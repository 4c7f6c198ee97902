"""Cells as files: what is killed at any moment is continued, and comes out as if nothing had happened."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from withhold.io.atomic import TEMPORARY_PREFIX
from withhold.workflow.frontier.cells import Cell
from withhold.workflow.frontier.grid import CELLS, LOCKS, read_cells

# Cells that take a tenth of a second, and say which they are: the mechanism is what is tested here.
WORK = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.frontier_record import FrontierCell
from withhold.workflow.frontier import grid
from withhold.workflow.frontier.cells import Cell
from withhold.workflow.request import Request

def fill(job, cell):
    time.sleep(0.1)
    return FrontierCell(name=cell.name, seed=cell.seed, trial=TrialRecord(method=cell.name, fitted=1, n=2))

grid.fill, grid.job_of = fill, lambda request, source: request
cells = [Cell("noise", (), seed) for seed in range(8)]
print("ready", flush=True)
grid.fill_all(Request(Path("t.csv"), ("s",)), None, cells, Path(sys.argv[1]), 1, lambda text: print(text, flush=True))
"""
CELLS_OF_WORK = [Cell("noise", (), seed) for seed in range(8)]


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
    with started(tmp_path) as process:
        process.communicate()
    assert process.returncode == 0
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
