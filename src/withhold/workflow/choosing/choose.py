"""The choice from Python: rows in; the fitted sanitiser, the reason, and everything that was tried out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from withhold.audit.effort import USUAL
from withhold.contracts.budgets import Budgets
from withhold.contracts.choice_record import ChoiceRecord
from withhold.contracts.errors import InvalidParameterError
from withhold.data.attributes import names_given
from withhold.data.frames import to_frame
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.workflow.choosing.settle import choose_for
from withhold.workflow.choosing.trial import named
from withhold.workflow.given import with_columns
from withhold.workflow.job import job_of
from withhold.workflow.release import unfitted
from withhold.workflow.request import Request
from withhold.workflow.source import Source

# What values that come without a name are called.
SENSITIVE, UTILITY, GROUPS = "sensitive_features", "y", "groups"


@dataclass(frozen=True)
class Choice:
    """A method that was chosen.

    Attributes
    ----------
    sanitizer : Sanitizer
        Fitted on all rows.
    record : ChoiceRecord
        By what it was chosen, and what everything that was tried came to.
    """

    sanitizer: Sanitizer
    record: ChoiceRecord

    @property
    def reason(self) -> str:
        """Why this one."""
        return self.record.reason

    def to_frame(self) -> pd.DataFrame:
        """Return a row for the original and for each candidate: leakage with its interval, what is kept, seconds."""
        rows = [
            {
                "method": one.method,
                "settings": " ".join(one.settings),
                "leakage": None if one.leakage is None else one.leakage.value,
                "low": None if one.leakage is None else one.leakage.low,
                "high": None if one.leakage is None else one.leakage.high,
                **one.utility,
                "retention": one.retention,
                "seconds": one.seconds,
                "failed": one.failed,
            }
            for one in (self.record.raw, *self.record.trials)
        ]
        return pd.DataFrame(rows)


def choose(
    X: Any,
    y: Any = None,
    *,
    sensitive_features: Any,
    budget: float | Mapping[str, float] | None = None,
    groups: Any = None,
    target_utility: float | None = None,
    use_utility: bool = False,
    time_limit: float | str | None = None,
    random_state: int = 0,
    effort: str = USUAL,
    log: Callable[[str], None] = lambda text: None,
    **options: Any,
) -> Choice:
    """Choose a method with settings and fit it: the most utility within a budget, or the least leakage at a utility.

    All rows of X are used: candidates are fitted on a part and compared on the rest, the best is fitted on all. Keep
    rows apart for an audit, which judges what this choice has not seen.

    Parameters
    ----------
    X : DataFrame, Table, ndarray or Tensor, shape (n_samples, n_features)
        Features; columns that the next arguments name are none.
    y : str, list of str, array or DataFrame, optional
        What the release is for. Without it the mean share of each column that can be read back counts as utility.
    sensitive_features : str, list of str, array or DataFrame
        What is to be hidden.
    budget : float or mapping of str to float, optional
        Most nats that a release may tell about all sensitive attributes together; or about each, by name.
    groups : str or array, optional
        Subject of each row; subjects stay together.
    target_utility : float, optional
        Accuracy (of numbers R squared) of `y` that must be reached, in place of a budget.
    use_utility : bool, default=False
        Whether `y` is the one purpose: methods learn from it, and other columns may go.
    time_limit : float or str, optional
        Seconds, or a text such as "10m", for the trials.
    random_state : int, default=0
        Seed of divisions, training and attackers.
    effort : {"quick", "standard", "thorough"}, default="standard"
        Of the audit that is to follow: trials may take twice as long as that and the fit.
    log : callable
        Called with one line per step.
    **options
        Further fields of `withhold.workflow.request.Request`, such as `drop`, `keep`, `continuous`, `drop_utility`.

    Returns
    -------
    Choice

    Raises
    ------
    InvalidParameterError
        There is nothing to choose by, or no method applies.
    DataError
        No method could be fitted.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = rng.integers(0, 2, 400)
    >>> X = np.c_[s + rng.normal(size=400), rng.normal(size=(400, 2))]
    >>> choose(X, sensitive_features=s)
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.InvalidParameterError: There is nothing to choose a method by. Pass budget=0.05, or ...
    """
    if budget is None and target_utility is None:
        raise InvalidParameterError(
            "There is nothing to choose a method by. Pass budget=0.05, or target_utility=0.8 with y, or fit "
            "DeepMinMax(), the default."
        )
    table = to_frame(X, "X").table
    table, sensitive = with_columns(table, sensitive_features, SENSITIVE)
    table, utility = with_columns(table, y, UTILITY)
    table, subjects = with_columns(table, groups, GROUPS)
    chosen = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    request = Request(
        data=Path("data.parquet"),
        sensitive=sensitive,
        utility=utility,
        groups=subjects[0] if subjects else None,
        budget=Budgets.read(budget).written,
        target_utility=target_utility,
        use_utility=use_utility,
        time=None if time_limit is None else str(time_limit),
        seed=random_state,
        effort=effort,
        **chosen,  # type: ignore[arg-type]
    )
    job = job_of(request, Source(request.data, table, "", ".parquet"))
    record = choose_for(job, np.arange(table.num_rows), log)
    sanitizer = unfitted(named(request, record.method, record.settings), None, job.budget)
    seen = y if use_utility or sanitizer.needs_y else None
    if seen is None:  # a column of X that is named as y is no feature, whatever the fit is given
        sanitizer.drop = (*request.drop, *(name for name in names_given(y) if name in table.column_names))
    sanitizer.fit(X, seen, sensitive_features=sensitive_features, groups=groups)
    return Choice(sanitizer, record)
