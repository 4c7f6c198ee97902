"""What `plan` concludes of tables whose truth is known."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from withhold import plan
from withhold.contracts.budgets import Budgets
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.plan_record import RawTold
from withhold.contracts.quantity import Quantity
from withhold.contracts.rounding import budget_up, rounded_up
from withhold.workflow.plan import COMPARED, asks_little

pytestmark = pytest.mark.usefixtures("brief_audit")

N = 2_000


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, N)
    u = np.where(rng.random(N) < 0.6, s, 1 - s)
    return pd.DataFrame({"x": s + rng.normal(size=N), "noise": rng.normal(size=N), "u": u, "s": s})


def planned(table, **options):
    return plan(table, sensitive="s", effort="quick", **options)


def test_enough_rows(table):
    found = planned(table, budget=0.2)
    assert found.outlook == "decides"
    assert found.power.rows_needed < N
    assert found.raw["s"].columns[0].column == "x"
    assert [one.column for one in found.raw["s"].columns] == ["x", "u"]
    assert found.command[:3] == ["withhold", "run", "data.parquet"]


def test_permuted_s_is_told_by_no_column(table):
    shuffled = table.assign(s=np.random.default_rng(5).permutation(table.s))
    assert planned(shuffled, budget=0.2).raw["s"].columns == []


def test_u_that_is_s_breaks_the_budget_and_dropping_it_mends_that(table):
    found = planned(table.assign(u=table.s.map({0: "no", 1: "yes"})), utility="u", budget=0.2)
    assert found.outlook == "utility_reveals"
    assert "drop_utility=True" in found.statement
    assert found.utility_alone.told.low > 0.6
    assert "--drop-utility" in found.command
    assert "Even then" not in found.statement
    small = planned(table.assign(u=table.s), utility="u", budget=0.01)
    assert "Even then about" in small.statement
    assert small.command[small.command.index("--budget") + 1] != "0.01"
    assert planned(table.assign(u=table.s), utility="u", budget=0.2, drop_utility=True).outlook != "utility_reveals"


def test_too_few_rows_say_how_many_would_do_and_what_these_decide(table):
    found = planned(table, budget=0.01)
    assert found.outlook == "too_few_rows"
    assert found.power.rows_needed > N
    assert f"{rounded_up(found.power.rows_needed, 2)} rows would do" in found.statement
    assert f"{budget_up(found.power.decidable_budget):g} nat" in found.statement


def test_no_budget_is_proposed_that_says_little(table):
    found = plan(table.head(60), sensitive="s", budget=0.05, effort="quick")
    assert found.outlook == "too_few_rows"
    assert "--budget" not in found.command


def test_a_command_without_a_budget_says_that_nothing_will_be_judged(table):
    said = "measured, not judged"
    assert said in " ".join(planned(table.head(60), budget=0.05).notes)
    assert said not in " ".join(planned(table, budget=0.1).notes)


def test_a_budget_above_everything_restricts_nothing(table):
    assert planned(table, budget=0.7).outlook == "restricts_nothing"


def test_methods_that_need_u_apply_with_it(table):
    applies = {one.method: one.applies for one in planned(table).methods}
    assert applies["deepminmax"]
    assert not applies["aioi"]
    found = planned(table, utility="u")
    assert {one.method: one.applies for one in found.methods}["aioi"]
    assert found.price is None
    assert found.outlook == "no_budget"
    assert "--budget" in found.command


def test_a_cross_fitted_release_is_planned_with_the_roles_that_its_fits_give(table):
    named = table.assign(id=[f"p{i}" for i in range(N)])
    found, usual = (planned(named, budget=0.2, **options) for options in ({"cross_fit": 5, "method": "leace"}, {}))
    assert [(one.column, one.role) for one in found.columns] == [(one.column, one.role) for one in usual.columns]
    assert found.command[found.command.index("--cross-fit") + 1] == "5"


def test_the_time_is_that_of_the_command(table):
    found, one = planned(table, budget=0.2, cross_fit=5, method="deepminmax"), planned(table, budget=0.2)
    assert (found.fits, one.fits) == (5, 1)
    assert found.fit_seconds / found.machine > 4 * one.fit_seconds / one.machine
    assert found.audit_seconds / found.machine < one.audit_seconds / one.machine
    assert (found.choosing_seconds, one.choosing_seconds > one.fit_seconds) == (0.0, True)
    assert (COMPARED in found.notes, COMPARED in one.notes) == (False, True)


@pytest.mark.parametrize(
    "options",
    [
        {"split": "part", "keep": ("noise",), "settings": ("rounds=20",)},
        {"cross_fit": 3, "groups": "who", "method": "leace", "decode": "mode", "continuous": ("noise",)},
        {"output": "representation", "method": "leace", "attackers": ("logistic",), "keep_order": True},
        {"target_utility": 0.7, "time": "5m", "utility": "u", "use_utility": True},
        {"preset": "paper", "method": "aioi", "utility": "u"},
    ],
)
def test_options_of_a_run_are_planned_and_passed_on(table, options):
    parts = {"part": np.where(np.arange(N) % 3 > 0, "fit", "audit"), "who": np.arange(N) // 4}
    found = planned(table.head(300).assign(**{name: column[:300] for name, column in parts.items()}), **options)
    for name in {*options} - {"utility"}:
        assert f"--{name.replace('_', '-')}".replace("--settings", "--set") in found.command


def test_what_a_run_would_refuse_is_refused(table):
    with pytest.raises(InvalidParameterError, match="rounds"):
        planned(table, settings=("rounds=many",))


def test_something_must_be_hidden(table):
    with pytest.raises(InvalidParameterError, match="--sensitive"):
        plan(table, sensitive=[], method="cadp")


def test_a_budget_above_what_the_columns_tell_is_said_to_ask_for_little() -> None:
    raw = {"sex": RawTold.model_construct(together=Quantity(value=0.08, kind="lower_bound"))}
    found = SimpleNamespace(raw=raw, utility=None)
    said = "The columns as they are tell 0.080 nat about 'sex', less than the budget of 0.11 nat: it asks for little."
    assert asks_little(Budgets(0.11), found) == [said]
    assert asks_little(Budgets(0.05), found) == []
    assert asks_little(Budgets(None, (("sex", 0.11),)), found) == []
    assert asks_little(Budgets(), found) == []
