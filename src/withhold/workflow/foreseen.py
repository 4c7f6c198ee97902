"""What an audit of the rows will be able to see, as a plan and a run's own check say it."""

import math
from dataclasses import replace

from withhold.audit.planning.outlook import Outlook
from withhold.contracts.plan_record import Outlook as Word
from withhold.contracts.plan_record import PowerTold, UtilityTold
from withhold.workflow.job import Job


def power_told(found: Outlook, budget: float | None, crossed: Outlook | None = None) -> PowerTold:
    """Return what an audit of the rows can see, for the record.

    Parameters
    ----------
    found : Outlook
        Of the release that is asked for.
    crossed : Outlook, optional
        Of the same, cross-fitted.
    """
    power = found.power
    return PowerTold(
        rows=found.rows,
        detection_limit=power.detection_limit(found.rows),
        rows_needed=None if budget is None else power.rows_needed(budget),
        decidable_budget=power.decidable_budget(found.rows),
        cross_fit_budget=None if crossed is None else crossed.power.decidable_budget(crossed.rows),
        chance=None if budget is None else power.chance_decided(budget, found.rows),
        entropy=math.log(2) if power.number else power.law.entropy,
    )


def power_ahead(word: Word, found: Outlook, budget: float | None, crossed: Outlook | None = None) -> PowerTold:
    """Return what an audit can see once the advice is taken: with U left out, the rows may still be too few."""
    if word != "utility_reveals":
        return power_told(found, budget, crossed)
    return power_told(without_utility(found), budget, None if crossed is None else without_utility(crossed))


def without_utility(found: Outlook) -> Outlook:
    """Return what is foretold where U is not handed over."""
    return replace(found, power=replace(found.power, told=0.0))


def utility_told(job: Job, found: Outlook) -> UtilityTold | None:
    """Return what U alone tells, for the record."""
    if found.utility is None:
        return None
    return UtilityTold(
        utility=list(job.roles.utility),
        told=found.utility,
        handed_over=not job.request.drop_utility,
        holds=found.utility.high if found.utility.high is not None else found.power.law.entropy,
    )
