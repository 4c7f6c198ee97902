"""How the distribution of one column changed: raw as filled bars, the release as a line across each cell."""

from markupsafe import Markup

from withhold.contracts.audit_record import Histogram
from withhold.report.figures.canvas import Canvas, label_units, shorten
from withhold.report.formats import count

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
