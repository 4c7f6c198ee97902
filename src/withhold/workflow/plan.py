"""The plan: what a table can bear, at what price and in what time, and the command to run next. Nothing is fitted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from withhold.audit.planning.outlook import Outlook
from withhold.contracts.budgets import Budgets
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.images import image_names
from withhold.contracts.plan_record import BudgetTold, PlanRecord, PriceTold
from withhold.contracts.wording import listed
from withhold.data.frames import to_frame
from withhold.information.bounds.accuracy import attacker_accuracy
from withhold.workflow.bounds import MOST_LEVELS, bounds_of
from withhold.workflow.column_roles import column_roles
from withhold.workflow.cross_fit import refuse_obstacle
from withhold.workflow.job import Job, job_of, prepare
from withhold.workflow.plan_costs import costs
from withhold.workflow.plan_methods import methods_for
from withhold.workflow.plan_words import command_of, statement_of
from withhold.workflow.proposal import keeping_utility, proposed, prospect_of
from withhold.workflow.release import unfitted
from withhold.workflow.request import Request
from withhold.workflow.source import Source

# The curve of what must be lost takes longer than the rest for more combinations of S and U.
MOST_CELLS = 200
COMPARED = "Without --method several are compared and one is chosen: the time has that in it."
ASKS_LITTLE = (
    "The columns as they are tell {told:.3f} nat about {name!r}, less than the budget of {budget:g} nat: it asks for "
    "little."
)
UNJUDGED = (
    "These rows decide no budget that would say much, so the command has none: its release is measured, not judged."
)
# Rows on which the price is measured.
MOST_PRICED = 20_000


def plan(
    data: Any,
    *,
    sensitive: str | Sequence[str],
    utility: str | Sequence[str] = (),
    log: Callable[[str], None] = lambda text: None,
    **options: Any,
) -> PlanRecord:
    """Say what data can bear before anything is fitted: what tells S, how many rows a budget needs, what it costs.

    Parameters
    ----------
    data : path, DataFrame or Table
        A file as for `withhold run`, or a table: one record a row.
    sensitive : str or sequence of str
        Columns to hide.
    utility : str or sequence of str
        Columns that must stay useful.
    log : callable
        Called with one line per step.
    **options
        Further fields of `withhold.workflow.request.Request`: `budget` in nats, `budget_advantage`, `groups`, `drop`,
        `continuous`, `categorical`, `drop_utility`, `method`, `effort`, `seed`.

    Returns
    -------
    PlanRecord

    Raises
    ------
    InvalidParameterError
        An option that cannot be used.
    DataError
        A column that is not there, or that cannot be hidden.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> import pandas as pd
    >>> s = rng.integers(0, 2, 3000)
    >>> table = pd.DataFrame({"a": s + rng.normal(size=3000), "b": rng.normal(size=3000), "s": s})
    >>> found = plan(table, sensitive="s", budget=0.1, effort="quick")
    >>> found.outlook, found.raw["s"].columns[0].column
    ('decides', 'a')
    """
    chosen = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    path = Path(data) if isinstance(data, str | Path) else Path("data.parquet")
    request = Request(data=path, sensitive=_names(sensitive), utility=_names(utility), **chosen)  # type: ignore[arg-type]
    if isinstance(data, str | Path):
        return plan_request(request, log)
    source = Source(path, to_frame(data, "data").table, "", ".parquet")
    return plan_job(job_of(request, source), log)


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def plan_request(request: Request, log: Callable[[str], None] = lambda text: None) -> PlanRecord:
    """Read the data of a request and plan it."""
    return plan_job(prepare(request, log), log)


def plan_job(job: Job, log: Callable[[str], None] = lambda text: None) -> PlanRecord:
    """Plan a job whose data are read."""
    request = job.request
    unfitted(request)  # what a run would refuse
    if not len(job.attributes):
        raise InvalidParameterError("There is no column to hide yet. Add --sensitive COL.")
    refuse_obstacle(job)
    log("reading what the columns tell")
    asked = prospect_of(job, read_raw=True)
    worst, whole = asked.worst, asked.made[0].found
    found, budget = worst.found, worst.budget
    log("measuring the least that must be lost" if request.utility else "measuring this machine")
    price, notes = (None, []) if job.together is None else price_of(job, job.together)
    better, other = proposed(asked), keeping_utility(asked)
    limits, spent = better.job.budgets, costs(better.job, whole)
    notes += [UNJUDGED] * (not limits) + asks_little(limits, whole)
    notes += [COMPARED] * better.job.request.chooses
    return PlanRecord(
        outlook=worst.word,
        statement=statement_of(worst.word, worst.job, asked.ahead, asked.told),
        sensitive=list(job.roles.sensitive),
        utility=list(job.roles.utility),
        n=job.table.num_rows,
        effort=request.effort,
        level=0.95,
        seed=request.seed,
        raw=whole.raw,
        budget=None if budget is None else budget_told(found, budget, request.budget_advantage),
        budgets={
            one.name: budget_told(one.found, own, None)
            for one in asked.made
            if len(asked.made) > 1 and (own := one.budget) is not None
        },
        decided_by=list(worst.job.roles.sensitive),
        utility_alone=asked.told,
        power=asked.power,
        price=price,
        methods=methods_for(job, spent.fits),
        audit_seconds=spent.audit,
        fit_seconds=spent.fit,
        fits=better.job.parts.fits,
        choosing_seconds=spent.choosing,
        beside_seconds=spent.beside,
        machine=spent.machine,
        command=command_of(better.job.request),
        otherwise=[] if other is None else command_of(other.job.request),
        columns=column_roles(job),
        notes=notes,
    )


def asks_little(budgets: Budgets, found: Outlook) -> list[str]:
    """Say where the one budget is above what the columns of the original were seen to tell of the one attribute."""
    if budgets.every is None or budgets.named or len(found.raw) != 1:
        return []
    ((name, raw),), budget = found.raw.items(), budgets.every
    told = max(raw.together.value, 0.0 if found.utility is None else found.utility.value)
    return [ASKS_LITTLE.format(told=told, name=name, budget=budget)] if told < budget else []


def budget_told(found: Outlook, budget: float, advantage: float | None) -> BudgetTold:
    """Return a budget in nats and as what the best attacker reaches within it."""
    if found.judged.kind != "categorical":
        return BudgetTold(nats=budget, advantage=advantage)
    shares = found.power.law.shares
    most = attacker_accuracy(shares, budget, "balanced_accuracy")[1]
    return BudgetTold(nats=budget, advantage=advantage, balanced_accuracy=most, chance=1.0 / len(shares))


def price_of(job: Job, budget: float) -> tuple[PriceTold | None, list[str]]:
    """Return the least loss of U within a budget, and why not where it is not computed."""
    features = job.table.select(list(job.roles.features))
    if not job.roles.utility:
        return None, []
    utility = job.useful
    cells = int(np.prod([max(2, one.n_classes or 4) for one in (*job.attributes, *utility)]))
    if image_names(features) or cells > min(MOST_CELLS, MOST_LEVELS):
        return None, [f"The least loss of {listed(job.roles.utility)} is not computed for these data."]
    rows = np.arange(job.table.num_rows)
    if len(rows) > MOST_PRICED:
        rows = np.sort(np.random.default_rng(job.request.seed).permutation(len(rows))[:MOST_PRICED])
    few = replace(job, table=job.table.take(rows))
    known = bounds_of(
        few.table.select(list(job.roles.features)), job.attributes.take(rows), utility.take(rows), [budget]
    )
    return (
        PriceTold(
            known=known.mutual_information["u_x"],
            least=known.lower_bound[0],
            least_low=max(0.0, known.lower_bound_interval[0][0]),
            reached=known.achievable_bound[0],
        ),
        [],
    )
