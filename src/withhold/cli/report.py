"""`withhold report`: the HTML page of an audit or a run."""

from pathlib import Path
from typing import Annotated

from withhold.cli.outcome import Outcome, say
from withhold.workflow.options import Option, Overwrite, Title

RECORD_HELP = "share/audit.json of a run, or what audit --json or run --json printed."
Record = Annotated[Path, Option(RECORD_HELP, "AUDIT.json", positional=True, exists=True)]
Page = Annotated[Path, Option("The page to write.", "FILE.html")]

EXAMPLES = ("withhold report release/share/audit.json --out page.html",)


def report(record: Record, out: Page, title: Title = "", overwrite: Overwrite = False) -> Outcome:
    """Write the HTML page of an audit: one offline file."""
    from withhold.workflow.report import report_file

    written = report_file(record, out, title=title, overwrite=overwrite)
    return Outcome({"report": str(out), "digest": written}, lambda stream: say(f"wrote {out}", stream))
