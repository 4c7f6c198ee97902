"""What is possible: the least loss at each leakage, a release known to exist, the budget, and where this one landed."""

from markupsafe import Markup

from withhold.contracts.bounds_record import BoundsRecord
from withhold.report.figures.canvas import Canvas
from withhold.report.formats import nat

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
