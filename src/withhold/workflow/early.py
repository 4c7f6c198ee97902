"""The check that a run begins with: it stops before the fit where no verdict within the budget can come out."""

import shlex
from collections.abc import Callable

from withhold.contracts.errors import NoVerdictError, OverBudgetError
from withhold.contracts.wording import option
from withhold.workflow.binding import HOPELESS, binding, forecasts
from withhold.workflow.choice import method_class
from withhold.workflow.cross_fit import folds_for
from withhold.workflow.job import Job
from withhold.workflow.plan import power_ahead, utility_told
from withhold.workflow.plan_words import command_for, remedy_for, statement_of

# A detection limit is foretold within this factor: a run is stopped only where the rows could not decide a budget that
# much larger either.
MARGIN = 1.5
REMEDY = "Nothing was fitted; {anyway} goes on all the same. Better: {command}"


def stop_early(job: Job, log: Callable[[str], None] = lambda text: None) -> None:
    """Refuse a run that can only end without a verdict, or over budget, whatever its method makes of the features.

    Parameters
    ----------
    log : callable
        Told where the rows may not decide the budget.

    Raises
    ------
    OverBudgetError
        The utility attributes, which are handed over unchanged, tell more than the budget.
    NoVerdictError
        The rows cannot decide the budget, or it is no limit at all.
    """
    # What is promised under differential privacy does not rest on the audit.
    if not job.budgets or not len(job.attributes) or method_class(job.request.method).fresh_noise:
        return
    log("checking whether these rows can decide the budget")
    worst = binding(forecasts(job, read_raw=False))
    word, found, budget = worst.word, worst.found, worst.budget or 0.0
    ahead, told = power_ahead(word, found, budget, folds_for(job)), utility_told(job, found)
    text = statement_of(word, worst.job, ahead, told)
    remedy = REMEDY.format(
        anyway=option("anyway", True),
        command=shlex.join(command_for(remedy_for(word, job, ahead, told, worst.name), job)),
    )
    if word == "utility_reveals":
        raise OverBudgetError(f"{text} {remedy}")
    hopeless = word == "too_few_rows" and found.power.chance_decided(MARGIN * budget, found.rows) < HOPELESS
    if word == "restricts_nothing" or hopeless:
        raise NoVerdictError(f"{text} {remedy}")
    if word in ("too_few_rows", "uncertain"):
        log(text)
