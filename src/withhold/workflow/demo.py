"""The demonstration: the main job on a real table that a package ships."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from withhold.audit.effort import LEAST
from withhold.contracts.run_record import RunRecord
from withhold.data.demo_table import demo_table
from withhold.io.tables import write_table
from withhold.workflow.manifest import list_private
from withhold.workflow.request import Request
from withhold.workflow.run import run_request

BUDGET = 0.05
# The table itself, to try the other commands on; it holds the hidden column, so it lies where nothing is shared from.
SURVEY = "private/survey.parquet"


def demo(
    out: Path,
    *,
    overwrite: bool = False,
    resume: bool = False,
    seed: int = 0,
    device: str = "auto",
    log: Callable[[str], None] = lambda text: None,
) -> RunRecord:
    """Run the whole pipeline on the demonstration table with a budget of 0.05 nat, and leave the table beside it.

    Parameters
    ----------
    out : Path
        Folder for `share/` and `private/`.
    overwrite, resume : bool
        Replace earlier results; continue an interrupted run.
    seed : int
        Seed of everything.
    device : str
        Where to train.
    log : callable
        Called with one line per step.
    """
    table, description, sensitive, utility = demo_table()
    log(description)
    log(f"hiding {sensitive}, keeping {utility}, budget {BUDGET} nat")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "demo.parquet"
        write_table(data, table)
        request = Request(
            data=data,
            sensitive=(sensitive,),
            utility=(utility,),
            method="deepminmax",
            budget=BUDGET,
            effort=LEAST,
            seed=seed,
            device=device,
        )
        record = run_request(request, out, overwrite=overwrite, resume=resume, anyway=True, log=log)
    list_private(out, "survey", SURVEY)
    write_table(out / SURVEY, table)
    os.chmod(out / SURVEY, 0o600)
    return record
