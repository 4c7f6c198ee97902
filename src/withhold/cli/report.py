"""`withhold report`: the HTML page of an audit or a run."""

from pathlib import Path
from typing import Annotated

import typer

from withhold.cli import options as o
from withhold.cli.options import Outcome, say


def report(
    record: Annotated[
        Path,
        typer.Argument(
            help="share/audit.json of a run, or what audit --json or run --json printed.", metavar="AUDIT.json"
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The page to write.", metavar="FILE.html")],
    overwrite: o.Overwrite = False,
    as_json: o.AsJson = False,
) -> Outcome:
    """Write the HTML page of an audit: one offline file."""
    from withhold.workflow.report import report_file

    written = report_file(record, out, overwrite=overwrite)
    return Outcome({"report": str(out), "digest": written}, lambda stream: say(f"wrote {out}", stream))
