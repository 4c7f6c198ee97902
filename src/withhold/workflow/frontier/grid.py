"""The cells of a frontier as files: each written whole or not at all, by one process or by several at once."""

import multiprocessing
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from withhold.contracts.errors import FileError
from withhold.contracts.frontier_record import FrontierCell
from withhold.io.atomic import held, sweep, write_text
from withhold.workflow.frontier.cells import Cell, fill
from withhold.workflow.job import Job, job_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

CELLS, LOCKS = "cells", ".locks"
Log = Callable[[str], None]
Read = TypeVar("Read", bound=BaseModel)


def fill_all(request: Request, source: Source, cells: Sequence[Cell], folder: Path, jobs: int, log: Log) -> None:
    """Fill every cell that has no file yet.

    A process takes a cell by a lock that the system frees when the process ends, however it ends: a kill at any moment
    loses the cells that were being worked on, and nothing else. Further processes end once this one is gone.

    Parameters
    ----------
    source : Source
        The table.
    folder : Path
        The files go to its folder `cells`.
    jobs : int
        Processes.
    log : callable
        Called with one line for each cell that this process has filled.
    """
    place = folder / CELLS
    (place / LOCKS).mkdir(parents=True, exist_ok=True)
    sweep(place)
    context = multiprocessing.get_context("spawn")
    left = sum(not (place / cell.file).exists() for cell in cells)
    others = [
        context.Process(target=_work, args=(request, source, cells, place, os.getpid()), daemon=True)
        for _ in range(min(jobs, left) - 1)
    ]
    for other in others:
        other.start()
    _work(request, source, cells, place, None, log)
    for other in others:
        other.join()
    _work(request, source, cells, place, None, log)  # what a process that was killed has left
    shutil.rmtree(place / LOCKS, ignore_errors=True)


def read_cells(cells: Sequence[Cell], folder: Path) -> list[FrontierCell]:
    """Return the cells from their files, in order."""
    return [read_file(FrontierCell, folder / CELLS / cell.file) for cell in cells]


def read_file(kind: type[Read], path: Path) -> Read:
    """Read a cell or a trial that an earlier command may have written."""
    try:
        return kind.model_validate_json(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"{path} is damaged. Remove it, then pass --resume: the others stay.") from error


def _work(
    request: Request,
    source: Source,
    cells: Sequence[Cell],
    place: Path,
    parent: int | None,
    log: Log = lambda text: None,
) -> None:
    @lru_cache(maxsize=1)
    def job(seed: int) -> Job:
        return job_of(replace(request, seed=seed), source)

    for i, cell in enumerate(cells):
        if parent is not None and os.getppid() != parent:
            return
        path = place / cell.file
        if path.exists():
            continue
        with ExitStack() as stack:
            try:
                stack.enter_context(held(place / LOCKS / f"{cell.file}.lock", "Another process has this cell."))
            except FileError:
                continue
            if path.exists():
                continue
            found = fill(job(cell.seed), cell)
            write_text(path, found.model_dump_json(indent=2))
        log(f"{i + 1} of {len(cells)}: {cell}: {found.trial.failed or _said(found)}")


def _said(cell: FrontierCell) -> str:
    leak = cell.trial.leakage
    told = "" if leak is None else f"leaks {leak.value:.3f} nat"
    scores = ", ".join(f"{name} {score:.3f}" for name, score in cell.trial.utility.items())
    kept = scores or ("" if cell.trial.retention is None else f"retention {cell.trial.retention:.3f}")
    return "; ".join(text for text in (told, kept) if text)
