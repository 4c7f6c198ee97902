"""Curves: of the training, and of the least loss that is possible at each leakage."""

from collections.abc import Sequence

from markupsafe import Markup

from withhold.contracts.bounds_record import BoundsRecord
from withhold.report.figures.canvas import Canvas
from withhold.report.formats import nat, words

WIDTH, HEIGHT = 340.0, 220.0


def possible(bounds: BoundsRecord, budget: float | None, landed: tuple[float, float] | None) -> Markup:
    """Draw loss over leakage, both in nats; `landed` is what the audit measured of this release.

    Parameters
    ----------
    bounds : BoundsRecord
    budget : float or None
    landed : (leakage, loss) or None
    """
    canvas = Canvas("possible", WIDTH, HEIGHT)
    left, right, top, base = 2.0, WIDTH - 12, 26.0, HEIGHT - 24
    wide = max([*bounds.budgets, budget or 0.0, landed[0] if landed else 0.0, 1e-6]) * 1.04
    tall = max([*bounds.achievable_bound, *bounds.lower_bound, landed[1] if landed else 0.0, 1e-6]) * 1.04

    def x(value: float) -> float:
        return left + (right - left) * max(0.0, value) / wide

    def y(value: float) -> float:
        return base - (base - top) * max(0.0, value) / tall

    canvas.line([left, right], [base, base], "axis")
    canvas.line([left, left], [top, base], "axis")
    if budget is not None:
        canvas.line([x(budget)] * 2, [top, base], "budget", 1.5)
    across = [x(k) for k in bounds.budgets]
    canvas.line(across, [y(v) for v in bounds.achievable_bound], "raw", 1.6, (4, 3))
    canvas.line(across, [y(v) for v in bounds.lower_bound], "limit", 2.0)
    if landed is not None:
        canvas.dot(x(landed[0]), y(landed[1]), "o", "release")
    canvas.text(0, 12, f"lost, up to {nat(tall)} nat", "soft", 11)
    canvas.text(0, HEIGHT - 5, "0", "soft", 11)
    canvas.text(right, HEIGHT - 5, f"{nat(wide)} nat leaked", "soft", 11, "right")
    told = [
        f"leaking {nat(k)} nat, a release loses at least {nat(low)} and need not lose more than {nat(high)} nat"
        for k, low, high in zip(bounds.budgets, bounds.lower_bound, bounds.achievable_bound, strict=True)
    ]
    if landed is not None:
        told.append(f"this release leaks {nat(landed[0])} and loses {nat(landed[1])} nat, as measured")
    return canvas.svg("What any release must lose, by what it leaks", "; ".join(told), "curve")


WIDTH, HEIGHT = 340.0, 150.0


def curve(
    name: str, values: Sequence[float], key: str, audited: float | None = None, maximum: float | None = None
) -> Markup:
    """Draw one curve over training.

    Parameters
    ----------
    name : str
    values : sequence of float
    key : str
        Makes the figure's identifiers its own.
    audited : float, optional
        What fresh attackers measured afterwards, dashed.
    maximum : float, optional
        All there is to know about the hidden attribute: a solid line that no sound estimate crosses.
    """
    canvas = Canvas(key, WIDTH, HEIGHT)
    top, base, right = 22.0, HEIGHT - 24, WIDTH - 54
    shown = [*values, 0.0, *(level for level in (audited, maximum) if level is not None)]
    low, high = min(shown), max(shown)
    high = high if high > low else low + 1.0

    def y(value: float) -> float:
        return base - (base - top) * (value - low) / (high - low)

    canvas.line([0, right], [y(0.0)] * 2, "axis")
    if maximum is not None:
        canvas.line([0, right], [y(maximum)] * 2, "limit", 1.5)
    xs = [right * i / max(len(values) - 1, 1) for i in range(len(values))]
    canvas.line(xs, [y(v) for v in values], "release", 1.8)
    last = y(values[-1])
    canvas.dot(right, last, "o", "release", 6.0)
    canvas.text(right + 8, last + 4, nat(values[-1]), "release", 11.5)
    if audited is not None:
        level = y(audited)
        canvas.line([0, right], [level, level], "budget", 1.5, (4, 3))
    canvas.text(0, HEIGHT - 5, f"start {nat(values[0])}", "soft", 11)
    canvas.text(right, HEIGHT - 5, "end of training", "soft", 11, "right")
    description = f"{words(name)} went from {nat(values[0])} to {nat(values[-1])} over {len(values)} points"
    if audited is not None:
        description += f"; the audit measured {nat(audited)}"
    if maximum is not None:
        description += f"; the theoretical maximum is {nat(maximum)}"
    return canvas.svg(f"Training curve: {words(name)}", description, "curve")
