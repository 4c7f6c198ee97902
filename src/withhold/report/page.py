"""The report: one HTML file that needs nothing else, made from a record and templates that travel with the package.

First a decision: the verdict, what to do, three risks, what the release is good for. Then what to know before acting on
it. Numbers for whoever checks the work are folded below.
"""

from dataclasses import dataclass

from markupsafe import Markup, escape

import withhold.report.decision as decision
import withhold.report.findings as findings
import withhold.report.formats as formats
import withhold.report.prose as prose
import withhold.report.tables as tables
import withhold.report.usefulness as usefulness
from withhold.contracts.audit_record import AuditRecord, SensitiveResult
from withhold.contracts.budgets import JOINT
from withhold.contracts.image_record import MeanImages
from withhold.contracts.run_record import RunRecord
from withhold.report.crowds import crowds
from withhold.report.environment import environment
from withhold.report.figures import curves, leakage
from withhold.report.glossary import GLOSSARY

HEIGHT = 840  # pixels of the page in a notebook


@dataclass(frozen=True)
class AttributePart:
    """What the appendix shows about one hidden attribute."""

    name: str
    result: SensitiveResult
    readings: Markup
    attackers: Markup
    plants: Markup


def render(record: RunRecord | AuditRecord, *, small: bool = False) -> str:
    """Return the report on a run or an audit as one HTML document.

    The page holds what the record holds, formatted and drawn: nothing is computed and nothing is fetched.

    Parameters
    ----------
    record : RunRecord or AuditRecord
        Any optional part may be missing; the page says what was not measured where that matters.
    small : bool, default=False
        The first page alone.

    Returns
    -------
    str
        A complete HTML document with inline style and SVG, without scripts.

    Examples
    --------
    >>> from withhold.contracts.audit_record import Splits
    >>> audit = AuditRecord(
    ...     verdict=None, statement="Nothing was hidden.", budget=None, n=100, level=0.95, panel=["logistic"],
    ...     effort="quick", splits=Splits(audit=100, folds=5), sensitive={},
    ... )
    >>> page = render(audit)
    >>> page.startswith("<!doctype html>"), "Nothing was hidden." in page
    (True, True)
    """
    run = record if isinstance(record, RunRecord) else None
    audit = record.audit if isinstance(record, RunRecord) else record
    found = findings.all_findings(record)
    groups = findings.ranked(found)
    cards = usefulness.cards(audit)
    guarantee, approval = (run.method.guarantee, run.approval) if run else (None, None)
    page = environment().get_template("page.html.j2")
    return page.render(
        run=run,
        audit=audit,
        small=small,
        created=audit.created or (run.created if run else ""),
        headline=decision.headline(audit),
        advice=decision.advice(audit, found) if approval is None else decision.approved(approval),
        lamps=decision.lamps(audit, found),
        scope=decision.scope(audit),
        promise=guarantee.claim if guarantee and audit.claim == "any_attacker" else "",
        crowds=crowds(audit),
        overview=leakage.overview(audit) if audit.sensitive else "",
        useful=usefulness.facts(audit),
        findings=groups,
        grave=next((some for severity, _, some in groups if severity == "critical"), []),
        parts=[_part(name, result, audit) for name, result in audit.sensitive.items()],
        grouped=[_part(name, result, audit) for name, result in audit.sensitive.items() if len(result.groups) > 1],
        cards=cards,
        drawn=[card.name for card in cards],
        order=usefulness.damaged(audit),
        curves=_curves(audit, run),
        images=_images(audit),
        possible=_possible(audit, run),
        tables=tables,
        most_drawn=leakage.MOST_DRAWN,
        limits=prose.limits(audit, run),
        shown=prose.SHOWN,
        glossary=GLOSSARY,
        guarantee=prose.guarantee(guarantee) if run else [],
        settings=prose.settings(run) if run else [],
        diagnostics=prose.diagnostics(run) if run else [],
        provenance=prose.provenance(audit, run),
    )


def in_notebook(record: RunRecord | AuditRecord) -> str:
    """Return the first page as a notebook shows it: in a frame of its own, where its style ends and nothing runs.

    Examples
    --------
    >>> from withhold.contracts.audit_record import Splits
    >>> audit = AuditRecord(
    ...     verdict=None, statement="", budget=None, n=100, level=0.95, panel=[], effort="quick",
    ...     splits=Splits(audit=100, folds=5), sensitive={},
    ... )
    >>> in_notebook(audit).startswith('<iframe sandbox=""')
    True
    """
    style = f"width: 100%; height: {HEIGHT}px; border: 0"
    page = escape(render(record, small=True))
    return f'<iframe sandbox="" style="{style}" title="Report of withhold" srcdoc="{page}"></iframe>'


def _part(name: str, result: SensitiveResult, audit: AuditRecord) -> AttributePart:
    shown, nothing = formats.called(name, list(audit.sensitive)), Markup("")
    return AttributePart(
        shown,
        result,
        leakage.readings(shown, result, audit.budget_of(name), audit.utility_in_release),
        leakage.attackers(shown, result, audit.budget_of(name)) if result.attackers else nothing,
        leakage.plants(shown, result) if result.plants else nothing,
    )


def _possible(audit: AuditRecord, run: RunRecord | None) -> Markup:
    """Draw what is possible, where the bounds say anything at all."""
    if run is None or run.possible is None or run.possible.vacuous or not any(run.possible.lower_bound):
        return Markup("")
    hidden = run.possible.sensitive
    budget = audit.budget_of(hidden[0] if len(hidden) == 1 else JOINT)
    return curves.possible(run.possible, budget, run.landed)


def _images(audit: AuditRecord) -> list[tuple[str, list[MeanImages]]]:
    """Return the mean images by attribute; a page that is shared shows no classes of what is hidden."""
    means = [] if audit.images is None else audit.images.classes
    names = dict.fromkeys(m.attribute for m in means if m.attribute not in audit.sensitive)
    return [(name, [m for m in means if m.attribute == name]) for name in names]


def _curves(audit: AuditRecord, run: RunRecord | None) -> list[tuple[str, list[tuple[str, str]], Markup]]:
    if run is None:
        return []
    lead = decision.leading(audit)
    most = run.method.diagnostics.get("maximum_leakage")
    if most is None and lead is not None and lead[1].kind == "categorical":
        most = lead[1].entropy
    drawn = []
    for name, values in run.method.curves.items():
        # The method's own estimate of the leakage is shown against what fresh attackers found, and a discriminator's
        # loss against that of one that knows nothing: a loss above it is a sign of failure.
        estimate = any(word in name for word in ("estimate", "leakage"))
        loss = "discriminator" in name
        audited = lead[1].leakage_total.value if lead is not None and estimate else None
        maximum = most if estimate or loss else None
        if values:
            notes = [] if audited is None else [("audited", f"dashed: audited afterwards, {formats.nat(audited)} nat")]
            if maximum is not None:
                meaning = "a loss above it is worse than knowing nothing" if loss else "all there is to know"
                notes.append(("limit", f"solid line: theoretical maximum {formats.nat(maximum)} nat, {meaning}"))
            title = formats.words(name) + (", the game's own estimate" if estimate else "")
            drawn.append((title, notes, curves.curve(name, values, audited, maximum)))
    return drawn
