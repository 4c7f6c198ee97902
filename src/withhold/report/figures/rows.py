"""The one chart form of the page: labelled rows of points with error bars on a shared axis that starts at zero.

Each figure is drawn twice: wide, with labels beside the rows, and narrow, with labels above them, for phones. The
page's style sheet shows one of the two.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Literal

from markupsafe import Markup
from matplotlib.ticker import MaxNLocator

from withhold.report.figures.canvas import Canvas, label_units, shorten
from withhold.report.formats import nat

Style = Literal["release", "raw", "control", "minor", "own", "planted", "limit", "chance"]

WIDE, NARROW = 760.0, 342.0  # the text column of the page at 1280 px, and a 390 px phone less its margins
UNIT = 7.4  # generous average character width at 12.5 px, so that any reader's system font fits

# marker, colour, size, filled
MARKERS: dict[Style, tuple[str, str, float, bool]] = {
    "release": ("o", "release", 9.0, True),
    "raw": ("o", "raw", 9.0, False),
    "control": ("D", "raw", 6.0, True),
    "minor": ("o", "release", 6.5, False),
    "own": ("s", "budget", 6.0, False),
    "planted": ("|", "ink", 13.0, False),
    "limit": ("|", "limit", 15.0, False),
    "chance": ("|", "raw", 13.0, False),
}


@dataclass(frozen=True)
class Mark:
    """One point, with the ends of its interval if it has one."""

    value: float
    style: Style = "release"
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Row:
    """A label, its points and the same said in figures. `joined` draws a line through the points."""

    label: str
    marks: tuple[Mark, ...]
    text: str = ""
    joined: bool = False
    bold: bool = False


@dataclass(frozen=True)
class Reference:
    """A vertical line through all rows, named above the plot."""

    value: float
    label: str
    colour: Literal["budget", "limit", "soft"] = "budget"
    dashed: bool = False


@dataclass(frozen=True)
class RowChart:
    """Everything a row chart shows; `draw` returns the wide and the narrow drawing."""

    name: str
    title: str
    description: str
    rows: Sequence[Row]
    unit: str
    references: Sequence[Reference] = ()
    top: float | None = None
    tick: Callable[[float], str] = field(default=nat)

    def draw(self) -> Markup:
        """Return both drawings."""
        wide = _drawing(self, f"{self.name}-w", WIDE, stacked=False)
        return wide.svg(self.title, self.description, "wide") + _drawing(
            self, f"{self.name}-n", NARROW, stacked=True
        ).svg(self.title, self.description, "narrow")


def span(chart: RowChart) -> tuple[float, float]:
    """Return the ends of the axis: zero, or what lies below it, to the largest thing drawn."""
    marks = [mark for row in chart.rows for mark in row.marks]
    values = [v for m in marks for v in (m.value, m.low, m.high) if v is not None] + [r.value for r in chart.references]
    high = chart.top if chart.top is not None else 1.03 * max([*values, 0.0])
    high = high if high > 0 else 1.0
    low = min([*values, 0.0])
    return (low if low >= 0 else low - 0.01 * high), high


def _drawing(chart: RowChart, name: str, width: float, stacked: bool) -> Canvas:
    texts = max([_length(row.text, row.bold) for row in chart.rows] + [0.0])
    labels = 0.0 if stacked else min(max([_length(row.label, row.bold) for row in chart.rows] + [0.0]) + 16, 250.0)
    left, right = (9.0, width - 9.0) if stacked else (labels + 6, width - texts - 22)
    pitch, head = (40.0 if stacked else 27.0), 18.0 * len(chart.references) + 8
    bottom = head + pitch * len(chart.rows) + 2
    canvas = Canvas(name, width, bottom + 34)
    low, high = span(chart)

    def place(value: float) -> float:
        return left + (right - left) * (min(max(value, low), high) - low) / (high - low)

    # On phones the lines leave out the labels above each row: nothing may strike through a word.
    tops = [head + pitch * i for i in range(len(chart.rows))]
    bands = [(top + 18, top + 36) for top in tops] if stacked else [(head - 4, bottom)]
    _axis(canvas, chart, (low, high), place, bands, bottom)
    _references(canvas, chart.references, place, bands)
    for i, row in enumerate(chart.rows):
        base = head + pitch * i
        if stacked:
            room = width - _length(row.text, row.bold) - 12
            canvas.text(0, base + 13, _fit(row, room), bold=row.bold)
            y = base + 27
        else:
            y = base + pitch / 2
            canvas.text(labels - 10, y + 4.5, _fit(row, labels - 14), anchor="right", bold=row.bold)
        canvas.text(width, base + 13 if stacked else y + 4.5, row.text, anchor="right", bold=row.bold)
        _marks(canvas, row, y, place, high)
    return canvas


def _length(text: str, bold: bool = False) -> float:
    return label_units(text) * UNIT * (1.1 if bold else 1.0)


def _fit(row: Row, room: float) -> str:
    return shorten(row.label, room / _length("x", row.bold))


def _axis(
    canvas: Canvas,
    chart: RowChart,
    ends: tuple[float, float],
    place: Callable[[float], float],
    bands: Sequence[tuple[float, float]],
    bottom: float,
) -> None:
    low, high = ends
    end = -1e9
    room = canvas.width - _length(chart.unit) - 6
    for value in MaxNLocator(nbins=4 if canvas.width == NARROW else 6, steps=[1, 2, 2.5, 5, 10]).tick_values(0.0, high):
        if not low - 1e-12 <= value <= high + 1e-12:
            continue
        x = place(value)
        zero = abs(value) < 1e-12
        for band in bands:
            canvas.line([x, x], band, "axis" if zero else "rule", 1.2 if zero else 1.0)
        text = "0" if zero else chart.tick(value)
        half = label_units(text) * UNIT / 2
        if x - half > end and x + half < room:
            # The number at the left edge of a phone would otherwise stick out of the drawing.
            canvas.text(max(x, half), bottom + 17, text, "soft", 11.5, "center")
            end = x + half
    canvas.line([place(low), place(high)], [bottom, bottom], "axis")
    canvas.text(canvas.width, bottom + 17, chart.unit, "soft", 11.5, "right")


def _references(
    canvas: Canvas,
    references: Sequence[Reference],
    place: Callable[[float], float],
    bands: Sequence[tuple[float, float]],
) -> None:
    """Draw the lines and name each on a line of its own above the plot, so that no line crosses another's name."""
    fits = all(place(item.value) + 6 + _length(item.label) <= canvas.width for item in references)
    ordered = sorted(references, key=lambda item: item.value, reverse=not fits)
    for i, item in enumerate(ordered):
        x, y, dash = place(item.value), 18.0 * i + 12, (4.0, 3.0) if item.dashed else None
        length = _length(item.label)
        right = fits or x - 6 - length < 0
        foot = bands[0][0] if len(bands) == 1 else 18.0 * len(references) + 6
        canvas.line([x, x], [y - 10, foot], item.colour, 1.5, dash)
        for band in bands:
            canvas.line([x, x], band, item.colour, 1.5, dash)
        canvas.text(x + 6 if right else x - 6, y, item.label, item.colour, 12, "left" if right else "right")


def _marks(canvas: Canvas, row: Row, y: float, place: Callable[[float], float], high: float) -> None:
    if row.joined and row.marks:
        ends = [place(mark.value) for mark in row.marks]
        canvas.line([min(ends), max(ends)], [y, y], "axis", 1.2)
    for mark in sorted(row.marks, key=lambda m: m.style == "release"):
        shape, colour, size, filled = MARKERS[mark.style]
        if mark.value > high:  # beyond the axis: an arrow at its end, the number stands in the text
            canvas.line([place(high) - 16, place(high) - 4], [y, y], colour, 2.0)
            canvas.dot(place(high) - 3, y, ">", colour, 6.0)
            continue
        if mark.low is not None and mark.high is not None:
            low, high = place(mark.low), place(mark.high)
            xs, up, down = [low, low, nan, low, high, nan, high, high], y - 4, y + 4
            canvas.line(xs, [up, down, nan, y, y, nan, up, down], colour, 1.8)
        canvas.dot(place(mark.value), y, shape, colour, size, filled)
