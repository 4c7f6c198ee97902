"""A matplotlib figure measured in CSS pixels that becomes a self-contained piece of inline SVG.

Text stays text (the reader's system font, selectable, readable aloud), colours become CSS variables (so that one
drawing serves light, dark and paper), and identifiers are deterministic and unique within the page.
"""

import io
import re
import unicodedata
import warnings
from collections.abc import Sequence
from html import escape

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

# Colour of the light theme -> CSS variable that replaces it. The names say the role; values are also the fallback
# for a figure copied out of the page. Blue and vermilion are Okabe and Ito's pair, darkened to 4.5 : 1 on paper.
COLOURS = {
    "ink": "#1d1c1a",
    "soft": "#5d5a54",
    "rule": "#e4e1d9",
    "axis": "#8d8a83",
    "paper": "#fdfcf9",
    "release": "#0b62a6",
    "raw": "#6b6862",
    "budget": "#b5410a",
    "limit": "#7a4b8c",
    "fill": "#d8d4ca",
}
DPI = 72  # one SVG user unit is one point at 72 dpi: a figure of w/72 inches has a view box of w units


def label_units(text: str) -> float:
    """Width of a text in average character widths, wide and capital letters counted for more.

    Examples
    --------
    >>> label_units("age"), label_units("年齢")
    (3.0, 4.0)
    """
    units = 0.0
    for char in text:
        if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn"):
            continue
        if unicodedata.east_asian_width(char) in ("W", "F"):
            units += 2.0
        elif char in "mwMW@%&" or (char.isupper() and char != "I") or not char.isascii():
            units += 1.35
        else:
            units += 1.0
    return units


def shorten(text: str, units: float) -> str:
    """Return `text` on one line within `units` average character widths, cut in the middle if it must be.

    Names of columns often differ at the end ("..._2019", "..._2020"), so both ends stay.

    Examples
    --------
    >>> shorten("age", 10)
    'age'
    >>> shorten("capital_gain_before_tax", 12)
    'capit…e_tax'
    """
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split()) or "(no name)"
    if label_units(text) <= units:
        return text
    head, tail = "", ""
    for i in range(len(text)):
        if label_units(head + text[i]) + label_units(tail) + 1.35 > units:
            break
        head += text[i]
        if label_units(head) + label_units(text[-1 - i] + tail) + 1.35 > units:
            break
        tail = text[-1 - i] + tail
    return f"{head}…{tail}"


class Canvas:
    """A drawing surface of `width` by `height` CSS pixels, y pointing down.

    Parameters
    ----------
    name : str
        Unique on the page: seeds the identifiers.
    width, height : float
        Size in CSS pixels at which the figure is meant to be seen.
    """

    def __init__(self, name: str, width: float, height: float) -> None:
        self.name, self.width, self.height = name, width, height
        self._figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
        FigureCanvasSVG(self._figure)
        self._figure.patch.set_visible(False)
        self._flip = Affine2D().scale(1, -1).translate(0, height)  # no axes: pixels are the coordinates

    def line(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        colour: str = "rule",
        width: float = 1.0,
        dash: tuple[float, ...] | None = None,
    ) -> None:
        """Draw a polyline; NaN lifts the pen."""
        style = "-" if dash is None else (0, dash)
        self._figure.add_artist(
            Line2D(xs, ys, color=COLOURS[colour], lw=width, ls=style, solid_capstyle="butt", transform=self._flip)
        )

    def dot(self, x: float, y: float, shape: str, colour: str, size: float = 8.0, filled: bool = True) -> None:
        """Draw one marker; hollow ones keep the paper inside, so that lines behind them do not show."""
        inside = COLOURS[colour] if filled else COLOURS["paper"]
        edge = COLOURS[colour]
        self._figure.add_artist(
            Line2D([x], [y], marker=shape, ms=size, mec=edge, mew=1.6, mfc=inside, ls="none", transform=self._flip)
        )

    def box(self, x: float, y: float, width: float, height: float, colour: str = "fill") -> None:
        """Fill a rectangle with its upper left corner at (x, y)."""
        self._figure.add_artist(
            Rectangle((x, y), width, height, fc=COLOURS[colour], ec="none", lw=0, transform=self._flip)
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        colour: str = "ink",
        size: float = 12.5,
        anchor: str = "left",
        bold: bool = False,
    ) -> None:
        """Write one line with its baseline at y."""
        weight = "bold" if bold else "normal"
        item = Text(x, y, text, color=COLOURS[colour], fontsize=size, ha=anchor, va="baseline", weight=weight)
        item.set_parse_math(False)
        item.set_transform(self._flip)
        self._figure.add_artist(item)

    def svg(self, title: str, description: str, css_class: str) -> Markup:
        """Return the drawing as inline SVG with a title and a description for screen readers."""
        return _inline(_raw_svg(self._figure, self.name), self.name, title, description, css_class)


def _raw_svg(figure: Figure, salt: str) -> str:
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with rc_context({"svg.hashsalt": salt, "svg.fonttype": "none"}), warnings.catch_warnings():
        # Names in any script are set by the reader's fonts; that matplotlib's own lacks a glyph does not matter.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(buffer, format="svg", metadata=nothing)
    return buffer.getvalue()


def _inline(svg: str, name: str, title: str, description: str, css_class: str) -> Markup:
    """Strip what only a stand-alone file needs and make identifiers, fonts and colours those of the page."""
    view_box = re.search(r'viewBox="([^"]+)"', svg)
    box = view_box[1] if view_box else "0 0 1 1"
    body = svg[svg.index(">", svg.index("<svg")) + 1 :]
    body = re.sub(r"\s*<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", body, count=1, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->\s*", "", body, flags=re.DOTALL)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', body))
    # Only inside tags: a column may be called 'id="x"' or '#1d1c1a'.
    body = re.sub(r"<[^>]+>", lambda tag: _retag(tag[0], name, used), body)
    body = re.sub(r"\s*\n\s*", " ", body).replace("> <", "><")
    head = (
        f'<svg class="{css_class}" viewBox="{box}" role="img" style="--w: {box.split()[2]}px" '
        f'aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    )
    return Markup(head + body.strip())  # matplotlib escapes the texts it writes; title and description are above


def _retag(tag: str, name: str, used: set[str]) -> str:
    tag = tag.replace("xlink:href=", "href=").replace(' transform="rotate(-0', ' data-x="(')
    tag = re.sub(r' data-x="[^"]*"', "", tag)
    tag = re.sub(r' id="([^"]+)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", tag)
    tag = tag.replace('href="#', f'href="#{name}-').replace("url(#", f"url(#{name}-")
    tag = re.sub(r"font-family: [^;\"]*;? ?", "", tag)
    tag = re.sub(r"font: (?:(\d+|bold) )?([\d.]+)px [^;\"]*", _font, tag)  # the shorthand of matplotlib < 3.10
    for role, colour in COLOURS.items():
        tag = tag.replace(colour, f"var(--{role}, {colour})")
    return tag


def _font(match: re.Match[str]) -> str:
    return f"font-size: {match[2]}px" + (f"; font-weight: {match[1]}" if match[1] else "")
