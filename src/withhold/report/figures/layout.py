"""Where the parts of a row chart go: beside each other on a wide page, above each other on a phone."""

from collections.abc import Sequence
from dataclasses import dataclass

from withhold.report.figures.canvas import label_units, shorten

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
