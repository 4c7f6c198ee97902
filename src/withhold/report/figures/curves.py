"""Curves: of the training, and of the least loss that is possible at each leakage."""

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from withhold.contracts.bounds_record import BoundsRecord
from withhold.contracts.run_record import Landing
from withhold.report.formats import nat, words

WIDTH, HEIGHT = 320.0, 110.0
MOST = 300  # points of a curve that a screen can show


def possible(bounds: BoundsRecord, budget: float | None, landed: Landing | None) -> Markup:
    """Draw loss over leakage, both in nats; `landed` is what the audit measured of this release."""
    wide = max([*bounds.budgets, budget or 0.0, landed.leaked if landed else 0.0, 1e-6]) * 1.04
    tall = max([*bounds.achievable_bound, *bounds.lower_bound, landed.lost if landed else 0.0, 1e-6]) * 1.04

    def points(values: Sequence[float]) -> str:
        return _points([(_x(k, wide), _y(v, 0.0, tall)) for k, v in zip(bounds.budgets, values, strict=True)])

    drawn = _zero(0.0, 0.0, tall)
    if budget is not None:
        drawn += (
            f'<line class="l-budget" x1="{_x(budget, wide):.1f}" x2="{_x(budget, wide):.1f}" y1="0" y2="{HEIGHT}"/>'
        )
    drawn += f'<polyline class="c-known" points="{points(bounds.achievable_bound)}"/>'
    drawn += f'<polyline class="c-least" points="{points(bounds.lower_bound)}"/>'
    if landed is not None:
        place = f'cx="{_x(landed.leaked, wide):.1f}" cy="{_y(landed.lost, 0.0, tall):.1f}"'
        drawn += f'<circle class="m-release" {place} r="4"/>'
    told = [
        f"leaking {nat(k)} nat, a release loses at least {nat(low)} and need not lose more than {nat(high)} nat"
        for k, low, high in zip(bounds.budgets, bounds.lower_bound, bounds.achievable_bound, strict=True)
    ]
    if landed is not None:
        told.append(f"this release leaks {nat(landed.leaked)} and loses {nat(landed.lost)} nat, as measured")
    head, foot = f"lost, up to {nat(tall)} nat", ("0", f"{nat(wide)} nat leaked")
    return _frame("What any release must lose, by what it leaks", "; ".join(told), drawn, head, foot)


def curve(name: str, values: Sequence[float], audited: float | None = None, maximum: float | None = None) -> Markup:
    """Draw one curve over training.

    Parameters
    ----------
    audited : float, optional
        What fresh attackers measured afterwards, dashed.
    maximum : float, optional
        All there is to know about the hidden attribute: a solid line that no sound estimate crosses.
    """
    shown = [*values, 0.0, *(level for level in (audited, maximum) if level is not None)]
    low, high = min(shown), max(shown)
    high = high if high > low else low + 1.0
    drawn = _zero(0.0, low, high)
    if maximum is not None:
        drawn += _level("l-limit", maximum, low, high)
    drawn += f'<polyline class="c-game" points="{_points(_path(values, low, high))}"/>'
    if audited is not None:
        drawn += _level("l-budget dashed", audited, low, high)
    text = f"{words(name)} went from {nat(values[0])} to {nat(values[-1])} over {len(values)} points"
    text += "" if audited is None else f"; the audit measured {nat(audited)}"
    text += "" if maximum is None else f"; the theoretical maximum is {nat(maximum)}"
    foot = (f"start {nat(values[0])}", f"end {nat(values[-1])}")
    return _frame(f"Training curve: {words(name)}", text, drawn, "", foot)


def _path(values: Sequence[float], low: float, high: float) -> list[tuple[float, float]]:
    places = range(0, len(values), max(1, -(-len(values) // MOST)))
    last = max(len(values) - 1, 1)
    every = [*places, *([] if places[-1] == len(values) - 1 else [len(values) - 1])]
    return [(WIDTH * i / last, _y(values[i], low, high)) for i in every]


def _frame(title: str, text: str, drawn: str, head: str, foot: tuple[str, str]) -> Markup:
    said = escape(f"{title}. {text}", quote=True)
    top = f'<div class="ends"><span>{escape(head)}</span></div>' if head else ""
    ends = f'<div class="ends"><span>{escape(foot[0])}</span><span>{escape(foot[1])}</span></div>'
    picture = f'<svg viewBox="-4 -4 {WIDTH + 8:.0f} {HEIGHT + 8:.0f}" aria-hidden="true">{drawn}</svg>'
    return Markup(f'<div class="curve" role="img" aria-label="{said}">{top}{picture}{ends}</div>')


def _points(path: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in path)


def _x(value: float, wide: float) -> float:
    return WIDTH * max(0.0, value) / wide


def _y(value: float, low: float, high: float) -> float:
    return HEIGHT * (1 - (value - low) / (high - low))


def _zero(value: float, low: float, high: float) -> str:
    return _level("grid zero", value, low, high)


def _level(css: str, value: float, low: float, high: float) -> str:
    y = f"{_y(value, low, high):.1f}"
    return f'<line class="{css}" x1="0" x2="{WIDTH:.0f}" y1="{y}" y2="{y}"/>'
