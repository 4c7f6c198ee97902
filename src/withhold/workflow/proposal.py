"""What to run next: the same request with what is wrong put right, tried by the check that its own run begins with."""

from dataclasses import dataclass, replace
from functools import cached_property

from withhold.audit.planning.outlook import Outlook
from withhold.contracts.budgets import JOINT, LARGE_SHARE, NO_BUDGET
from withhold.contracts.plan_record import PowerTold, UtilityTold
from withhold.methods.catalogue import AUTO, DEFAULT
from withhold.workflow.binding import Forecast, binding, forecasts, outlook_of
from withhold.workflow.cross_fit import folds_for
from withhold.workflow.foreseen import power_ahead, power_told, utility_told, without_utility
from withhold.workflow.job import Job
from withhold.workflow.parts import draw_folds
from withhold.workflow.plan_words import Remedy, remedy_for


@dataclass(frozen=True)
class Prospect:
    """A job, and what was foretold of each of its limits.

    Attributes
    ----------
    made : tuple of Forecast
        The first is about all attributes together.
    """

    job: Job
    made: tuple[Forecast, ...]

    @property
    def worst(self) -> Forecast:
        """The limit that decides."""
        return binding(self.made)

    @cached_property
    def across(self) -> "Prospect | None":
        """The same, cross-fitted, foretold on the folds that its run would draw; None where that cannot be."""
        folds = folds_for(self.job)
        if not folds:
            return None
        job = cross_fitted(self.job, folds)
        return Prospect(job, tuple(forecasts(job, read_raw=False)))

    @cached_property
    def power(self) -> PowerTold:
        """What an audit can see, also of a cross-fitted release where this one may not be decided."""
        return power_told(self.worst.found, self.worst.budget, self._crossed())

    @cached_property
    def ahead(self) -> PowerTold:
        """The same once the advice is taken."""
        return power_ahead(self.worst.word, self.worst.found, self.worst.budget, self._crossed())

    @property
    def told(self) -> UtilityTold | None:
        """What the utility attributes alone tell."""
        return utility_told(self.job, self.worst.found)

    def changed(self, remedy: Remedy) -> "Prospect":
        """Return what is foretold once something was put right; rows are read anew only where they are parted anew."""
        base = self.across if remedy.across and self.across is not None else self
        drop = remedy.drop_utility
        request = replace(base.job.request, budget=remedy.budgets.written, budget_advantage=None, drop_utility=drop)
        job = replace(base.job, request=request, budgets=remedy.budgets)
        return Prospect(job, tuple(_reworded(one, job, drop) for one in base.made))

    def _crossed(self) -> Outlook | None:
        if self.worst.word == "decides" or self.across is None:
            return None
        return next(one.found for one in self.across.made if one.name == self.worst.name)


def prospect_of(job: Job, *, read_raw: bool = False) -> Prospect:
    """Foretell a job, as `forecasts` does."""
    return Prospect(job, tuple(forecasts(job, read_raw=read_raw)))


def _reworded(one: Forecast, job: Job, drop_utility: bool) -> Forecast:
    part = job if len(job.attributes) == 1 or one.name == JOINT else job.about(one.name)
    found = without_utility(one.found) if drop_utility else one.found
    return Forecast(one.name, part, found, outlook_of(found, part.together, drop_utility))


def cross_fitted(job: Job, folds: int) -> Job:
    """Return a job in which every row is audited: none is left to choose a method on, so that one is named."""
    request = job.request
    method = DEFAULT if request.method == AUTO else request.method
    parts = draw_folds(job.attributes, job.groups, job.table.num_rows, folds, request.seed)
    return replace(job, request=replace(request, cross_fit=folds, method=method, time=None), parts=parts)


def proposed(start: Prospect) -> Prospect:
    """Return what to ask for: what was asked where it can be decided, else what is nearest and can be.

    Where no budget that says something can be decided, there is none in it: its run measures and judges nothing.
    """
    now = start.changed(Remedy(start.job.budgets, start.job.request.drop_utility, False))  # in nats
    own, last = now.job.budgets, None
    # Each limit can be put right once with and once without utility, or folds.
    for _ in range(2 * len(start.made) + 2):
        worst = now.worst
        if worst.word == "decides":
            return now
        remedy = remedy_for(worst.word, now.job, now.ahead, now.told, worst.name)
        last, now = now, now.changed(remedy)
        if not remedy.budgets or now.job.request == last.job.request:
            break
    if now.worst.word == "uncertain" and now.job.budgets == own:
        return now
    return start.changed(Remedy(NO_BUDGET, now.job.request.drop_utility, False))


def keeping_utility(start: Prospect) -> Prospect | None:
    """Return what to ask for where U is to stay, which breaks the budget: one that U alone does not break.

    None where U breaks no budget, or where such a budget would say little.
    """
    worst, told = start.worst, start.told
    if worst.word != "utility_reveals" or told is None or told.holds > LARGE_SHARE * start.power.entropy:
        return None
    remedy = remedy_for("no_budget", start.job, start.power, told, worst.name)
    found = proposed(start.changed(remedy)) if remedy.budgets else None
    decided = found is not None and found.worst.word == "decides" and not found.job.request.drop_utility
    return found if decided else None
