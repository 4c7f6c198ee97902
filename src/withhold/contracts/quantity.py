"""A number that says what it is: unit, kind, interval, sample size and against whom it was measured."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from withhold.contracts.checks import check_budget, refused

Kind = Literal["exact", "lower_bound", "upper_bound", "estimate"]


class Quantity(BaseModel):
    """One number of a record.

    Attributes
    ----------
    value : float
        The point value. Information is in nats.
    kind : {"exact", "lower_bound", "upper_bound", "estimate"}
        What the value is of the true quantity. A learned estimate is never a guarantee.
    low, high : float or None
        Interval at `level`; None where none was computed.
    unit : str
        "nat", "fraction", ...
    level : float or None
        Coverage of the interval, simultaneous over `against`.
    n : int or None
        Records the value was computed on.
    attacker : str or None
        The attacker that reached the value, where there is one.
    against : tuple of str
        All attackers that were tried.
    seed : int or None
        Seed of the computation.
    condition : str or None
        What the kind or the interval depends on, where they do not hold as they stand.

    Examples
    --------
    >>> print(Quantity(value=0.021, low=0.015, high=0.027, kind="lower_bound", level=0.95))
    0.021 nat [0.015, 0.027] (lower bound, 95 %)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    value: float
    kind: Kind
    low: float | None = None
    high: float | None = None
    unit: str = "nat"
    level: float | None = None
    n: int | None = None
    attacker: str | None = None
    against: tuple[str, ...] = ()
    seed: int | None = None
    condition: str | None = None

    def __str__(self) -> str:
        interval = "" if self.low is None or self.high is None else f" [{self.low:.3f}, {self.high:.3f}]"
        level = "" if self.level is None else f", {100 * self.level:g} %"
        return f"{self.value:.3f} {self.unit}{interval} ({self.kind.replace('_', ' ')}{level})"


def check_level(level: float) -> None:
    """Refuse a level that is no coverage of an interval.

    Examples
    --------
    >>> check_level(0.95)
    >>> check_level(95)
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.InvalidParameterError: level must be at least 0.5 and below 1 (got 95).
    """
    if not (isinstance(level, float | np.floating) and 0.5 <= level < 1.0):
        raise refused("level", "at least 0.5 and below 1", level)


def as_budgets(budgets: Any) -> NDArray[np.float64]:
    """Return budgets to compute with, in nats; 0 may be among them.

    Examples
    --------
    >>> as_budgets([0, 0.05]).tolist()
    [0.0, 0.05]
    """
    try:
        values = np.atleast_1d(np.asarray(budgets, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 1 or not len(values):
        raise refused("budgets", "one number or several", budgets)
    for value in values.tolist():
        check_budget(value, "each of budgets", zero=True)
    return values
