"""`withhold demo`: the whole pipeline on a real table."""

from pathlib import Path
from typing import Annotated

import typer

from withhold.cli import options as o
from withhold.cli.options import InterruptError, Outcome, note


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder for share/ and private/.", metavar="DIR")],
    seed: o.Seed = 0,
    device: o.Device = "auto",
    resume: o.Resume = False,
    overwrite: o.Overwrite = False,
    as_json: o.AsJson = False,
) -> Outcome:
    """Run the whole pipeline on a real survey table that a Python package ships.

    Prints the verdict on a budget of 0.05 nat and where the report is. Exits 0 whatever the verdict.
    """
    from withhold.cli.summary import show_run
    from withhold.workflow.demo import demo as demonstrate
    from withhold.workflow.folder import remains

    try:
        record = demonstrate(out, overwrite=overwrite, resume=resume, seed=seed, device=device, log=note)
    except KeyboardInterrupt:
        raise InterruptError(f"Interrupted. {remains(out)}") from None
    return Outcome(record, lambda stream: show_run(record, out, stream))
