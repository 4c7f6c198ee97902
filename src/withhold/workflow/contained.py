"""Whether the file that is handed over holds the sensitive column itself, and what that does to the verdict."""

import pyarrow as pa

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.finding import Finding
from withhold.data.attributes import equal_columns

CODE = "contains_s"


def contained(sensitive: pa.Table, release: pa.Table, elsewhere: bool) -> dict[str, list[str]]:
    """Return the columns of a release that hold a sensitive column as it is.

    Parameters
    ----------
    sensitive : pyarrow.Table
        The sensitive columns, row by row those of the release.
    release : pyarrow.Table
        The file that is handed over.
    elsewhere : bool
        Whether the sensitive columns came from another file; else they are columns of the release.

    Returns
    -------
    dict
        Names of columns of the release by the sensitive column they equal.

    Examples
    --------
    >>> contained(pa.table({"sex": ["f", "m"]}), pa.table({"sex": ["f", "m"], "age": [1, 2]}), True)
    {'sex': ['sex']}
    """
    found: dict[str, list[str]] = {}
    for name in sensitive.column_names:
        same = equal_columns(sensitive.column(name), release)
        if not elsewhere and name not in same:
            same = [name, *same]
        if same:
            found[name] = same
    return found


def judged(record: AuditRecord, inside: dict[str, list[str]], *, aside: bool) -> AuditRecord:
    """Return the record with the critical finding, and failed where S is handed over beside its own column.

    Parameters
    ----------
    record : AuditRecord
        The audit of the other columns.
    inside : dict
        As `contained` returns it.
    aside : bool
        Whether S was taken from the release itself, so that its own column was removed before attacking. The verdict
        is then about the other columns and says so; in any other case a release that contains S fails.
    """
    if not inside:
        return record
    findings, copies = [], False
    for name, columns in inside.items():
        others = [column for column in columns if column != name] if aside else columns
        copies = copies or bool(others)
        shown = ", ".join(map(repr, columns))
        text = f"The file contains {name} itself, in {shown}: whoever has the file has {name}."
        if aside:
            text += f" The column {name!r} was set aside before attacking; remove it before the file is shared."
        findings.append(Finding(code=CODE, severity="critical", text=text, column=columns[0]))
    statement = record.statement
    verdict = record.verdict
    names = ", ".join(inside)
    if aside and not copies:
        statement = f"Without its own column {names}, which the file still contains: {statement}"
    elif verdict is not None and verdict != "fail":
        verdict = "fail"
        statement = f"The release contains {names} itself. {statement}"
    else:
        statement = f"The release contains {names} itself. {statement}"
    present = {finding.code for finding in record.findings}
    added = [] if CODE in present else findings
    update = {"findings": [*added, *record.findings], "statement": statement, "verdict": verdict}
    return record.model_copy(update=update)
