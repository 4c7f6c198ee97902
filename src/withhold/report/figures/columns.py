"""What became of a column: its cells before and after, as a small drawing."""

from html import escape

from markupsafe import Markup

from withhold.contracts.audit_record import Histogram
from withhold.report.formats import count

LABELLED = 6  # up to this many cells each gets a row with its name; more become an upright histogram
WIDTH, HEIGHT = 240, 64


def histogram(name: str, histogram: Histogram) -> Markup:
    """Draw one column's cells before and after; suppressed cells say so."""
    cells = zip(histogram.labels, histogram.raw, histogram.release, strict=False)
    text = "; ".join(f"{label}: {count(raw)} before, {count(release)} after" for label, raw, release in cells)
    said = escape(f"Records in each cell of {name}, before and after. {text}", quote=True)
    drawn = _rows(histogram) if len(histogram.labels) <= LABELLED else _upright(histogram)
    return Markup(f'<div class="hist" role="img" aria-label="{said}">{drawn}</div>')


def _top(histogram: Histogram) -> int:
    return max([value for value in [*histogram.raw, *histogram.release] if value is not None] + [1])


def _rows(histogram: Histogram) -> str:
    top, lines = _top(histogram), []
    for label, raw, release in zip(histogram.labels, histogram.raw, histogram.release, strict=False):
        which = "hidden" if raw is None and release is None else "before hidden" if raw is None else "after hidden"
        note = f"<em>{which}</em>" if raw is None or release is None else ""
        before = f'<rect class="before" x="0" y="20%" width="{_share(raw, top)}" height="60%"/>' if raw else ""
        place = _share(release, top)
        after = "" if release is None else f'<line class="after" x1="{place}" x2="{place}" y1="0" y2="100%"/>'
        shown = escape(label.strip() or "(no name)")
        lines.append(
            f'<div class="cell"><span>{shown}</span><span class="axis"><svg aria-hidden="true">{before}{after}</svg>'
            f"{note}</span></div>"
        )
    return "".join(lines)


def _upright(histogram: Histogram) -> str:
    top, step = _top(histogram), WIDTH / len(histogram.labels)
    drawn = [f'<line class="grid zero" x1="0" x2="{WIDTH}" y1="{HEIGHT - 4}" y2="{HEIGHT - 4}"/>']
    for i, (raw, release) in enumerate(zip(histogram.raw, histogram.release, strict=False)):
        x, full = step * i, HEIGHT - 8
        if raw is not None:
            tall = full * raw / top
            drawn.append(
                f'<rect class="before" x="{x + 0.5:.1f}" y="{HEIGHT - 4 - tall:.1f}" width="{step - 1:.1f}" '
                f'height="{tall:.1f}"/>'
            )
        if release is not None:
            y = f"{HEIGHT - 4 - full * release / top:.1f}"
            drawn.append(f'<line class="after" x1="{x:.1f}" x2="{x + step:.1f}" y1="{y}" y2="{y}"/>')
        if raw is None or release is None:  # a dash below the axis: hidden
            middle, foot = x + step / 2, HEIGHT - 1
            drawn.append(f'<line class="hidden" x1="{middle - 2:.1f}" x2="{middle + 2:.1f}" y1="{foot}" y2="{foot}"/>')
    first, last = escape(histogram.labels[0]), escape(histogram.labels[-1])
    picture = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{"".join(drawn)}</svg>'
    return f'{picture}<div class="ends"><span>{first}</span><span>{last}</span></div>'


def _share(value: int | None, top: int) -> str:
    return f"{98 * (value or 0) / top:.1f}%"
