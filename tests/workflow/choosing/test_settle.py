"""The choice on a table whose truth is known: the budget holds where it can, and the rows to be judged are not read."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from withhold.contracts.errors import DataError
from withhold.contracts.plan_record import PriceTold
from withhold.data.frames import to_frame
from withhold.workflow.choosing.candidates import COSTS, Ladder, ladders_for
from withhold.workflow.choosing.settle import choose_for
from withhold.workflow.choosing.trial import Candidate, named
from withhold.workflow.job import Job, job_of
from withhold.workflow.release import unfitted
from withhold.workflow.request import Request
from withhold.workflow.source import Source

N, FIT = 440, 300
# From much noise to little.
NOISE = Ladder(tuple(Candidate("noise", (f"scale={scale}",)) for scale in (30, 3, 0.1)), 1)
TIMELESS = {"seconds", "fit_seconds"}

pytestmark = pytest.mark.usefixtures("one_reader", "brief_audit")


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    s, u = rng.integers(0, 2, (2, N))
    return pd.DataFrame(
        {
            "tells": s + 0.3 * rng.normal(size=N),
            "useful": u + 0.3 * rng.normal(size=N),
            "job": rng.choice(["a", "b", "c"], N),
            "u": u,
            "s": np.where(s, "f", "m"),
            "part": np.where(np.arange(N) < FIT, "fit", "audit"),
        }
    )


def job_about(frame: pd.DataFrame, **options) -> Job:
    options = {"utility": ("u",), "split": "part", "drop_utility": True, "effort": "quick", **options}
    request = Request(Path("data.parquet"), ("s",), **options)
    return job_of(request, Source(Path("data.parquet"), to_frame(frame, "data").table, "", ".parquet"))


def chosen(frame: pd.DataFrame, ladders=(NOISE,), **options):
    job, said = job_about(frame, **options), []
    return choose_for(job, job.parts.fit_rows, said.append, ladders=ladders), said


def facts(choice):
    trials = [one.model_dump(exclude=TIMELESS) for one in (choice.raw, *choice.trials)]
    return trials, choice.method, choice.settings, choice.counted


@pytest.fixture(scope="module")
def first(one_reader, brief_audit):
    return chosen(table(), budget=0.3)


def test_the_most_useful_one_within_the_budget_is_chosen(first):
    choice, said = first
    assert choice.held
    assert choice.raw.leakage.low > 0.3  # the original would break it
    within = [one for one in choice.trials if one.leakage.high <= 0.3]
    assert max(one.kept for one in within) - 0.005 <= next(
        one.kept for one in choice.trials if one.settings == choice.settings
    )
    assert len(choice.trials) >= 2
    assert choice.reason in said[-1]
    assert "0.3 nat" in choice.reason


def test_rows_that_the_audit_judges_change_neither_choice_nor_trials(first):
    poisoned, others = table(), np.arange(N) >= FIT
    poisoned.loc[others, ["tells", "useful"]] = -1e9
    poisoned.loc[others, "job"] = "poison"
    poisoned.loc[others, "s"] = poisoned.loc[others, "s"].map({"f": "m", "m": "f"})
    poisoned.loc[others, "u"] = 1 - poisoned.loc[others, "u"]
    assert facts(chosen(poisoned, budget=0.3)[0]) == facts(first[0])


def test_poison_in_the_rows_that_it_chooses_by_is_noticed(first):
    poisoned = table()
    poisoned.loc[np.arange(N) < FIT, "tells"] = 0.0
    seen = chosen(poisoned, (Ladder(NOISE.rungs[:1]),), budget=0.3)[0]
    assert seen.raw.leakage.low < first[0].raw.leakage.low


def test_what_the_audit_will_pass_is_what_must_be_held(monkeypatch):
    monkeypatch.setattr("withhold.audit.planning.power.Power.room", lambda self, budget, rows: 0.5 * budget)
    choice, _ = chosen(table(), budget=0.3)
    assert choice.counted == 0.5
    taken = next(one for one in choice.trials if one.settings == choice.settings)
    assert choice.held == (taken.most <= 0.15)
    assert "it is foretold to pass upper ends up to 0.15 nat" in choice.reason


def test_a_low_reading_of_what_u_can_be_told_from_stops_no_search(monkeypatch):
    told = PriceTold(known=0.001, least=0.0, least_low=0.0, reached=0.0)
    monkeypatch.setattr("withhold.workflow.choosing.settle.price_of", lambda job, budget: (told, []))
    choice, _ = chosen(table(), budget=0.68)
    assert choice.raw.kept > 0.9
    assert len(choice.trials) >= 2


def test_where_none_holds_the_closest_comes_with_what_would_help():
    choice, _ = chosen(table(), (Ladder(NOISE.rungs[2:]),), budget=0.02)
    assert not choice.held
    assert choice.settings == ["scale=0.1"]
    assert choice.reason.startswith("No candidate held 0.02 nat")
    assert any("drop=['tells']:" in text for text in choice.helps)
    assert any(text.startswith("a budget from about 0.") for text in choice.helps)


def test_u_that_breaks_the_budget_alone_is_to_be_dropped():
    given = table().assign(u=lambda frame: frame.s)
    choice, _ = chosen(given, (Ladder(NOISE.rungs[:1]),), budget=0.05, drop_utility=False)
    assert not choice.held
    assert choice.helps[0].startswith("drop_utility=True: 'u' alone tells")


def test_a_target_is_reached_with_the_least_leakage():
    choice, _ = chosen(table(), target_utility=0.8)
    assert choice.by == "target_utility"
    assert choice.held
    done = [one for one in choice.trials if one.kept >= 0.8]
    assert min(one.most for one in done) == next(one.most for one in done if one.settings == choice.settings)


def test_nothing_that_can_be_fitted_is_an_error():
    with pytest.raises(DataError, match="No method could be fitted"):
        chosen(table(), (Ladder((Candidate("discrete-channel"),)),), budget=0.3, utility=())


@pytest.mark.parametrize("use_utility", [False, True])
def test_every_setting_that_would_be_tried_is_one_that_the_method_takes(use_utility):
    job = job_about(table(), budget=0.03, use_utility=use_utility)
    for ladder in ladders_for(job):
        assert ladder.method in COSTS
        for rung in ladder.rungs:
            unfitted(named(job.request, rung.method, rung.settings), None, job.budget)


@pytest.mark.parametrize("use_utility", [False, True])
def test_what_costs_more_is_tried_later(use_utility):
    costs = [COSTS[one.method] for one in ladders_for(job_about(table(), budget=0.03, use_utility=use_utility))]
    assert costs == sorted(costs)


def test_images_have_a_purpose():
    pictures = np.zeros((N, 4, 4), np.uint8)
    frame = to_frame(pictures, "data").table
    for name in ("s", "u"):
        frame = frame.append_column(name, to_frame(table()[[name]], "data").table.column(name))

    def tried(**options):
        request = Request(Path("data.npz"), ("s",), budget=0.1, **options)
        return [one.method for one in ladders_for(job_of(request, Source(Path("data.npz"), frame, "", ".npz")))]

    assert tried(utility=("u",)) == ["iidm", "mi-backprop", "aioi"]
    assert tried(drop=("u",)) == []


def test_columns_with_budgets_of_their_own_are_each_held_to_it():
    frame = table().assign(t=lambda given: (given.useful > 0.5).map({True: "y", False: "n"}))
    asked = {"utility": (), "drop": ("u", "job"), "budget": ("s=0.2", "t=0.69")}
    request = Request(Path("data.parquet"), ("s", "t"), split="part", effort="quick", **asked)
    job = job_of(request, Source(Path("data.parquet"), to_frame(frame, "data").table, "", ".parquet"))
    choice = choose_for(job, job.parts.fit_rows, ladders=(NOISE,))
    assert choice.budgets == {"s": 0.2, "t": 0.69}
    assert choice.budget == pytest.approx(0.89)
    assert {*choice.raw.each} == {"s", "t"}
    taken = next(one for one in choice.trials if one.settings == choice.settings)
    assert choice.held == all(taken.most_of(name) <= own for name, own in choice.budgets.items())
    aims = [float(rung.settings[0].partition("=")[2]) for rung in ladders_for(job)[-1].rungs]
    assert (min(aims), max(aims)) == (0.02, 0.89)


def test_what_is_tried_hangs_on_the_job():
    job = job_about(table(), budget=0.1)
    assert [one.method for one in ladders_for(job)] == ["leace", "deepminmax"]
    purpose = replace(job, request=replace(job.request, use_utility=True))
    named = [one.method for one in ladders_for(purpose)]
    assert named[:2] == ["leace", "discrete-channel"]
    assert {"iidm", "deepminmax", "aioi"} <= {*named}
    budgets = [float(rung.settings[0].partition("=")[2]) for rung in ladders_for(job)[1].rungs]
    assert budgets == sorted(budgets)
    assert max(budgets) == 0.1
    matrix = pd.DataFrame({"x0": np.ones(N), "x1": np.ones(N), "s": table().s})
    assert ladders_for(job_about(matrix, utility=(), split=None, drop_utility=False, budget=0.1))[0].method == "leace"
