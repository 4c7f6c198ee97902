"""Trials of methods with settings, and the choice among them."""

from typing import Literal

from pydantic import Field

from withhold.contracts.quantity import Quantity
from withhold.contracts.record import Record


class TrialRecord(Record):
    """One method with settings, fitted on some rows and measured by a small panel of attackers.

    Attributes
    ----------
    method : str
        As the command line names it.
    settings : list of str
        What was set beyond the defaults, as `--set` takes it.
    fitted, n : int
        Rows it was fitted on, and rows that were released and attacked, those included.
    leakage : Quantity or None
        Nats that the release tells, with the utility attributes where they are handed over: the worse of the rows that
        were fitted and the others, as the audit has it. None where the method failed.
    each : dict of str to Quantity
        The same of single attributes, where they have budgets of their own.
    utility : dict of str to float
        By utility attribute: accuracy of classes, R squared of numbers, predicted from the release on rows that were
        not fitted.
    retention : float or None
        Mean over the original columns of the share of each that can be read back.
    fit_seconds, seconds : float
        CPU seconds of the fit with its release, and of the whole trial.
    failed : str
        Why there is no release; "" where there is one.

    Examples
    --------
    >>> TrialRecord(method="leace", fitted=100, n=200).settings
    []
    """

    method: str
    settings: list[str] = Field(default_factory=list)
    fitted: int
    n: int
    leakage: Quantity | None = None
    each: dict[str, Quantity] = Field(default_factory=dict)
    utility: dict[str, float] = Field(default_factory=dict)
    retention: float | None = None
    fit_seconds: float = 0.0
    seconds: float = 0.0
    failed: str = ""

    def __str__(self) -> str:
        return " ".join((self.method, *self.settings))

    @property
    def kept(self) -> float:
        """What is kept: the mean score over the utility attributes; without any, the retention of columns."""
        scores = list(self.utility.values())
        return sum(scores) / len(scores) if scores else self.retention or 0.0

    @property
    def most(self) -> float:
        """The upper end of what leaks, in nats; infinite where nothing was released."""
        return _upper(self.leakage)

    def most_of(self, attribute: str) -> float:
        """Return the upper end of what leaks of one attribute; infinite where it was not measured alone."""
        return _upper(self.each.get(attribute))


def _upper(leak: Quantity | None) -> float:
    return float("inf") if leak is None or leak.high is None else leak.high


By = Literal["budget", "target_utility"]
Ended = Literal["nothing_left", "cannot_win", "time"]


class ChoiceRecord(Record):
    """Which method was chosen, by what, and what all that were tried came to.

    Attributes
    ----------
    method, settings
        Of the choice, as for a trial.
    by : {"budget", "target_utility"}
        "budget": the most utility among those whose leakage has its upper end within `budget`; "target_utility": the
        least leakage among those that reach `target`.
    budget, target : float or None
        Nats that all attributes together may tell; accuracy or R squared.
    budgets : dict of str to float
        Of single attributes, where they have budgets of their own.
    counted : float
        Share of the budgets up to which the audit was foretold to pass an upper end: it allows for what attackers miss.
        1 where these rows are foretold to decide none.
    held : bool
        Whether the choice holds what was asked for; where none does it is the closest.
    reason : str
        Why this one, in sentences.
    helps : list of str
        What would help where none holds what was asked for.
    ended : {"nothing_left", "cannot_win", "time"}
        Why no more were tried: all were, the rest could not win, or it would have taken too long.
    left : list of str
        Methods that were not tried for want of time.
    raw : TrialRecord
        The original columns, measured as a release.
    trials : list of TrialRecord
        In the order in which they were tried. None of these rows is among those that the audit judges as unseen.
    seconds : float
        CPU seconds of all trials.

    Examples
    --------
    >>> tried = TrialRecord(method="leace", fitted=100, n=200)
    >>> chosen = ChoiceRecord(
    ...     method="leace", by="budget", held=False, reason="none holds", ended="time", raw=tried, trials=[tried]
    ... )
    >>> chosen.trials[0].method
    'leace'
    """

    method: str
    settings: list[str] = Field(default_factory=list)
    by: By
    budget: float | None = None
    budgets: dict[str, float] = Field(default_factory=dict)
    target: float | None = None
    counted: float = 1.0
    held: bool
    reason: str
    helps: list[str] = Field(default_factory=list)
    ended: Ended
    left: list[str] = Field(default_factory=list)
    raw: TrialRecord
    trials: list[TrialRecord]
    seconds: float = 0.0
