"""The words of a plan: its one sentence, and what of the request follows from it."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from withhold.contracts.budgets import JOINT, LARGE_SHARE, NO_BUDGET, Budgets, usual_budget
from withhold.contracts.plan_record import Outlook, PowerTold, UtilityTold
from withhold.contracts.rounding import budget_up, rounded_up
from withhold.contracts.wording import listed, option, verb
from withhold.workflow.job import Job
from withhold.workflow.request import Request

# Folds of a cross-fitted release, where the rows cannot decide otherwise.
USUAL_FOLDS = 5
# A chance of a verdict from which on rows are said to decide.
DECIDES = 0.8


def statement_of(word: Outlook, job: Job, power: PowerTold, told: UtilityTold | None) -> str:
    """Return the answer in one sentence or two.

    Parameters
    ----------
    word : str
        The outlook.
    """
    hidden, budget = listed(job.roles.sensitive), job.together
    more = (
        "no number of rows would do"
        if power.rows_needed is None
        else f"about {rounded_up(power.rows_needed, 2)} rows would do"
    )
    if (
        power.rows_needed is None
        and told is not None
        and told.handed_over
        and budget is not None
        and told.holds > budget
    ):
        it = verb(told.utility, "it", "them")
        drop = option("drop_utility", True)
        more += f" while {listed(told.utility)} alone may tell {told.holds:.3f} nat (leave {it} out with {drop})"
    least = power.decidable_budget
    can = "no budget" if least is None else f"budgets from {budget_up(least):g} nat on"
    if least is not None and least > LARGE_SHARE * power.entropy:
        share = f"{100 * least / power.entropy:.0f} % of all there is to know"
        if any(attribute.kind == "continuous" for attribute in job.attributes):
            share = "too much for a pass to say anything"
        can = f"only budgets from {budget_up(least):g} nat on, {share}"
    crossed = power.cross_fit_budget
    if crossed is not None and word != "decides" and (least is None or budget_up(crossed) < budget_up(least)):
        can += (
            f", and with {option('cross_fit', USUAL_FOLDS)}, where every row counts, from {budget_up(crossed):g} nat on"
        )
    rows = f"{power.rows:,} rows"
    whose = f" for {hidden}" if job.request.budgets.named else ""
    if word == "utility_reveals" and told is not None and budget is not None:
        return (
            f"{listed(told.utility)} alone {verb(told.utility, 'tells', 'tell')} at least {told.told.low or 0.0:.3f} "
            f"nat about {hidden}, more than the budget of {budget:.3g}: every release that contains "
            f"{verb(told.utility, 'it', 'them')} fails. Leave {verb(told.utility, 'it', 'them')} out with "
            f"{option('drop_utility', True)}, or allow at least {budget_up(told.holds):g} nat."
            + ("" if (power.chance or 0.0) >= DECIDES else f" Even then {more} for this budget, and there are {rows}.")
        )
    if word == "restricts_nothing" and budget is not None:
        return (
            f"The budget of {budget:.3g} nat is at or above all there is to know about {hidden}, so it restricts "
            "nothing. Give a smaller one."
        )
    if word == "too_few_rows" and budget is not None:
        return (
            f"{rows} cannot show that a release stays within {budget:.3g} nat{whose}: the audit would end inconclusive "
            f"or failed. For this budget {more}; these rows can decide {can}."
        )
    if word == "uncertain" and budget is not None:
        return (
            f"{rows} may not decide a budget of {budget:.3g} nat{whose}: a good release passes in about "
            f"{100 * (power.chance or 0.0):.0f} of 100 audits. For this budget {more}; these rows can decide {can}."
        )
    if word == "decides" and budget is not None:
        return f"{rows} are enough to decide a budget of {budget:.3g} nat{whose}; they can decide {can}."
    return f"No budget was given. These {rows} can decide {can}."


@dataclass(frozen=True)
class Remedy:
    """What of a request a plan puts right.

    Attributes
    ----------
    budgets : Budgets
        Those to ask for; none where no budget can be had.
    drop_utility : bool
    across : bool
        Whether the release is to be cross-fitted.
    """

    budgets: Budgets
    drop_utility: bool
    across: bool


def remedy_for(word: Outlook, job: Job, power: PowerTold, told: UtilityTold | None, limit: str = JOINT) -> Remedy:
    """Return what is to be put right before a run.

    Parameters
    ----------
    word, job, power, told
        As for `statement_of`.
    limit : str
        The attribute whose own budget decides, "joint" for all together.
    """
    budgets, drop = job.budgets, job.request.drop_utility
    if word == "utility_reveals":
        drop, word = True, "decides" if (power.chance or 0.0) >= DECIDES else "too_few_rows"
    asked = budgets.of(limit) if budgets.named else job.together
    budget = asked
    holds = told.holds if told is not None else 0.0
    worth = power.decidable_budget is not None and power.decidable_budget <= LARGE_SHARE * power.entropy
    least = budget_up(power.decidable_budget or 0.0) if worth else None
    crossed = power.cross_fit_budget
    worth_it = crossed is not None and budget_up(crossed) <= LARGE_SHARE * power.entropy
    across = False
    usual = usual_budget(power.entropy)
    if word in ("too_few_rows", "uncertain") and crossed is not None and asked is not None and asked >= crossed:
        across = True
    elif word in ("too_few_rows", "uncertain", "no_budget", "restricts_nothing") and least is None and worth_it:
        across, budget = True, max(budget_up(crossed or 0.0), 0.0 if drop else budget_up(holds))
    elif word in ("too_few_rows", "uncertain"):
        budget = least if least is not None or word == "too_few_rows" else budget
    elif word in ("no_budget", "restricts_nothing"):
        budget = max(usual, least or 0.0, 0.0 if drop else budget_up(holds)) if least is not None else None
    if not budgets.named:
        asks = budget if budget is None or budget == job.request.budget else float(f"{budget:.3g}")
        return Remedy(Budgets(asks), drop, across)
    if budget is None:  # a run judges all limits or none
        return Remedy(NO_BUDGET, drop, across)
    # the one that cannot be is put right, the others stay
    return Remedy(budgets if budget == asked else budgets.changed(limit, float(f"{budget:.3g}")), drop, across)


def command_of(request: Request, out: Path | None = None) -> list[str]:
    """Return the command that makes a request, argument by argument; the folder is named after the data by default.

    Examples
    --------
    >>> " ".join(command_of(Request(Path("a.csv"), ("sex",), method="leace", budget=0.05), Path("b")))
    'withhold run a.csv --sensitive sex --method leace --budget 0.05 --out b'
    """
    command = ["withhold", "run", str(request.data)]
    for field in fields(Request):
        value = getattr(request, field.name)
        if field.name != "data" and value != field.default:
            command += typed(field.name, value)
    return [*command, "--out", f"{request.data.stem}-release" if out is None else str(out)]


def typed(name: str, value: Any) -> list[str]:
    """Return an option as it is typed."""
    option = get_args(get_type_hints(Request, include_extras=True)[name])[1]
    flag = option.flag or f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        return [flag]
    if option.separated:
        return [flag, ",".join(value)]
    return [text for one in (value if isinstance(value, tuple) else (value,)) for text in (flag, str(one))]
