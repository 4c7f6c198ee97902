"""What the release is still good for: columns usable as they are, utility predicted, and columns by their damage."""

from dataclasses import dataclass

from markupsafe import Markup

from withhold.contracts.audit_record import AuditRecord, ColumnResult, UtilityResult
from withhold.report.figures.columns import histogram
from withhold.report.formats import of_people, percent, plural

SHOWN = 9  # columns drawn on the page; all are in the table of the appendix


@dataclass(frozen=True)
class Fact:
    """One statement of usefulness: what stands out, and what to compare it with."""

    value: str
    note: str


@dataclass(frozen=True)
class ColumnCard:
    """One column before and after; `damage` says in words what became of it."""

    name: str
    damage: str
    figure: Markup
    image: bool


def facts(audit: AuditRecord) -> list[Fact]:
    """Return at most four statements, utility attributes last."""
    found = []
    if audit.fidelity is not None:
        one = audit.fidelity
        what = "column usable as it is" if one.compared == 1 else "columns usable as they are"
        what += f", {len(one.absent)} left out" if one.absent else ""
        found.append(Fact(f"{one.usable} of {one.compared}", what))
    elif audit.mean_retention is not None:
        what = "of the other columns can still be read, on average"
        what = "of what differs between images can be painted again" if audit.images is not None else what
        found.append(Fact(percent(audit.mean_retention, 0), what))
    if audit.images is not None:
        found.append(Fact(percent(audit.images.change, 0), "of its range a pixel changed, on average"))
    return found + [_predicted(name, item) for name, item in list(audit.utility.items())[:2]]


def _predicted(name: str, item: UtilityResult) -> Fact:
    score = item.score
    if item.metric == "r2":
        before = "" if score.raw is None else f"; original {percent(score.raw, 0)}"
        return Fact(percent(score.release, 0), f"of the differences in “{name}” predicted (R²; guessing 0{before})")
    before = "" if score.raw is None else f"; original {round(100 * score.raw)}"
    guess = "guessing" if item.metric == "balanced_accuracy" else "naming the commonest"
    return Fact(of_people(score.release), f"predictions of “{name}” right ({guess} {round(100 * item.chance)}{before})")


def damaged(audit: AuditRecord) -> list[str]:
    """Return the names of columns, the most damaged first."""
    if audit.fidelity is not None:
        first = [name for name in audit.fidelity.columns if name in audit.columns]
        return first + [name for name in audit.columns if name not in first]
    return sorted(audit.columns, key=lambda name: _kept(audit.columns[name]))


def _kept(column: ColumnResult) -> float:
    """Return how much was kept, beyond all others where nothing was measured."""
    known = column.own_information if column.own_information is not None else column.retention
    return 2.0 if known is None else known


def cards(audit: AuditRecord) -> list[ColumnCard]:
    """Return the columns that can be drawn, the most damaged first."""
    drawn = []
    for i, name in enumerate(damaged(audit)):
        column = audit.columns[name]
        if column.histogram is not None and column.histogram.labels:
            figure = histogram(name, column.histogram)
            drawn.append(ColumnCard(name, damage(audit, name), figure, column.kind == "image"))
        if len(drawn) == SHOWN or i > 500:
            break
    return drawn


def damage(audit: AuditRecord, name: str) -> str:
    """Return in words what became of a column."""
    column, known = audit.columns[name], None if audit.fidelity is None else audit.fidelity.columns.get(name)
    kept = "" if column.retention is None else f"{percent(column.retention, 0)} kept"
    if known is None:
        return kept
    if known.usable:
        return f"usable as it is, {kept}" if kept else "usable as it is"
    said = [] if known.moved is None else [f"shares off by up to {plural(round(100 * known.moved), 'point')}"]
    if "missing_moved" in known.issues:
        said.append(f"missing {percent(known.missing_before, 0)} → {percent(known.missing_after, 0)}")
    if "pairs_broken" in known.issues and known.broken_pairs:
        said.append(plural(known.broken_pairs, "broken relation"))
    return ", ".join([*said, *([kept] if kept and not said else [])])
