"""A frontier as a picture and as a frame, in the manner of scikit-learn's displays; matplotlib is loaded when used."""

import io
import math
from dataclasses import dataclass, field
from typing import Any, Self

import pandas as pd

from withhold.contracts.frontier_record import FrontierPoint, FrontierRecord
from withhold.contracts.wording import listed, printable
from withhold.report.display import new_axes

KEPT = {
    "nat": "kept of {what} (nat)",
    "score": "prediction of {what} (accuracy or R²)",
    "retention": "mean retention of columns",
}
# Colours that people who confuse red and green tell apart (Okabe and Ito 2008).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
SHORT = {"zero": " (zero)", "above": " (above the picture)"}
MARKERS = ("X", "D", "s", "P", "v")


def cells(record: FrontierRecord) -> pd.DataFrame:
    """Return one row per cell.

    Returns
    -------
    DataFrame
        `leakage` with its interval `low` to `high` and `kept` with `kept_low` to `kept_high` are in nats, `score` is
        the mean accuracy or R squared of the utility attributes, `retention` that of columns; seconds are CPU seconds.
        `failed` says why there are no numbers.

    Examples
    --------
    >>> record = FrontierRecord(
    ...     sensitive=["s"], utility=[], n=1, entropy=0.7, measure="retention", seeds=[0], budgets=[0.1], cells=[]
    ... )
    >>> len(cells(record))
    0
    """
    rows = []
    for cell in record.cells:
        trial, leak, kept = cell.trial, cell.trial.leakage, cell.kept
        scores = list(trial.utility.values())
        rows.append(
            {
                "name": cell.name,
                "settings": " ".join(trial.settings),
                "rival": cell.rival,
                "budget": cell.budget,
                "seed": cell.seed,
                "leakage": None if leak is None else leak.value,
                "low": None if leak is None else leak.low,
                "high": None if leak is None else leak.high,
                "kept": None if kept is None else kept.value,
                "kept_low": None if kept is None else kept.low,
                "kept_high": None if kept is None else kept.high,
                "score": sum(scores) / len(scores) if scores else None,
                "retention": trial.retention,
                "fit_seconds": trial.fit_seconds,
                "seconds": trial.seconds,
                "failed": trial.failed,
            }
        )
    return pd.DataFrame(rows)


@dataclass
class FrontierDisplay:
    """What is kept over what leaks: methods at their settings, trivial releases, and what is possible.

    A point is the mean over seeds; bars go to the outermost ends of the intervals of single seeds.

    Parameters
    ----------
    record : FrontierRecord

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure

    Examples
    --------
    >>> record = FrontierRecord(
    ...     sensitive=["s"], utility=[], n=1, entropy=0.7, measure="retention", seeds=[0], budgets=[0.1], cells=[]
    ... )
    >>> FrontierDisplay.from_record(record).plot().ax_.get_ylabel()
    'mean retention of columns'
    """

    record: FrontierRecord
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_record(cls, record: FrontierRecord) -> Self:
        """Make the display of a record."""
        return cls(record)

    def plot(self, ax: Any = None) -> Self:
        """Draw the display on axes of matplotlib, of a new figure by default; it has them as `ax_` and `figure_`."""
        ax = new_axes(8.4, 5.2) if ax is None else ax
        record, drawn = self.record, [one for one in self.record.points if one.leakage is not None]
        far, right = _far(drawn, record.budgets)
        top = _top(drawn)
        methods = list(dict.fromkeys(one.name for one in drawn if not one.rival))
        for i, name in enumerate(methods):
            self._points(ax, [one for one in drawn if one.name == name], name, COLOURS[i % len(COLOURS)], "o-")
        rivals = list(dict.fromkeys(one.name for one in drawn if one.rival))
        for i, name in enumerate(rivals):
            own = [one for one in drawn if one.name == name]
            beyond = f" ({own[0].leakage:.3f} nat, beyond the picture)" if name == far else ""
            style = f"{MARKERS[i % len(MARKERS)]}{':' if len(own) > 1 else ''}"
            self._points(ax, own, f"{name}{beyond}", "0.35", style)
        self._possible(ax)
        for i, budget in enumerate(record.budgets):
            ax.axvline(budget, color="#b5410a", lw=0.8, alpha=0.5, label="budgets" if i == 0 else None)
        what = _plain(listed(record.utility)) if record.utility else "columns"
        hidden = _plain(listed(record.sensitive))
        ax.set(xlabel=f"leaks of {hidden} (nat)", ylabel=KEPT[record.measure].format(what=what))
        ax.set_xlim(0.0, right)
        if record.measure != "score":
            ax.set_ylim(0.0, top)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _points(self, ax: Any, points: list[FrontierPoint], label: str, colour: str, style: str) -> None:
        points = sorted((one for one in points if one.kept is not None), key=lambda one: one.leakage or 0.0)
        if not points:
            return
        xs, ys = [one.leakage or 0.0 for one in points], [one.kept or 0.0 for one in points]
        wide = _bars(xs, [one.low for one in points], [one.high for one in points])
        tall = _bars(ys, [one.kept_low for one in points], [one.kept_high for one in points])
        ax.errorbar(
            xs, ys, xerr=wide, yerr=tall, fmt=style, color=colour, ms=5, lw=1.2, elinewidth=0.7, capsize=2, label=label
        )

    def _possible(self, ax: Any) -> None:
        """Draw what no release of these columns exceeds, and what a known one reaches."""
        found, where = self.record.possible, curves(self.record)
        leaks = [one.leakage for one in found]
        for kind, kept, style, label in (
            ("most", [one.most for one in found], "-", "no release keeps more"),
            ("reached", [one.reached for one in found], "--", "a known release keeps this"),
        ):
            if found:
                place = SHORT.get(where[kind], "")
                ax.plot(leaks, kept, style, color="black", lw=1, label=f"{label}{place}")


def curves(record: FrontierRecord) -> dict[str, str]:
    """Return where each curve of what is possible stands: "zero", "above" the picture, or "" where it can be seen.

    Examples
    --------
    >>> from withhold.contracts.frontier_record import PossiblePoint
    >>> record = FrontierRecord(
    ...     sensitive=["s"], utility=["u"], n=1, entropy=0.7, measure="nat", seeds=[0], budgets=[0.1], cells=[],
    ...     possible=[PossiblePoint(leakage=0.0, most=9.0, reached=0.0)],
    ... )
    >>> curves(record)
    {'most': 'above', 'reached': 'zero'}
    """
    top = math.inf if record.measure == "score" else _top([one for one in record.points if one.leakage is not None])
    values = {"most": [one.most for one in record.possible], "reached": [one.reached for one in record.possible]}
    return {
        kind: "" if not kept else "zero" if max(kept) <= 0 else "above" if min(kept) > top else ""
        for kind, kept in values.items()
    }


def meanings(record: FrontierRecord) -> list[str]:
    """Return a sentence for each curve of what is possible that cannot be seen in the picture."""
    where, what = curves(record), listed(record.utility) if record.utility else "the columns"
    said = []
    if where["most"] == "above":
        ends = dict.fromkeys(f"{of(one.most for one in record.possible):.3f}" for of in (min, max))
        said.append(
            f"No release keeps more than {' to '.join(ends)} nat of {what}. That is above the picture, so this bound "
            "rules out nothing that is shown."
        )
    elif where["most"] == "zero":
        said.append(f"The solid line is zero: no release that leaks so little keeps anything of {what}.")
    if where["reached"] == "zero":
        said.append(
            f"The dashed line is zero: these rows do not show for certain that the columns tell anything of {what}, so "
            "no release is known that keeps some of it."
        )
    elif where["reached"] == "above":
        least = min(one.reached for one in record.possible)
        said.append(
            f"A known release keeps {least:.3f} nat of {what} or more. That is above the picture: all that is shown "
            "keeps less."
        )
    return said


def _top(points: list[FrontierPoint]) -> float:
    """Return where the picture ends above."""
    tops = [one.kept if one.kept_high is None else one.kept_high for one in points]
    return 1.1 * max((one for one in tops if one is not None), default=1.0)


def _far(points: list[FrontierPoint], budgets: list[float]) -> tuple[str, float | None]:
    """Return which release tells so much that it would squeeze all others, and where the picture ends without it."""
    most = max(points, key=lambda one: one.leakage or 0.0, default=None)
    others = [one.leakage if one.high is None else one.high for one in points if one is not most]
    rest = max([one for one in others if one is not None] + budgets, default=0.0)
    if most is None or (most.leakage or 0.0) <= 3 * rest or rest <= 0:
        return "", None
    return most.name, 1.1 * rest


def _plain(text: str) -> str:
    """Return names as they are: between dollars matplotlib would read formulas."""
    return printable(text).replace("$", r"\$")


def _bars(values: list[float], lows: list[float | None], highs: list[float | None]) -> list[list[float]]:
    """Return how far bars go down and up; none where there is no interval."""
    down = [max(0.0, value - (value if low is None else low)) for value, low in zip(values, lows, strict=True)]
    up = [max(0.0, (value if high is None else high) - value) for value, high in zip(values, highs, strict=True)]
    return [down, up]


def pictures(record: FrontierRecord) -> tuple[str, bytes]:
    """Return the picture as SVG and as PNG, the same for the same record.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.
    """
    drawn = FrontierDisplay.from_record(record).plot()
    import matplotlib as mpl
    from matplotlib import pyplot

    vector, raster = io.BytesIO(), io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "withhold", "svg.fonttype": "none"}):
        drawn.figure_.savefig(vector, format="svg", metadata={"Date": None})
    drawn.figure_.savefig(raster, format="png", dpi=160, metadata={"Software": None})
    pyplot.close(drawn.figure_)
    return vector.getvalue().decode("utf-8"), raster.getvalue()
