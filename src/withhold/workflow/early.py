"""The check that a run begins with: it stops before the fit where no verdict within the budget can come out."""

import shlex
from collections.abc import Callable
from pathlib import Path

from withhold.contracts.errors import NoVerdictError, OverBudgetError
from withhold.contracts.wording import option
from withhold.workflow.binding import HOPELESS
from withhold.workflow.choice import method_class
from withhold.workflow.job import Job
from withhold.workflow.plan_words import command_of, statement_of
from withhold.workflow.proposal import proposed, prospect_of

# A detection limit is foretold within this factor: a run is stopped only where the rows could not decide a budget that
# much larger either.
MARGIN = 1.5
REMEDY = "Nothing was fitted; {anyway} goes on all the same. {better}: {command}"
BETTER, MEASURED = "Better", "Better, without a budget, so that it measures and judges nothing"


def stop_early(
    job: Job, log: Callable[[str], None] = lambda text: None, out: Path | None = None, overwrite: bool = False
) -> None:
    """Refuse a run that can only end without a verdict, or over budget, whatever its method makes of the features.

    Parameters
    ----------
    log : callable
        Told where the rows may not decide the budget.
    out : Path, optional
        The folder of the run, for the command that is proposed.
    overwrite : bool
        Whether earlier results there may be replaced.

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
    asked = prospect_of(job)
    word, found, budget = asked.worst.word, asked.worst.found, asked.worst.budget or 0.0
    if word == "decides":
        return
    text = statement_of(word, asked.worst.job, asked.ahead, asked.told)
    hopeless = word == "too_few_rows" and found.power.chance_decided(MARGIN * budget, found.rows) < HOPELESS
    if word not in ("utility_reveals", "restricts_nothing") and not hopeless:
        log(text)
        return
    better = proposed(asked)
    command = [*command_of(better.job.request, out), *["--overwrite"] * overwrite]
    remedy = REMEDY.format(
        anyway=option("anyway", True),
        better=BETTER if better.job.budgets else MEASURED,
        command=shlex.join(command),
    )
    raise (OverBudgetError if word == "utility_reveals" else NoVerdictError)(f"{text} {remedy}")
