"""Training curves: one small figure a curve, with what was audited and the theoretical maximum beside the estimates."""

from collections.abc import Sequence

from markupsafe import Markup

from withhold.report.figures.canvas import Canvas
from withhold.report.formats import nat, words

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
