"""The tables of what was attacked beside the release, what it must leak by a bound, and what threatens the people."""

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.quantity import Quantity
from withhold.report.formats import count, nat, percent, quantity, words
from withhold.report.tables import Table


def surfaces(audit: AuditRecord) -> Table:
    """Return what the attackers were given beside the release, with what they learned and whether it counts.

    Examples
    --------
    >>> from withhold.contracts.audit_record import Splits
    >>> record = AuditRecord(
    ...     verdict=None, statement="", budget=None, n=10, level=0.95, panel=[], effort="quick",
    ...     splits=Splits(audit=10, folds=2), sensitive={},
    ... )
    >>> surfaces(record).rows
    []
    """
    rows = []
    for name, result in audit.sensitive.items():
        if not result.surfaces and not result.hypothetical:
            continue
        rows.append([name, "the release", quantity(result.leakage), "yes"])
        rows += [[name, label, quantity(item), "yes"] for label, item in result.surfaces.items()]
        rows += [[name, label, quantity(item), "no, for information"] for label, item in result.hypothetical.items()]
    return Table("What else was attacked", ["hidden", "attacked", "leakage, nat", "counts for the verdict"], rows)


def implied(audit: AuditRecord) -> Table:
    """Return what the release must leak, by what it was shown to keep of the utility column, one row an attribute."""
    rows = [
        [
            name,
            f"{quantity(one.kept)} of {one.utility}",
            quantity(one.leakage),
            quantity(one.audited),
            "yes" if one.below_bound else "no",
        ]
        for name, one in (audit.implied or {}).items()
    ]
    head = ["hidden", "kept, nat", "so it leaks at least, nat", "attackers found, nat", "did attackers miss a leak?"]
    return Table("What the release must leak, whoever attacks", head, rows)


def people(audit: AuditRecord) -> Table:
    """Return linkage, membership and the attack on subjects: each with what a guess reaches."""
    rows = []
    for place, one in (audit.linkage or {}).items():
        which = "in the data" if place == "data" else f"in the {place} space"
        note = f"among {count(one.candidates)} candidates"
        rows.append([f"a released record finds its original {which}", _share(one.found), percent(one.chance), note])
    member = audit.membership
    if member is not None:
        note = f"{count(member.members)} rows of the fit, {count(member.others)} others"
        if member.control_balanced_accuracy is not None:
            note += f"; {percent(member.control_balanced_accuracy)} from the originals alone"
        accuracy = percent(member.balanced_accuracy)
        rows.append(["a record was used to fit the sanitiser", accuracy, percent(member.chance), note])
    for name, result in audit.sensitive.items():
        whole = result.subject_level
        if whole is not None:
            note = f"{nat(whole.leakage.value)} nat from {whole.rows_per_subject:.1f} records a subject together"
            accuracy = percent(whole.balanced_accuracy)
            rows.append([f"{words(name)} of a subject, from all its records", accuracy, percent(whole.chance), note])
    return Table("What else can be told about people", ["what is told", "how often", "by a guess", "note"], rows)


def _share(item: Quantity) -> str:
    if item.low is None or item.high is None:
        return percent(item.value)
    return f"{percent(item.value)} [{percent(item.low)},\N{NO-BREAK SPACE}{percent(item.high)}]"
