"""The one chart form of the page: labelled rows of points with error bars on a shared axis that begins at zero.

Rows are set by the browser, so that a name breaks where it must and is never cut, and places along the axis are shares
of its width: one drawing serves every screen and paper.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10
from typing import Literal

from markupsafe import Markup

# Radii in pixels: the ring of the original shows around the dot of a release that tells as much.
DOT, RING = 4.5, 7

Style = Literal["release", "raw", "control", "minor", "planted", "limit", "budget"]


@dataclass(frozen=True)
class Mark:
    """One point, with the ends of its interval if it has one."""

    value: float
    style: Style = "release"
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Row:
    """A label, its points and the same said in figures."""

    label: str
    marks: tuple[Mark, ...]
    text: str = ""
    bold: bool = False


@dataclass(frozen=True)
class Reference:
    """A vertical line through all rows, named in the key below."""

    value: float
    label: str
    colour: Literal["budget", "limit"] = "budget"
    dashed: bool = False


@dataclass(frozen=True)
class RowChart:
    """Everything a row chart shows; `draw` returns it."""

    title: str
    description: str
    rows: Sequence[Row]
    unit: str
    references: Sequence[Reference] = ()
    top: float | None = None
    key: Sequence[tuple[Style, str]] = ()

    def draw(self) -> Markup:
        """Return the chart as HTML with a small drawing in each row."""
        high = span(self)
        marks = ticks(high)
        said = escape(f"{self.title}. {self.description}", quote=True)
        lines = "".join(_row(self, row, high, marks) for row in self.rows)
        numbers = "".join(f'<span style="--x:{value / high:.4f}">{value:g}</span>' for value in marks)
        foot = (
            f'<div class="row ticks"><span></span><span class="axis">{numbers}</span><b>{escape(self.unit)}</b></div>'
        )
        named = "".join(f'<li><i class="k k-{style}"></i>{escape(label)}</li>' for style, label in self.key)
        named += "".join(f'<li><i class="k k-{one.colour}"></i>{escape(one.label)}</li>' for one in self.references)
        key = f'<ul class="key">{named}</ul>' if named else ""
        return Markup(f'<div class="rows" role="img" aria-label="{said}">{lines}{foot}</div>{key}')


def span(chart: RowChart) -> float:
    """Return the end of the axis: the largest thing drawn, or where `top` says."""
    marks = [mark for row in chart.rows for mark in row.marks]
    values = [v for m in marks for v in (m.value, m.low, m.high) if v is not None] + [r.value for r in chart.references]
    high = chart.top if chart.top is not None else 1.03 * max([*values, 0.0])
    return high if high > 0 else 1.0


def ticks(high: float, most: int = 5) -> list[float]:
    """Return round numbers from zero to `high`.

    Examples
    --------
    >>> ticks(0.43), ticks(1.0)
    ([0.0, 0.1, 0.2, 0.3, 0.4], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    """
    rough = high / most
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough * (1 - 1e-9))
    return [round(i * step, 12) for i in range(int(high / step + 1e-9) + 1)]


def _row(chart: RowChart, row: Row, high: float, marks: Sequence[float]) -> str:
    parts = [f'<line class="grid{"" if v else " zero"}" {_at(v, high)} y1="0" y2="100%"/>' for v in marks]
    parts += [
        f'<line class="l-{item.colour}{" dashed" if item.dashed else ""}" {_at(item.value, high)} y1="0" y2="100%"/>'
        for item in chart.references
    ]
    for mark in sorted(row.marks, key=lambda one: one.style == "release"):
        parts.append(_mark(mark, high))
    css = ' class="row strong"' if row.bold else ' class="row"'
    return (
        f"<div{css}><span>{escape(row.label)}</span>"
        f'<span class="axis"><svg aria-hidden="true">{"".join(parts)}</svg></span><b>{escape(row.text)}</b></div>'
    )


def _mark(mark: Mark, high: float) -> str:
    if mark.value > high:  # beyond the axis: an arrow at its end, the number stands in the text
        return f'<svg x="100%" y="50%" class="beyond m-{mark.style}"><path d="M-14 0h8M-10 -4l5 4l-5 4"/></svg>'
    drawn = ""
    if mark.low is not None and mark.high is not None:
        ends = f'x1="{_percent(mark.low, high)}" x2="{_percent(mark.high, high)}"'
        drawn = f'<line class="bar m-{mark.style}" {ends} y1="50%" y2="50%"/>'
    if mark.style in ("planted", "limit", "budget"):
        return f'{drawn}<line class="stroke m-{mark.style}" {_at(mark.value, high)} y1="5%" y2="95%"/>'
    radius = RING if mark.style == "raw" else DOT
    return f'{drawn}<circle class="m-{mark.style}" cx="{_percent(mark.value, high)}" cy="50%" r="{radius}"/>'


def _at(value: float, high: float) -> str:
    place = _percent(value, high)
    return f'x1="{place}" x2="{place}"'


def _percent(value: float, high: float) -> str:
    return f"{100 * min(max(value / high, 0.0), 1.0):.2f}%"
