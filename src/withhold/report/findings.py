"""Findings in the order in which they matter: the worst first, people before columns, near-identical ones once."""

from dataclasses import dataclass

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.finding import Finding, Severity
from withhold.contracts.run_record import RunRecord
from withhold.report.formats import listing, plural

SEVERITIES: tuple[tuple[Severity, str], ...] = (
    ("critical", "Critical"),
    ("warning", "Read before sharing"),
    ("info", "For information"),
)
# Findings about people, who they are and what is known of one of them for certain, stand before those about columns.
PEOPLE = (
    "released_again",
    "records_linked",
    "membership_told",
    "flow_remembers",
    "value_implies_s",
    "subjects_tell_more",
    "row_order_reveals_s",
    "rare_values",
    "duplicates",
    "linkage_possible",
    "class_in_records",
)
NAMED = 6  # columns of a group that are named


@dataclass(frozen=True)
class Group:
    """Findings that one remedy settles: what is said of the first column, and of which others the same holds."""

    code: str
    text: str
    others: str
    remedy: str
    severity: Severity


def all_findings(record: RunRecord | AuditRecord) -> list[Finding]:
    """Return what the audit and the method found, each once."""
    if isinstance(record, RunRecord):
        return list(dict.fromkeys([*record.audit.findings, *record.method.findings]))
    return list(dict.fromkeys(record.findings))


def ranked(findings: list[Finding]) -> list[tuple[str, str, list[Group]]]:
    """Return severity, title and groups of findings.

    Examples
    --------
    >>> notes = [Finding(code="constant_column", severity="info", text=f"'{c}' is constant.", column=c) for c in "abc"]
    >>> [(title, [(g.text, g.others) for g in groups]) for _, title, groups in ranked(notes)]
    [('For information', [("'a' is constant.", 'The same holds for 2 more columns: b and c.')])]
    """
    found: list[tuple[str, str, list[Group]]] = []
    for severity, title in SEVERITIES:
        some = [finding for finding in findings if finding.severity == severity]
        codes = sorted(dict.fromkeys(finding.code for finding in some), key=_people_first)
        groups = _grouped([finding for code in codes for finding in some if finding.code == code])
        if groups:
            found.append((severity, title, groups))
    return found


def _people_first(code: str) -> int:
    return PEOPLE.index(code) if code in PEOPLE else len(PEOPLE)


def _grouped(findings: list[Finding]) -> list[Group]:
    """Return groups in the order of their first findings.

    What one remedy settles in one column is said together; columns of which the same was found are named once.
    """
    columns: dict[tuple[str, str], list[Finding]] = {}
    for place, finding in enumerate(findings):
        about = (finding.column, finding.remedy or finding.code) if finding.column is not None else ("", str(place))
        columns.setdefault(about, []).append(finding)
    alike: dict[tuple[object, ...], list[list[Finding]]] = {}
    for place, notes in enumerate(columns.values()):
        single = place if notes[0].column is None else -1
        alike.setdefault((single, notes[0].remedy, *(note.code for note in notes)), []).append(notes)
    return [_group(first, [str(notes[0].column) for notes in others]) for first, *others in alike.values()]


def _group(notes: list[Finding], others: list[str]) -> Group:
    text = ""
    if others:
        names = others if len(others) <= NAMED else [*others[: NAMED - 1], f"{len(others) - NAMED + 1} others"]
        text = f"The same holds for {plural(len(others), 'more column')}: {listing(names)}."
    first = notes[0]
    return Group(first.code, " ".join(note.text for note in notes), text, first.remedy, first.severity)
