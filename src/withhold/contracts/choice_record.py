"""Trials of methods with settings, and the choice among them."""

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
    utility: dict[str, float] = Field(default_factory=dict)
    retention: float | None = None
    fit_seconds: float = 0.0
    seconds: float = 0.0
    failed: str = ""
