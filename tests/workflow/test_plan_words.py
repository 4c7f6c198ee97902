"""The words of a plan, and what of a request it puts right."""

from pathlib import Path

import numpy as np
import pandas as pd

from withhold.contracts.budgets import Budgets
from withhold.contracts.plan_record import PowerTold, UtilityTold
from withhold.contracts.quantity import Quantity
from withhold.contracts.rounding import budget_up
from withhold.data.frames import to_frame
from withhold.workflow.job import job_of
from withhold.workflow.plan_words import remedy_for, statement_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

POWER = PowerTold(rows=40, detection_limit=0.1, rows_needed=900, decidable_budget=0.123, chance=0.0, entropy=0.69)


def job(**options):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a b": rng.normal(size=40), "u": rng.integers(0, 2, 40), "s": np.arange(40) % 2})
    hidden, useful = options.pop("sensitive", ("s",)), options.pop("utility", ("u",))
    request = Request(Path("d/my data.csv"), hidden, useful, **options)
    return job_of(request, Source(request.data, to_frame(table, "data").table, "", ".csv"))


def test_too_few_rows_get_the_budget_they_decide():
    assert remedy_for("too_few_rows", job(budget=0.01), POWER, None).budgets == Budgets(0.13)
    worthless = POWER.model_copy(update={"decidable_budget": 0.5})
    assert not remedy_for("too_few_rows", job(budget=0.01), worthless, None).budgets
    assert "72 % of all there is to know" in statement_of("too_few_rows", job(budget=0.01), worthless, None)


def test_a_small_entropy_gets_a_budget_that_limits_it():
    rare = POWER.model_copy(update={"decidable_budget": 0.004, "entropy": 0.04})
    assert remedy_for("restricts_nothing", job(budget=0.05), rare, None).budgets == Budgets(0.01)


def test_a_utility_that_may_tell_more_than_the_budget_is_named_where_no_rows_would_do():
    never = POWER.model_copy(update={"rows_needed": None})
    reading = Quantity(value=0.05, low=0.04, high=0.07, kind="lower_bound")
    told = UtilityTold(utility=["u"], told=reading, handed_over=True, holds=0.07)
    said = statement_of("too_few_rows", job(budget=0.05), never, told)
    assert "no number of rows would do while 'u' alone may tell 0.070 nat (leave it out with drop_utility=True)" in said
    kept = told.model_copy(update={"handed_over": False})
    assert "alone" not in statement_of("too_few_rows", job(budget=0.05), never, kept)
    assert "alone" not in statement_of("too_few_rows", job(budget=0.05), POWER, told)


def test_where_u_breaks_the_budget_it_is_dropped_and_what_rows_decide_then_is_asked_for():
    reading = Quantity(value=0.12, low=0.1, high=0.141, kind="lower_bound")
    told = UtilityTold(utility=["u"], told=reading, handed_over=True, holds=0.141)
    few = remedy_for("utility_reveals", job(budget=0.05), POWER, told)
    assert (few.drop_utility, few.budgets) == (True, Budgets(0.13))
    enough = remedy_for("utility_reveals", job(budget=0.05), POWER.model_copy(update={"chance": 0.9}), told)
    assert (enough.drop_utility, enough.budgets) == (True, Budgets(0.05))


def test_the_budget_that_cannot_be_is_put_right_and_the_others_stay():
    asked = job(sensitive=("s", "u"), utility=(), budget=("s=0.01", "u=0.3"))

    def written(word, limit="joint", power=POWER):
        return remedy_for(word, asked, power, None, limit).budgets.written

    assert written("decides") == ("s=0.01", "u=0.3")
    assert written("too_few_rows", "s") == ("u=0.3", "s=0.13")
    assert written("too_few_rows") == ("s=0.01", "u=0.3", "joint=0.13")
    assert written("too_few_rows", power=POWER.model_copy(update={"decidable_budget": None})) is None


def test_rounding_never_makes_a_budget_smaller():
    for nats in np.random.default_rng(0).uniform(1e-4, 1, 200):
        assert nats <= budget_up(nats) <= 1.11 * nats


def test_rows_that_decide_once_all_of_them_count_are_cross_fitted():
    crossed = POWER.model_copy(update={"decidable_budget": 0.3, "cross_fit_budget": 0.11})

    def remedy(word, budget, power=crossed):
        found = remedy_for(word, job(budget=budget), power, None)
        return found.across, found.budgets.every

    assert remedy("too_few_rows", 0.12) == (True, 0.12)
    assert remedy("too_few_rows", 0.01) == (True, 0.11)
    assert remedy("decides", 0.12) == (False, 0.12)
    assert remedy("too_few_rows", 0.12, POWER) == (False, 0.13)
    said = statement_of("too_few_rows", job(budget=0.12), crossed, None)
    assert "with cross_fit=5, where every row counts, from 0.11 nat on" in said
