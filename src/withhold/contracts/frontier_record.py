"""What methods and trivial releases leak and keep at several settings: one cell for each setting and seed."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.lazy import lazily
from withhold.contracts.quantity import Quantity
from withhold.contracts.record import Record

_made_by, _ = lazily("withhold", {"FrontierDisplay": "withhold.report.frontier", "cells": "withhold.report.frontier"})
Measure = Literal["nat", "score", "retention"]


class FrontierCell(Record):
    """One method with settings, or one trivial release, fitted and measured once.

    Attributes
    ----------
    name : str
        The method, or what the trivial release is.
    rival : bool
        Whether it is a trivial release.
    budget : float or None
        What the method aimed at, in nats; None for one that takes no budget.
    seed : int
        Of the split, of training and of noise.
    trial : TrialRecord
        What leaked, and what was kept.
    kept : Quantity or None
        Nats that the released columns tell of the utility attributes, all together: a lower bound, on rows that were
        not fitted. None where they are numbers, or too many classes.
    """

    name: str
    rival: bool = False
    budget: float | None = None
    seed: int
    trial: TrialRecord
    kept: Quantity | None = None


class PossiblePoint(Record):
    """What releases of these columns can keep at one leakage, in nats.

    Attributes
    ----------
    leakage : float
    most : float
        No release whatever keeps more and leaks no more: I(U;Z) <= H(U) - T(k), certified for the table of S and U.
    reached : float
        A known release keeps this: I(U;X) less its loss; 0 where the columns tell nothing certain of U.
    """

    leakage: float
    most: float
    reached: float


class FrontierPoint(Record):
    """Cells of one setting, over seeds.

    Attributes
    ----------
    leakage, low, high : float or None
        Mean over seeds, in nats, and the outermost ends of the intervals of single seeds.
    kept, kept_low, kept_high : float or None
        The same of what is kept, in the measure of the record.
    failed : str
        Why a seed has no release; then the others say nothing of what the setting does.
    """

    name: str
    method: str
    settings: list[str]
    rival: bool
    budget: float | None = None
    seeds: int
    leakage: float | None = None
    low: float | None = None
    high: float | None = None
    kept: float | None = None
    kept_low: float | None = None
    kept_high: float | None = None
    failed: str = ""


class TunedSetting(Record):
    """The best setting of a method for one budget, as a search found it on rows that no cell is judged on.

    Attributes
    ----------
    budget : float
        Nats that the release may tell.
    held : bool
        Whether the upper end of what leaked in its trial is within the budget; where no trial was, it is the closest.
    trials : int
        How many settings of the method were compared.
    trial : TrialRecord
        With the settings, and what they came to on these rows.
    """

    budget: float
    held: bool
    trials: int
    trial: TrialRecord


class FrontierRecord(Record):
    """Leakage against utility, of methods and of what anybody could release.

    Attributes
    ----------
    sensitive, utility : list of str
    n : int
        Rows.
    entropy : float or None
        H(S) of all sensitive attributes together, in nats; None of numbers and of too many combinations.
    measure : {"nat", "score", "retention"}
        What is kept: nats that the released columns tell of the utility attributes; where these are no classes the mean
        accuracy or R squared; without any the mean retention of columns.
    seeds : list of int
    budgets : list of float
    cells : list of FrontierCell
    possible : list of PossiblePoint
        By leakage; empty where it is not computed.
    notes : list of str
    tuned : list of TunedSetting
        What a search of settings found best, by method and budget; empty without one. Their cells are named
        "METHOD, tuned".
    """

    schema_version: Literal[1] = 1
    sensitive: list[str]
    utility: list[str]
    n: int
    entropy: float | None
    measure: Measure
    seeds: list[int]
    budgets: list[float]
    cells: list[FrontierCell]
    possible: list[PossiblePoint] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    tuned: list[TunedSetting] = Field(default_factory=list)

    @property
    def points(self) -> list[FrontierPoint]:
        """One for each setting, in the order of the cells."""
        grouped: dict[tuple[str, ...], list[FrontierCell]] = {}
        for cell in self.cells:
            grouped.setdefault((cell.name, *cell.trial.settings), []).append(cell)
        return [_point(cells, self.measure) for cells in grouped.values()]

    def best(self, *, budget: float) -> FrontierPoint | None:
        """Return the setting that keeps most among those whose leakage has its upper end within a budget.

        A trivial release is returned where it beats every method. What is best was found on the rows that measured it,
        which flatters it: `withhold run` judges on others.

        Parameters
        ----------
        budget : float
            Nats.

        Returns
        -------
        FrontierPoint or None
            None where nothing stays within the budget in every seed.
        """
        held = [one for one in self.points if one.high is not None and one.high <= budget and one.kept is not None]
        return max(held, key=lambda one: one.kept or 0.0, default=None)

    def plot(self, ax: Any = None) -> Any:
        """Draw what is kept over what leaks, with intervals, trivial releases and what is possible.

        Raises
        ------
        MissingExtraError
            matplotlib is not installed.
        """
        return _made_by("FrontierDisplay").from_record(self).plot(ax).ax_

    def to_frame(self) -> Any:
        """Return one row per cell as a pandas DataFrame; information is in nats."""
        return _made_by("cells")(self)


def kept_of(cell: FrontierCell, measure: Measure) -> tuple[float, float | None, float | None] | None:
    """Return what a cell keeps, in a measure, with the ends of its interval where there is one.

    Examples
    --------
    >>> trial = TrialRecord(method="leace", fitted=1, n=2, utility={"u": 0.8}, retention=0.5)
    >>> kept_of(FrontierCell(name="leace", seed=0, trial=trial), "score")
    (0.8, None, None)
    """
    if measure == "nat":
        return None if cell.kept is None else (cell.kept.value, cell.kept.low, cell.kept.high)
    scores = list(cell.trial.utility.values())
    value = cell.trial.retention if measure == "retention" else sum(scores) / len(scores) if scores else None
    return None if value is None else (value, None, None)


def _point(cells: Sequence[FrontierCell], measure: Measure) -> FrontierPoint:
    first = cells[0]
    known: dict[str, Any] = {
        "name": first.name,
        "method": first.trial.method,
        "settings": first.trial.settings,
        "rival": first.rival,
        "budget": first.budget,
        "seeds": len(cells),
    }
    failed = next((cell.trial.failed for cell in cells if cell.trial.failed), "")
    leaks = [cell.trial.leakage for cell in cells if cell.trial.leakage is not None]
    if failed or len(leaks) < len(cells):
        return FrontierPoint(**known, failed=failed or "nothing was measured")
    keeps = [kept for cell in cells if (kept := kept_of(cell, measure)) is not None]
    values = [kept[0] for kept in keeps]
    highs = [leak.high for leak in leaks]
    return FrontierPoint(
        **known,
        leakage=sum(leak.value for leak in leaks) / len(leaks),
        low=min(leak.value if leak.low is None else leak.low for leak in leaks),
        high=None if None in highs else max(high for high in highs if high is not None),
        kept=sum(values) / len(values) if len(values) == len(cells) else None,
        kept_low=min((value if low is None else low for value, low, _ in keeps), default=None),
        kept_high=max((value if high is None else high for value, _, high in keeps), default=None),
    )
