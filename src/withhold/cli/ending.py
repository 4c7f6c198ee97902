"""The last lines of a run: who can be found again, if it may be shared, and what to type next."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from withhold.cli.outcome import say
from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.run_record import RunRecord
from withhold.report.decision import advice, approved
from withhold.report.findings import all_findings
from withhold.workflow.approve import PLACEHOLDER
from withhold.workflow.rooms import CANDIDATE
from withhold.workflow.settings import aim_told

Step = tuple[str, Sequence[str]]
WIDTH = 18
# Words of the page, and what a terminal says in their place.
ELSEWHERE = (
    ("Do not share it yet: ", ""), (" Do not share it yet.", ""), ("critical below", "critical above"),
    ("named on the next page", "named above"),
)  # fmt: skip


def show_ending(record: RunRecord, out: Path, next_steps: Sequence[Step], stream: IO[str]) -> None:
    """Print the end of a run.

    Parameters
    ----------
    out : Path
        Its folder.
    next_steps : sequence of (str, sequence of str)
        Commands that may help, each with a few words about what it does.
    """
    for line in (*linked(record.audit), *_ending(record, out, next_steps)):
        say(line, stream)


def show_audit_ending(audit: AuditRecord, release: Path, stream: IO[str]) -> None:
    """Print the end of an audit: who can be found again, and that the file must not be shared where that is so."""
    for line in linked(audit):
        say(line, stream)
    critical = any(finding.severity == "critical" for finding in audit.findings)
    if audit.verdict in ("fail", "inconclusive") or critical:
        say(_barred(audit, release), stream)


def show_approval(record: RunRecord, out: Path, stream: IO[str]) -> None:
    """Print what became of a release that somebody approved."""
    if record.approval is not None:
        said = approved(record.approval)
        say(_plain(" ".join([said.order, said.how[0]])), stream)
        say("The page and the manifest say so too.", stream)
    for line in linked(record.audit):
        say(line, stream)
    say(_share(out), stream)


def linked(audit: AuditRecord) -> Iterator[str]:
    """Yield one line where records are found again more often than by chance.

    Examples
    --------
    >>> from withhold.contracts.audit_record import Splits
    >>> from withhold.contracts.quantity import Quantity
    >>> from withhold.contracts.threats import LinkageResult
    >>> rate = Quantity(value=0.03, low=0.02, high=0.04, kind="lower_bound", unit="fraction")
    >>> audit = AuditRecord(
    ...     verdict=None, statement="", budget=None, n=1, level=0.95, panel=[], effort="quick",
    ...     splits=Splits(audit=1, folds=2), sensitive={},
    ...     linkage={"data": LinkageResult(found=rate, chance=0.001, candidates=1000)},
    ... )
    >>> list(linked(audit))
    ['30 of 1,000 released records can be matched to their original (by chance: 1).']
    """
    told = [one for one in (audit.linkage or {}).values() if (one.found.low or 0.0) > one.chance]
    for one in sorted(told, key=lambda one: -one.found.value)[:1]:
        n = one.candidates
        yield (
            f"{round(n * one.found.value):,} of {n:,} released records can be matched to their original (by chance: "
            f"{max(1, round(n * one.chance)):,})."
        )


def _ending(record: RunRecord, out: Path, next_steps: Sequence[Step]) -> Iterator[str]:
    if record.cleared or record.approval is not None:
        yield _share(out)
        return
    place = out / record.files["release"].partition("/")[0]  # an earlier version put every release into share
    if record.audit.verdict is None:
        judged = "Measured, not judged: no budget was given" if record.audit.sensitive else "Nothing was judged"
        yield f"{judged}. Do not share {place} before somebody has decided."
    else:
        yield _barred(record, place)
    approval = (
        "or approve it" if next_steps else "approve it",
        ("withhold", "approve", str(out), "--because", PLACEHOLDER),
    )
    steps = [*next_steps, *([approval] if place.name == CANDIDATE else [])]
    for words, command in steps:
        if told := aim_told(command):
            yield f"{'':<{WIDTH}} {told}"
        yield f"{words:<{WIDTH}} {shlex.join(command)}"


def _barred(record: RunRecord | AuditRecord, place: Path) -> str:
    """Return the sentence that bars a release, with the reason: the verdict, or a critical finding beside it."""
    audit = record if isinstance(record, AuditRecord) else record.audit
    told = advice(audit, all_findings(record))
    reasons = told.how if told.order.startswith("Do not share") else [told.order, *told.how]
    return f"Do not share {place}. {_plain(' '.join(reasons))}"


def _plain(text: str) -> str:
    """Return words of the page as a terminal shows them, without what the line itself says."""
    for ours, theirs in ELSEWHERE:
        text = text.replace(ours, theirs)
    return re.sub("[\u201c\u201d]", "'", text)


def _share(out: Path) -> str:
    return f"share only {out / 'share'}; {out / 'private'} stays with you"
