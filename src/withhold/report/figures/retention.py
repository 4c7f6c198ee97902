"""What was kept: utility on raw data and release, and each column's retention."""

from markupsafe import Markup

from withhold.contracts.audit_record import AuditRecord, ColumnResult
from withhold.report.figures.rows import Mark, Row, RowChart, Style
from withhold.report.formats import NONE, percent, score


def utility(audit: AuditRecord) -> Markup:
    """Draw one row per utility attribute: chance, raw, release."""
    rows = []
    for name, result in audit.utility.items():
        marks = [Mark(result.chance, "chance")]
        text = score(result.score.release, result.metric)
        if result.score.raw is not None:
            marks.append(Mark(result.score.raw, "raw"))
            text = f"{score(result.score.raw, result.metric)} → {text}"
        marks.append(Mark(result.score.release, "release"))
        rows.append(Row(name, tuple(marks), text))
    return RowChart(
        "utility",
        "How well utility attributes are predicted, from raw data and from the release",
        "; ".join(f"{row.label}: {row.text}" for row in rows),
        rows,
        "score",
        top=1.0,
        tick=lambda value: percent(value, 0),
    ).draw()


def retention(audit: AuditRecord) -> Markup:
    """Draw one row per column, the best kept first, with the means on top."""
    rows = [
        Row(name, _marks(column.retention, column.own_information), _text(column.retention, column.own_information))
        for name, column in sorted(audit.columns.items(), key=_best_first)
        if column.retention is not None or column.own_information is not None
    ]
    if audit.mean_retention is not None or audit.mean_own_information is not None:
        means = (audit.mean_retention, audit.mean_own_information)
        rows.insert(0, Row("mean of all columns", _marks(*means), _text(*means), bold=True))
    return RowChart(
        "retention",
        "How much of each column is kept",
        "; ".join(f"{row.label}: {row.text}" for row in rows),
        rows,
        "kept",
        top=1.0,
        tick=lambda value: percent(value, 0),
    ).draw()


def _best_first(pair: tuple[str, ColumnResult]) -> float:
    return 1.0 if pair[1].retention is None else -pair[1].retention


def _marks(kept: float | None, own: float | None) -> tuple[Mark, ...]:
    pairs: tuple[tuple[float | None, Style], ...] = ((own, "own"), (kept, "release"))
    return tuple(Mark(value, style) for value, style in pairs if value is not None)


def _text(kept: float | None, own: float | None) -> str:
    first = NONE if kept is None else percent(kept, 0)
    return first if own is None else f"{first} · {percent(own, 0)}"
