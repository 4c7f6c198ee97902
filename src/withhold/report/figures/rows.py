"""The one chart form of the page: labelled rows of points with error bars on a shared axis, wide or on a phone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Literal

from markupsafe import Markup
from matplotlib.ticker import MaxNLocator

from withhold.report.figures.canvas import Canvas, label_units, shorten
from withhold.report.formats import nat

WIDE, NARROW = 760.0, 342.0  # the text column of the page at 1280 px, and a 390 px phone less its margins
UNIT = 7.4  # generous average character width at 12.5 px, so that any reader's system font fits


@dataclass(frozen=True)
class Line:
    """The words of one row: what it is about, and its figures."""

    label: str
    text: str
    bold: bool = False


@dataclass(frozen=True)
class Layout:
    """Measures of a row chart in CSS pixels; offsets are from the top of a row.

    Attributes
    ----------
    left, right : float
        Ends of the axis.
    pitch : float
        Height of a row.
    label_x, label_y, anchor : float, float, str
        Where a row's label stands.
    text_y, mark_y : float
        Where its figures and its points stand.
    band : tuple of float or None
        The part of a row that lines may cross; None: all of it.
    rooms : tuple of float
        Width that each label may take.
    """

    width: float
    left: float
    right: float
    pitch: float
    label_x: float
    label_y: float
    anchor: str
    text_y: float
    mark_y: float
    band: tuple[float, float] | None
    rooms: tuple[float, ...]

    def bands(self, head: float, bottom: float) -> list[tuple[float, float]]:
        """Return the heights between which vertical lines are drawn: none strikes through a word."""
        if self.band is None:
            return [(head - 4, bottom)]
        return [
            (head + self.pitch * i + self.band[0], head + self.pitch * i + self.band[1]) for i in range(len(self.rooms))
        ]


def text_width(text: str, bold: bool = False) -> float:
    """Return the width to keep free for a text at 12.5 px.

    Examples
    --------
    >>> text_width("aaaa") == 4 * UNIT
    True
    """
    return label_units(text) * UNIT * (1.1 if bold else 1.0)


def wide(lines: Sequence[Line]) -> Layout:
    """Return the layout with labels left of the axis and figures right of it.

    Examples
    --------
    >>> layout = wide([Line("age", "0.1")])
    >>> 0 < layout.label_x < layout.left < layout.right < layout.width
    True
    """
    labels = min(max([text_width(line.label, line.bold) for line in lines], default=0.0) + 16, 250.0)
    texts = max([text_width(line.text, line.bold) for line in lines], default=0.0)
    rooms = (labels - 14,) * len(lines)
    return Layout(WIDE, labels + 6, WIDE - texts - 22, 27.0, labels - 10, 18.0, "right", 18.0, 13.5, None, rooms)


def narrow(lines: Sequence[Line]) -> Layout:
    """Return the layout with labels and figures above the points; long labels get a line of their own.

    Examples
    --------
    >>> narrow([Line("age", "0.1")]).pitch < narrow([Line("age" * 30, "0.1")]).pitch
    True
    """
    rooms = tuple(NARROW - text_width(line.text, line.bold) - 12 for line in lines)
    lift = 0.0
    if any(text_width(line.label, line.bold) > room for line, room in zip(lines, rooms, strict=True)):
        rooms, lift = (NARROW,) * len(lines), 16.0
    band = (lift + 18, lift + 36)
    return Layout(NARROW, 9.0, NARROW - 9.0, 40.0 + lift, 0.0, 13.0, "left", lift + 13, lift + 27, band, rooms)


def names(lines: Sequence[Line], rooms: Sequence[float]) -> list[str]:
    """Return labels that fit; long ones that would look alike when cut are numbered, as their rows are.

    Examples
    --------
    >>> names([Line("income_" * 9 + end, "") for end in ("a_last_year", "b_last_year")], [150.0] * 2)
    ['1: income_i…st_year', '2: income_i…st_year']
    """
    sizes = [room / text_width("x", line.bold) for line, room in zip(lines, rooms, strict=True)]
    cut = [shorten(line.label, size) for line, size in zip(lines, sizes, strict=True)]
    return [
        name if cut.count(name) == 1 else f"{i + 1}: {shorten(line.label, size - len(f'{i + 1}: '))}"
        for i, (name, line, size) in enumerate(zip(cut, lines, sizes, strict=True))
    ]


Style = Literal["release", "raw", "control", "minor", "own", "planted", "limit", "chance"]

# marker, colour, size, filled
MARKERS: dict[Style, tuple[str, str, float, bool]] = {
    "release": ("o", "release", 9.0, True),
    "raw": ("o", "raw", 11.5, False),
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
        lines = [Line(row.label, row.text, row.bold) for row in self.rows]
        drawn = Markup("")
        for css_class, layout in (("wide", wide(lines)), ("narrow", narrow(lines))):
            canvas = _drawing(self, f"{self.name}-{css_class[0]}", lines, layout)
            drawn += canvas.svg(self.title, self.description, css_class)
        return drawn


def span(chart: RowChart) -> tuple[float, float]:
    """Return the ends of the axis: zero, or what lies below it, to the largest thing drawn."""
    marks = [mark for row in chart.rows for mark in row.marks]
    values = [v for m in marks for v in (m.value, m.low, m.high) if v is not None] + [r.value for r in chart.references]
    high = chart.top if chart.top is not None else 1.03 * max([*values, 0.0])
    high = high if high > 0 else 1.0
    low = min([*values, 0.0])
    return (low if low >= 0 else low - 0.01 * high), high


def _drawing(chart: RowChart, name: str, lines: Sequence[Line], layout: Layout) -> Canvas:
    head = 18.0 * len(chart.references) + 8
    bottom = head + layout.pitch * len(chart.rows) + 2
    canvas = Canvas(name, layout.width, bottom + 34)
    low, high = span(chart)

    def place(value: float) -> float:
        inside = min(max(value, low), high)
        return layout.left + (layout.right - layout.left) * (inside - low) / (high - low)

    bands = layout.bands(head, bottom)
    _axis(canvas, chart, (low, high), place, bands, bottom)
    _references(canvas, chart.references, place, bands)
    for i, (row, label) in enumerate(zip(chart.rows, names(lines, layout.rooms), strict=True)):
        y = head + layout.pitch * i
        canvas.text(layout.label_x, y + layout.label_y, label, anchor=layout.anchor, bold=row.bold)
        canvas.text(layout.width, y + layout.text_y, row.text, anchor="right", bold=row.bold)
        _marks(canvas, row, y + layout.mark_y, place, high)
    return canvas


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
    room = canvas.width - text_width(chart.unit) - 6
    for value in MaxNLocator(nbins=4 if canvas.width == NARROW else 6, steps=[1, 2, 2.5, 5, 10]).tick_values(0.0, high):
        if not low - 1e-12 <= value <= high + 1e-12:
            continue
        x = place(value)
        zero = abs(value) < 1e-12
        for band in bands:
            canvas.line([x, x], band, "axis" if zero else "rule", 1.2 if zero else 1.0)
        text = "0" if zero else chart.tick(value)
        half = text_width(text) / 2
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
    fits = all(place(item.value) + 6 + _tight(item.label) <= canvas.width for item in references)
    ordered = sorted(references, key=lambda item: item.value, reverse=not fits)
    for i, item in enumerate(ordered):
        x, y, dash = place(item.value), 18.0 * i + 12, (4.0, 3.0) if item.dashed else None
        length = _tight(item.label)
        right = fits or x - 6 - length < 0
        foot = bands[0][0] if len(bands) == 1 else 18.0 * len(references) + 6
        canvas.line([x, x], [y - 10, foot], item.colour, 1.5, dash)
        for band in bands:
            canvas.line([x, x], band, item.colour, 1.5, dash)
        canvas.text(x + 6 if right else x - 6, y, item.label, item.colour, 12, "left" if right else "right")


def _tight(label: str) -> float:
    """Return the width of a reference's name: lower case at 12 px, narrower than what is kept free elsewhere."""
    return 0.87 * text_width(label)


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
