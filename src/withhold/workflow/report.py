"""The page of a record that was written earlier."""

from pathlib import Path

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.disclosure_record import DisclosureRecord
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.run_record import RunRecord
from withhold.io.atomic import write_text
from withhold.io.tables import digest
from withhold.report.disclosure import render_disclosure
from withhold.report.page import render
from withhold.workflow.folder import refuse_existing, refuse_same
from withhold.workflow.manifest import read_record
from withhold.workflow.rooms import MANIFEST


def report_file(record: Path, out: Path, *, title: str = "", overwrite: bool = False) -> str:
    """Write the HTML page of a record.

    Parameters
    ----------
    record : Path
        `audit.json`, or what `audit --json` or `run --json` printed.
    out : Path
        The page.
    title : str
        What the page calls the release, instead of the title in the record.
    overwrite : bool
        Replace an existing file.

    Returns
    -------
    str
        SHA-256 of the page.
    """
    refuse_same(out, {"the record itself": record, "the manifest beside the record": record.with_name(MANIFEST)})
    refuse_existing(out, overwrite)
    found = read_record(record)
    write_text(out, page_of(entitled(found, title) if title else found))
    return digest(out)


def page_of(record: RunRecord | AuditRecord | DisclosureRecord) -> str:
    """Return the page of a record of any kind."""
    return render_disclosure(record) if isinstance(record, DisclosureRecord) else render(record)


def entitled(
    record: RunRecord | AuditRecord | DisclosureRecord, title: str
) -> RunRecord | AuditRecord | DisclosureRecord:
    """Return the record under another title.

    Examples
    --------
    >>> from withhold.contracts.audit_record import Splits
    >>> audit = AuditRecord(
    ...     verdict=None, statement="", budget=None, n=1, level=0.95, panel=[], effort="quick",
    ...     splits=Splits(audit=1, folds=2), sensitive={},
    ... )
    >>> entitled(audit, "Households 1991").title
    'Households 1991'
    """
    if isinstance(record, RunRecord):
        return record.model_copy(update={"audit": record.audit.model_copy(update={"title": title})})
    return record.model_copy(update={"title": title})


def write_report(
    record: RunRecord | AuditRecord, path: str | Path, *, title: str = "", overwrite: bool = False
) -> Path:
    """Write the HTML page of a record, or the record itself as JSON.

    Parameters
    ----------
    record : RunRecord or AuditRecord
        What `audit_release` or a run returned.
    path : str or Path
        A file that ends in .html or .json.
    title : str, optional
        What the page calls the release, instead of the title in the record.
    overwrite : bool, default=False
        Replace an existing file.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    InvalidParameterError
        The file exists, or its ending is neither.

    Examples
    --------
    >>> import tempfile
    >>> from withhold.contracts.audit_record import Splits
    >>> audit = AuditRecord(
    ...     verdict=None, statement="", budget=None, n=1, level=0.95, panel=[], effort="quick",
    ...     splits=Splits(audit=1, folds=2), sensitive={},
    ... )
    >>> write_report(audit, Path(tempfile.mkdtemp()) / "page.html", title="Households 1991").name
    'page.html'
    """
    path = Path(path)
    if path.suffix not in (".html", ".json"):
        raise InvalidParameterError(
            f"{path.name} is neither a page nor a record. Name a file that ends in .html or .json."
        )
    refuse_existing(path, overwrite)
    found = entitled(record, title) if title else record
    write_text(path, page_of(found) if path.suffix == ".html" else found.model_dump_json(indent=2))
    return path
