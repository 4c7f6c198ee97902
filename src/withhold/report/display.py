"""The record as a picture and as a frame, in the manner of scikit-learn's displays; matplotlib is loaded when used."""

from dataclasses import dataclass, field
from typing import Any, Self

import pandas as pd

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.errors import MissingExtraError
from withhold.contracts.run_record import RunRecord
from withhold.report.formats import called

BUDGET = "#b5410a"  # the colour that budgets have on the page too
COLUMNS = (
    "verdict",
    "leakage",
    "low",
    "high",
    "budget",
    "raw_leakage",
    "detection_limit",
    "entropy",
    "balanced_accuracy",
    "raw_balanced_accuracy",
    "chance",
    "attacker",
)


def frame(record: RunRecord | AuditRecord) -> pd.DataFrame:
    """Return one row per sensitive attribute; missing where something was not measured.

    Returns
    -------
    DataFrame
        Indexed by attribute. `leakage` with its interval `low` to `high`, `budget`, `raw_leakage`, `detection_limit`
        and `entropy` are in nats, accuracies in [0, 1].

    Examples
    --------
    >>> from withhold.contracts.audit_record import Splits
    >>> audit = AuditRecord(
    ...     verdict=None, statement="", budget=None, n=1, level=0.95, panel=[], effort="quick",
    ...     splits=Splits(audit=1, folds=2), sensitive={},
    ... )
    >>> frame(audit).shape
    (0, 12)
    """
    audit = record.audit if isinstance(record, RunRecord) else record
    rows = {}
    for name, result in audit.sensitive.items():
        raw, total = result.controls.get("raw"), result.leakage_total
        values = (
            result.verdict,
            total.value,
            total.low,
            total.high,
            audit.budget_of(name),
            None if raw is None else raw.leakage.value,
            result.detection_limit,
            result.entropy,
            result.balanced_accuracy,
            None if raw is None else raw.balanced_accuracy,
            result.chance,
            total.attacker,
        )
        rows[name] = dict(zip(COLUMNS, values, strict=True))
    found = pd.DataFrame.from_dict(rows, orient="index", columns=list(COLUMNS))
    words = ("verdict", "attacker")
    numbers = {name: float for name in COLUMNS if name not in words}
    return found.astype(numbers).rename_axis("attribute")


@dataclass
class LeakageDisplay:
    """What attackers learned of each sensitive attribute, beside the original data and the budget, in nats.

    Parameters
    ----------
    attributes : list of str
    leakage : list of float
    intervals : list of tuple of float
        Ends of the interval of each.
    raw : list of float or None
        What the same attackers read in the original data.
    limits : list of float or None
        The smallest test leak found.
    budget : float or None
        One for all.
    level : float
        Coverage of the intervals.
    budgets : list of float or None
        One for each, where they differ.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure

    Examples
    --------
    >>> from withhold import LeakageDisplay
    >>> display = LeakageDisplay(["sex"], [0.02], [(0.01, 0.03)], [0.3], [0.025], budget=0.05)
    >>> display.plot().ax_.get_xlabel()
    'information learned (nat)'
    """

    attributes: list[str]
    leakage: list[float]
    intervals: list[tuple[float, float]]
    raw: list[float | None]
    limits: list[float | None]
    budget: float | None = None
    level: float = 0.95
    budgets: list[float] | None = None
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_record(cls, record: RunRecord | AuditRecord) -> Self:
        """Make the display of a record.

        Parameters
        ----------
        record : RunRecord or AuditRecord

        Returns
        -------
        LeakageDisplay
        """
        audit = record.audit if isinstance(record, RunRecord) else record
        results = list(audit.sensitive.values())
        totals = [result.leakage_total for result in results]
        raw = [result.controls.get("raw") for result in results]
        return cls(
            attributes=[called(name, list(audit.sensitive)) for name in audit.sensitive],
            leakage=[one.value for one in totals],
            intervals=[
                (one.value if one.low is None else one.low, one.value if one.high is None else one.high)
                for one in totals
            ],
            raw=[None if one is None else one.leakage.value for one in raw],
            limits=[result.detection_limit for result in results],
            budget=None if audit.own_budgets else audit.budget,
            level=audit.level,
            budgets=list(audit.own_budgets.values()) or None,
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            A new figure by default.

        Returns
        -------
        self
            With `ax_` and `figure_`.

        Raises
        ------
        MissingExtraError
            matplotlib is not installed.
        """
        ax = new_axes(6.4, 1.2 + 0.5 * max(1, len(self.attributes))) if ax is None else ax
        places = range(len(self.attributes))
        ends = zip(self.leakage, self.intervals, strict=True)
        spread = [(max(0.0, value - low), max(0.0, high - value)) for value, (low, high) in ends]
        widths = [list(side) for side in zip(*spread, strict=True)]
        points = [("o", "original data", self.raw, "0.4"), ("|", "smallest test leak found", self.limits, "0.4")]
        points += [] if self.budgets is None else [("|", "its budget", [*self.budgets], BUDGET)]
        for style, label, values, colour in points:
            known = [(value, i) for value, i in zip(values, places, strict=True) if value is not None]
            if known:
                xs, ys = zip(*known, strict=True)
                ax.plot(xs, ys, style, mfc="none", color=colour, ms=9, label=label)
        if self.attributes:
            label = f"release ({100 * self.level:g} % interval)"
            ax.errorbar(self.leakage, list(places), xerr=widths, fmt="o", color="#0b62a6", capsize=3, label=label)
        if self.budget is not None:
            ax.axvline(self.budget, color=BUDGET, label=f"budget {self.budget:g}")
        ax.set(yticks=list(places), yticklabels=self.attributes, xlabel="information learned (nat)")
        ax.margins(y=0.5)
        ax.set_xlim(left=0.0)
        ax.invert_yaxis()
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.45), ncols=2, frameon=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def new_axes(width: float, height: float) -> Any:
    """Return the axes of a new figure, in inches."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtraError("Plots need matplotlib: pip install 'withhold[plot]'.") from error
    return plt.subplots(figsize=(width, height), layout="constrained")[1]
