"""The page of a record that was written earlier."""

from pathlib import Path

from withhold.io.atomic import write_text
from withhold.io.tables import digest
from withhold.report.page import render
from withhold.workflow.folder import refuse_existing, refuse_same
from withhold.workflow.manifest import read_record


def report_file(record: Path, out: Path, *, overwrite: bool = False) -> str:
    """Write the HTML page of a record.

    Parameters
    ----------
    record : Path
        `audit.json`, or what `audit --json` or `run --json` printed.
    out : Path
        The page.
    overwrite : bool
        Replace an existing file.

    Returns
    -------
    str
        SHA-256 of the page.
    """
    refuse_same(out, {"the record itself": record})
    refuse_existing(out, overwrite)
    write_text(out, render(read_record(record)))
    return digest(out)
