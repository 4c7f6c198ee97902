"""The command of a plan: the request itself, option by option, with what was found wrong put right."""

import shlex
from pathlib import Path

import numpy as np
import pandas as pd

from withhold.contracts.plan_record import PowerTold, UtilityTold
from withhold.contracts.quantity import Quantity
from withhold.contracts.rounding import budget_up
from withhold.data.frames import to_frame
from withhold.workflow.job import job_of
from withhold.workflow.plan_words import DECIDED, command_for, keeping_utility, remedy_for, statement_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

POWER = PowerTold(rows=40, detection_limit=0.1, rows_needed=900, decidable_budget=0.123, chance=0.0, entropy=0.69)


def commanded(word, asked, *found):
    return command_for(remedy_for(word, asked, *found), asked)


def job(**options):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a b": rng.normal(size=40), "u": rng.integers(0, 2, 40), "s": np.arange(40) % 2})
    hidden, useful = options.pop("sensitive", ("s",)), options.pop("utility", ("u",))
    request = Request(Path("d/my data.csv"), hidden, useful, **options)
    return job_of(request, Source(request.data, to_frame(table, "data").table, "", ".csv"))


def test_every_option_of_a_run_is_passed_on_or_decided_here():
    assert {*Request.__dataclass_fields__} > DECIDED
    asked = job(sep=";", title="A & B", continuous=("x",), budget_advantage=None)
    typed = commanded("decides", asked, POWER, None)
    assert typed[typed.index("--sep") + 1] == ";"
    assert typed[typed.index("--title") + 1] == "A & B"
    assert "--continuous" in typed


def test_options_come_back_as_they_were_given():
    asked = job(budget=0.3, settings=("rounds=3",), keep_order=True, effort="quick", attackers=("logistic", "boosting"))
    typed = shlex.join(commanded("decides", asked, POWER, None))
    assert typed == (
        "withhold run 'd/my data.csv' --sensitive s --utility u --budget 0.3 --set rounds=3 "
        "--attackers logistic,boosting --effort quick --keep-order --out 'my data-release'"
    )


def test_too_few_rows_get_the_budget_they_decide():
    command = commanded("too_few_rows", job(budget=0.01), POWER, None)
    assert command[command.index("--budget") + 1] == "0.13"
    worthless = POWER.model_copy(update={"decidable_budget": 0.5})
    assert "--budget" not in commanded("too_few_rows", job(budget=0.01), worthless, None)
    assert "72 % of all there is to know" in statement_of("too_few_rows", job(budget=0.01), worthless, None)


def test_a_utility_that_may_tell_more_than_the_budget_is_named_where_no_rows_would_do():
    never = POWER.model_copy(update={"rows_needed": None})
    reading = Quantity(value=0.05, low=0.04, high=0.07, kind="lower_bound")
    told = UtilityTold(utility=["u"], told=reading, handed_over=True, holds=0.07)
    said = statement_of("too_few_rows", job(budget=0.05), never, told)
    assert "no number of rows would do while 'u' alone may tell 0.070 nat (leave it out with drop_utility=True)" in said
    kept = told.model_copy(update={"handed_over": False})
    assert "alone" not in statement_of("too_few_rows", job(budget=0.05), never, kept)
    assert "alone" not in statement_of("too_few_rows", job(budget=0.05), POWER, told)


def test_where_u_breaks_the_budget_it_is_dropped_or_more_is_allowed_if_that_says_something():
    reading = Quantity(value=0.12, low=0.1, high=0.141, kind="lower_bound")
    told = UtilityTold(utility=["u"], told=reading, handed_over=True, holds=0.141)
    asked = job(budget=0.05)
    assert "--drop-utility" in commanded("utility_reveals", asked, POWER, told)
    typed = shlex.join(keeping_utility("utility_reveals", asked, POWER, told))
    assert "--budget 0.15 --out" in typed
    assert "--drop-utility" not in typed
    much = told.model_copy(update={"holds": 0.4})
    assert keeping_utility("utility_reveals", asked, POWER, much) == []
    assert keeping_utility("decides", asked, POWER, told) == []


def test_the_budget_that_cannot_be_is_put_right_and_the_others_stay():
    asked = job(sensitive=("s", "u"), utility=(), budget=("s=0.01", "u=0.3"))
    typed = shlex.join(commanded("decides", asked, POWER, None))
    assert "--budget s=0.01 --budget u=0.3 --out" in typed
    typed = shlex.join(commanded("too_few_rows", asked, POWER, None, "s"))
    assert "--budget u=0.3 --budget s=0.13 --out" in typed
    typed = shlex.join(commanded("too_few_rows", asked, POWER, None, "joint"))
    assert "--budget s=0.01 --budget u=0.3 --budget joint=0.13 --out" in typed


def test_rounding_never_makes_a_budget_smaller():
    for nats in np.random.default_rng(0).uniform(1e-4, 1, 200):
        assert nats <= budget_up(nats) <= 1.11 * nats


def test_rows_that_decide_once_all_of_them_count_are_cross_fitted():
    crossed = POWER.model_copy(update={"decidable_budget": 0.3, "cross_fit_budget": 0.11})
    asked = job(budget=0.12)
    typed = shlex.join(commanded("too_few_rows", asked, crossed, None))
    assert "--budget 0.12 --cross-fit 5 --method deepminmax" in typed
    assert "with cross_fit=5, where every row counts, from 0.11 nat on" in statement_of(
        "too_few_rows", asked, crossed, None
    )
    named = shlex.join(commanded("uncertain", job(budget=0.12, method="leace"), crossed, None))
    assert named.count("--method") == 1
    assert "--cross-fit 5" in named
    lower = shlex.join(commanded("too_few_rows", job(budget=0.01), crossed, None))
    assert "--budget 0.11 --cross-fit 5" in lower
    assert "--cross-fit" not in shlex.join(commanded("decides", asked, crossed, None))
    assert "--cross-fit" not in shlex.join(commanded("too_few_rows", asked, POWER, None))
