"""The report: one HTML file that needs nothing else, made from a record and templates that travel with the package."""

from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import withhold.report.formats as formats
import withhold.report.prose as prose
import withhold.report.tables as tables
import withhold.report.tables as threats
import withhold.report.verdict as verdict
from withhold.contracts.audit_record import AuditRecord, SensitiveResult
from withhold.contracts.finding import Finding
from withhold.contracts.image_record import MeanImages
from withhold.contracts.run_record import RunRecord
from withhold.report.figures import columns as histograms
from withhold.report.figures import columns as retention
from withhold.report.figures import curves, leakage
from withhold.report.figures import curves as possible

SEVERITIES = (
    ("critical", "Critical: do not share the release as it is"),
    ("warning", "Read before sharing"),
    ("info", "For information"),
)


@dataclass(frozen=True)
class AttributePart:
    """What the page shows about one hidden attribute."""

    name: str
    anchor: str
    result: SensitiveResult
    readings: Markup
    attackers: Markup
    plants: Markup
    groups: Markup


@dataclass(frozen=True)
class ColumnCard:
    """One column before and after."""

    name: str
    kind: str
    kept: str
    own: str
    figure: Markup
    cells: tables.Table


def render(record: RunRecord | AuditRecord) -> str:
    """Return the report on a run or an audit as one HTML document.

    The page holds what the record holds, formatted and drawn: nothing is computed and nothing is fetched.

    Parameters
    ----------
    record : RunRecord or AuditRecord
        Any optional part may be missing; the page says what was not measured where that matters.

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
    findings = list(dict.fromkeys([*audit.findings, *(run.method.findings if run else [])]))
    environment = Environment(
        loader=PackageLoader("withhold.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        nat=formats.nat, quantity=formats.quantity, percent=formats.percent, share=formats.share, count=formats.count,
        words=formats.words, plural=formats.plural, moment=formats.moment,
    )  # fmt: skip
    landed = None if run is None or run.landed is None else (run.landed.leaked, run.landed.lost)
    return environment.get_template("page.html.j2").render(
        run=run,
        audit=audit,
        headline=verdict.headline(audit),
        facts=verdict.facts(audit, findings),
        lead=verdict.leading(audit),
        overview=leakage.overview(audit) if audit.sensitive else "",
        parts=[_part(i, name, result, audit) for i, (name, result) in enumerate(audit.sensitive.items())],
        utility=retention.utility(audit) if audit.utility else "",
        retention=retention.retention(audit) if _any_kept(audit) else "",
        cards=[*_cards(audit)],
        findings=_grouped(findings),
        curves=_curves(audit, run),
        landed=landed,
        images=_images(audit),
        possible=possible.possible(run.possible, audit.budget, landed) if run and run.possible else "",
        tables=tables,
        threats=threats,
        most_drawn=leakage.MOST_DRAWN,
        limits=prose.limits(audit, run),
        glossary=prose.GLOSSARY,
        guarantee=prose.guarantee(run.method.guarantee) if run else [],
        settings=prose.settings(run) if run else [],
        diagnostics=prose.diagnostics(run) if run else [],
        provenance=prose.provenance(audit, run),
    )


def _part(number: int, name: str, result: SensitiveResult, audit: AuditRecord) -> AttributePart:
    key, nothing = f"s{number}", Markup("")
    return AttributePart(
        name,
        key,
        result,
        leakage.readings(name, result, key, audit.budget, audit.utility_in_release),
        leakage.attackers(name, result, key, audit.budget) if result.attackers else nothing,
        leakage.plants(name, result, key) if result.plants else nothing,
        leakage.groups(name, result, key, audit.budget) if result.groups else nothing,
    )


def _images(audit: AuditRecord) -> list[tuple[str, list[MeanImages]]]:
    """Return the mean images by attribute, in the order of the record."""
    means = [] if audit.images is None else audit.images.classes
    return [(name, [m for m in means if m.attribute == name]) for name in dict.fromkeys(m.attribute for m in means)]


def _any_kept(audit: AuditRecord) -> bool:
    return any(c.retention is not None or c.own_information is not None for c in audit.columns.values())


def _cards(audit: AuditRecord) -> list[ColumnCard]:
    return [
        ColumnCard(
            name,
            formats.words(column.kind),
            formats.percent(column.retention, 0),
            formats.percent(column.own_information, 0),
            histograms.histogram(name, column.histogram, f"h{i}"),
            tables.cells(name, column.histogram),
        )
        for i, (name, column) in enumerate(audit.columns.items())
        if column.histogram is not None and column.histogram.labels
    ]


def _grouped(findings: list[Finding]) -> list[tuple[str, str, list[Finding]]]:
    groups = ((key, title, [item for item in findings if item.severity == key]) for key, title in SEVERITIES)
    return [group for group in groups if group[2]]


def _curves(audit: AuditRecord, run: RunRecord | None) -> list[tuple[str, list[tuple[str, str]], Markup]]:
    if run is None:
        return []
    lead = verdict.leading(audit)
    most = run.method.diagnostics.get("maximum_leakage")
    if most is None and lead is not None and lead[1].kind == "categorical":
        most = lead[1].entropy
    drawn = []
    for i, (name, values) in enumerate(run.method.curves.items()):
        # The method's own estimate of the leakage is shown against what fresh attackers found, and a discriminator's
        # loss against that of one that knows nothing: a loss above it is a sign of failure.
        estimate = any(word in name for word in ("estimate", "leakage"))
        loss = "discriminator" in name
        audited = lead[1].leakage.value if lead is not None and estimate else None
        maximum = most if estimate or loss else None
        if values:
            notes = [] if audited is None else [("audited", f"dashed: audited afterwards, {formats.nat(audited)} nat")]
            if maximum is not None:
                meaning = "a loss above it is worse than knowing nothing" if loss else "all there is to know"
                notes.append(("limit", f"solid line: theoretical maximum {formats.nat(maximum)} nat, {meaning}"))
            title = formats.words(name) + (", the game's own estimate" if estimate else "")
            drawn.append((title, notes, curves.curve(name, values, f"c{i}", audited, maximum)))
    return drawn
