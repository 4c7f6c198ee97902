"""What is proposed: the request itself, option by option, with what was found wrong put right and tried."""

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from withhold.contracts.budgets import Budgets
from withhold.data.frames import to_frame
from withhold.workflow.job import job_of
from withhold.workflow.plan_words import Remedy, command_of
from withhold.workflow.proposal import keeping_utility, proposed, prospect_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

N = 1_500


def job(n=N, **options):
    rng = np.random.default_rng(0)
    s, near = rng.integers(0, 2, n), rng.random(n)
    columns = {
        "a b": s + rng.normal(size=n),
        "u": np.where(near < 0.75, s, 1 - s),
        "t": rng.integers(0, 2, n),
        "rare": rng.permutation(np.arange(n) % 40 == 0).astype(int),
        "s": s,
    }
    hidden, useful = options.pop("sensitive", ("s",)), options.pop("utility", ())
    request = Request(Path("d/my data.csv"), hidden, useful, effort="quick", **options)
    return job_of(request, Source(request.data, to_frame(pd.DataFrame(columns), "data").table, "", ".csv"))


def foreseen(**options):
    return prospect_of(job(**options))


@pytest.fixture(scope="module")
def usual():
    """Foretold without a budget; one that is asked for changes no forecast but its word."""
    return foreseen()


def asking(start, budget, **options):
    found = start.changed(Remedy(Budgets(budget), False, False))
    return replace(found, job=replace(found.job, request=replace(found.job.request, **options))) if options else found


def test_options_come_back_as_they_were_given(usual):
    given = {"settings": ("rounds=3",), "keep_order": True, "attackers": ("logistic", "boosting"), "sep": ";"}
    assert shlex.join(command_of(asking(usual, 0.3, **given).job.request)) == (
        "withhold run 'd/my data.csv' --sep ';' --sensitive s --budget 0.3 --set rounds=3 "
        "--attackers logistic,boosting --effort quick --keep-order --out 'my data-release'"
    )
    assert command_of(usual.job.request, Path("mine"))[-2:] == ["--out", "mine"]


def test_what_can_be_decided_is_left_as_it_is(usual):
    assert proposed(asking(usual, 0.3)).job.request.budget == 0.3


@pytest.mark.parametrize("budget", [None, 0.002, 0.05, 0.68, 0.9])
def test_what_is_proposed_is_not_refused(usual, budget):
    found = proposed(asking(usual, budget))
    again = prospect_of(found.job)
    assert not found.job.budgets or again.worst.word == "decides"


def test_a_cross_fitted_release_is_foretold_as_its_own_run_foretells_it(usual):
    across = asking(usual, 0.01)
    run = prospect_of(job(cross_fit=5, method="deepminmax", budget=0.01))
    assert across.ahead.cross_fit_budget == run.power.decidable_budget
    assert np.array_equal(across.across.job.parts.fold, run.job.parts.fold)


def test_a_time_for_choosing_goes_where_a_method_is_named(usual):
    found = asking(usual, 0.01, time="5m").changed(Remedy(Budgets(0.1), False, True))
    assert (found.job.request.cross_fit, found.job.request.method, found.job.request.time) == (5, "deepminmax", None)


def test_a_budget_that_no_row_decides_is_given_up_and_with_it_all_others():
    start = foreseen(sensitive=("s", "rare"), budget=("s=0.3", "rare=0.02"), n=200)
    found = proposed(start)
    assert start.job.budgets.named
    assert found.job.request.budget is None
    assert found.job.request.cross_fit is None
    assert "--budget" not in command_of(found.job.request)


def test_u_that_breaks_the_budget_is_dropped_or_more_is_allowed_if_that_says_something():
    start = foreseen(utility=("u",), budget=0.06)
    assert start.worst.word == "utility_reveals"
    better, kept = proposed(start), keeping_utility(start)
    assert better.job.request.drop_utility
    assert prospect_of(better.job).worst.word in ("decides", "no_budget")
    assert kept is None or (kept.worst.word == "decides" and not kept.job.request.drop_utility)
    assert keeping_utility(asking(foreseen(), 0.3)) is None
