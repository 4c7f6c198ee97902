"""What became of columns: how much of each was kept, and how its distribution changed."""

from markupsafe import Markup

from withhold.contracts.audit_record import AuditRecord, ColumnResult, Histogram
from withhold.report.figures.canvas import Canvas, label_units, shorten
from withhold.report.figures.rows import Mark, Row, RowChart, Style
from withhold.report.formats import NONE, count, percent, score

WIDTH = 236.0
LABELLED = 8  # up to this many cells each gets a row with its name; more become an upright histogram


def histogram(name: str, histogram: Histogram, key: str) -> Markup:
    """Draw one column's cells before and after; suppressed cells say so."""
    canvas = _rows(histogram, key) if len(histogram.labels) <= LABELLED else _upright(histogram, key)
    cells = zip(histogram.labels, histogram.raw, histogram.release, strict=False)
    text = "; ".join(f"{label}: {count(raw)} before, {count(release)} after" for label, raw, release in cells)
    return canvas.svg(f"Records in each cell of {name}, before and after", text, "hist")


def _top(histogram: Histogram) -> int:
    return max([value for value in [*histogram.raw, *histogram.release] if value is not None] + [1])


def _rows(histogram: Histogram, key: str) -> Canvas:
    pitch = 21.0
    labels = min(max([label_units(label) for label in histogram.labels] + [1.0]) * 6.4 + 10, 110.0)
    canvas = Canvas(key, WIDTH, pitch * len(histogram.labels) + 2)
    full = (WIDTH - labels - 8) / _top(histogram)
    for i, (label, raw, release) in enumerate(zip(histogram.labels, histogram.raw, histogram.release, strict=False)):
        y = pitch * i
        canvas.text(0, y + 15, shorten(label, (labels - 8) / 6.4), "soft", 11.5)
        canvas.line([labels, labels], [y, y + pitch], "axis")
        if raw is not None:
            canvas.box(labels, y + 4, raw * full, pitch - 8)
        if release is not None:
            x = labels + release * full
            canvas.line([x, x], [y + 1.5, y + pitch - 1.5], "release", 3.0)
        if raw is None or release is None:
            which = "hidden" if raw is None and release is None else "before hidden" if raw is None else "after hidden"
            start = labels + max(raw or 0, release or 0) * full + 7
            fits = start + label_units(which) * 6.4 <= WIDTH
            canvas.text(start if fits else WIDTH, y + 15, which, "soft", 11, "left" if fits else "right")
    return canvas


def _upright(histogram: Histogram, key: str) -> Canvas:
    height, base = 116.0, 92.0
    canvas = Canvas(key, WIDTH, height)
    cells = len(histogram.labels)
    step, full = WIDTH / cells, (base - 6) / _top(histogram)
    for i, (raw, release) in enumerate(zip(histogram.raw, histogram.release, strict=False)):
        x = step * i
        if raw is not None:
            canvas.box(x + 0.5, base - raw * full, step - 1, raw * full)
        if release is not None:
            canvas.line([x, x + step], [base - release * full] * 2, "release", 2.5)
        if raw is None or release is None:
            canvas.line([x + step / 2 - 1.5, x + step / 2 + 1.5], [base + 4, base + 4], "soft", 3.0)
    canvas.line([0, WIDTH], [base, base], "axis")
    half = (WIDTH / 2 - 8) / 6.4
    canvas.text(0, base + 18, shorten(histogram.labels[0], half), "soft", 11)
    canvas.text(WIDTH, base + 18, shorten(histogram.labels[-1], half), "soft", 11, "right")
    return canvas


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
