"""What is proposed after a release that did not pass: the same run put right, as it can be typed."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from report import records
from withhold.cli.options import command
from withhold.cli.outcome import Outcome
from withhold.contracts.choice_record import ChoiceRecord
from withhold.contracts.finding import Finding
from withhold.contracts.run_record import RunRecord
from withhold.workflow import options as o
from withhold.workflow.remedies import remedies
from withhold.workflow.request import Request


@pytest.fixture
def asked(tmp_path: Path) -> Request:
    (tmp_path / "my data.csv").touch()
    return Request(tmp_path / "my data.csv", ("sex",), ("income",), "deepminmax", budget=0.03, seed=2, title="A & B")


def record(verdict: str | None, *, method: str = "deepminmax", findings: tuple[Finding, ...] = (), **about: Any):
    told = records.audit(verdict, sensitive={"sex": records.sensitive(**about)}, findings=list(findings))
    made: RunRecord = records.run(told)
    return made.model_copy(update={"method": made.method.model_copy(update={"name": method})})


def read(typed: list[str]) -> Request:
    """Read a proposed command as the command line would."""
    seen: list[Any] = []

    def run(request: Request, out: o.Folder, anyway: o.Anyway = False, overwrite: o.Overwrite = False) -> Outcome:
        seen.extend([request, out, overwrite])
        return Outcome({}, print)

    application = typer.Typer()
    application.command()(command(run))
    assert typed[:2] == ["withhold", "run"]
    result = CliRunner().invoke(application, shlex.split(shlex.join(typed))[2:])
    assert result.exit_code == 0, result.output
    assert seen[1:] == [Path("out"), True]
    return seen[0]


CRITICAL = Finding(code="column_determines_s", severity="critical", text="", column="capital-gain")
AS_IT_WAS = {"settings": ("budget=0.018",)}  # what the method aimed at
STRICTER = {"method": "deepminmax", "settings": ("budget=0.009",)}


@pytest.mark.parametrize(
    ("verdict", "about", "change"),
    [
        ("fail", {"cause": "leakage"}, STRICTER),
        ("fail", {"cause": "leakage", "method": "leace"}, {"method": "deepminmax"}),
        ("fail", {"cause": "utility_reveals"}, {"drop_utility": True}),
        ("fail", {"cause": "subjects_tell_more"}, STRICTER),
        ("inconclusive", {"cause": "plants_missed", "decidable_budget": 0.0412}, {"budget": 0.042, **AS_IT_WAS}),
        (
            "inconclusive",
            {"cause": "plants_missed", "decidable_budget": 0.3, "budget": 0.03, "cross_fit_budget": 0.111},
            {"cross_fit": 5, "budget": 0.12},
        ),
        (
            "inconclusive",
            {"cause": "plants_missed", "decidable_budget": 0.04, "budget": 0.03, "cross_fit_budget": 0.02},
            {"cross_fit": 5},
        ),
        ("inconclusive", {"cause": "interval_reaches_budget"}, STRICTER),
        ("inconclusive", {"cause": "budget_restricts_nothing"}, {"budget": 0.05}),
        (None, {"decidable_budget": 0.04}, {"budget": 0.05, **AS_IT_WAS}),
        (None, {"decidable_budget": 0.111, "cross_fit_budget": 0.08}, {"budget": 0.12, **AS_IT_WAS}),
        (None, {"decidable_budget": 0.3, "cross_fit_budget": 0.111}, {"budget": 0.12, "cross_fit": 5}),
        (None, {"decidable_budget": 0.3, "cross_fit_budget": 0.2}, {"budget": 0.2, "cross_fit": 5}),
        (None, {"decidable_budget": 0.3, "cross_fit_budget": 0.4}, {"budget": 0.3, **AS_IT_WAS}),
        (None, {"cross_fit_budget": 0.2}, {"budget": 0.2, "cross_fit": 5}),
    ],
)
def test_the_command_is_the_same_run_put_right(
    asked: Request, verdict: str | None, about: dict[str, Any], change: dict[str, Any]
) -> None:
    if verdict is None:
        asked = replace(asked, budget=None)
    ((_, typed),) = remedies(record(verdict, **about), asked, Path("out"))
    assert read(typed) == replace(asked, **change)


def test_columns_that_tell_are_left_out(asked: Request) -> None:
    made = record("fail", cause="leakage", findings=(CRITICAL,))
    column = next(iter(made.audit.columns))
    named = CRITICAL.model_copy(update={"column": column})
    made = record("fail", cause="leakage", findings=(named, CRITICAL.model_copy(update={"column": "income"})))
    (_, first), (_, second) = remedies(made, asked, Path("out"), anyway=True)
    assert read(first) == replace(asked, drop=(column,))
    assert read(second) == replace(asked, **STRICTER)
    assert "--anyway" in first


def test_every_column_that_findings_and_the_choice_name_is_left_out(asked: Request) -> None:
    made = record("fail", cause="leakage")
    one, two, three, four = [name for name in made.audit.columns if name not in ("sex", "income")][:4]
    several = CRITICAL.model_copy(update={"code": "value_implies_s", "column": None, "columns": (one, two, "income")})
    told = Finding(code="discrete_columns_void_linear_guarantee", severity="warning", text="", column=three)
    helps = [f"--drop {shlex.quote(four)}: that column alone tells 0.616 nat", "a budget from about 0.47 nat on"]
    made = record("fail", cause="leakage", findings=(several,))
    made = made.model_copy(
        update={
            "method": made.method.model_copy(update={"findings": [told]}),
            "choice": ChoiceRecord.model_construct(settings=[], helps=helps),
        }
    )
    (words, first), _ = remedies(made, asked, Path("out"))
    assert words == "leave out columns"
    assert read(first).drop == (one, two, three, four)
    # Of a release without any column nothing could be made.
    every = several.model_copy(update={"columns": tuple(made.audit.columns)})
    ((words, _),) = remedies(record("fail", cause="leakage", findings=(every,)), asked, Path("out"))
    assert words == "hide more"


def test_nothing_is_proposed_that_would_not_help(asked: Request) -> None:
    assert remedies(record("inconclusive", cause="plants_missed"), asked, Path("out")) == []
    assert remedies(record("inconclusive", cause="plants_missed", decidable_budget=0.6), asked, Path("out")) == []
    # Each release under differential privacy is charged.
    assert remedies(record(None, method="cadp"), asked, Path("out")) == []


def test_no_budget_is_proposed_that_the_rows_cannot_decide(asked: Request) -> None:
    asked = replace(asked, budget=None)
    assert remedies(record(None, decidable_budget=0.5), asked, Path("out")) == []
    assert remedies(record(None), asked, Path("out")) == []
    ((words, _),) = remedies(record(None, decidable_budget=0.3), asked, Path("out"))
    assert words == "judge loosely"
    ((_, typed),) = remedies(record(None), asked, Path("out"), anyway=True)
    assert "--anyway" in typed


def test_a_method_that_was_chosen_is_named_with_what_was_chosen_for_it(asked: Request) -> None:
    choice = ChoiceRecord.model_construct(settings=["rounds=40", "budget=0.018"])
    made = record("fail", cause="leakage").model_copy(update={"choice": choice})
    ((_, typed),) = remedies(made, replace(asked, method="auto", time="10m"), Path("out"))
    assert read(typed) == replace(asked, method="deepminmax", settings=("rounds=40", "budget=0.009"))


def test_budgets_of_columns_stay_but_for_the_one_that_cannot_be(asked: Request) -> None:
    asked = replace(asked, budget=("sex=0.03", "race=0.05"), sensitive=("sex", "race"))
    made = record("inconclusive", cause="plants_missed", decidable_budget=0.04)
    ((_, typed),) = remedies(made, asked, Path("out"))
    assert read(typed).budgets.of("sex") == 0.04
    assert read(typed).budgets.of("race") == 0.05


def test_a_cross_fitted_release_stays_with_its_method(asked: Request) -> None:
    asked = replace(asked, method="auto", budget=None, cross_fit=5)
    ((_, typed),) = remedies(record(None, decidable_budget=0.04), asked, Path("out"))
    assert read(typed) == replace(asked, method="deepminmax", budget=0.05, **AS_IT_WAS)


def test_a_larger_budget_judges_the_release_that_was_chosen_under_the_smaller_one(asked: Request) -> None:
    choice = ChoiceRecord.model_construct(settings=["budget=0.015"])
    made = record("inconclusive", cause="interval_reaches_budget", decidable_budget=0.04)
    made = made.model_copy(update={"choice": choice})
    ((_, typed),) = remedies(made, replace(asked, method="auto", time="10m"), Path("out"))
    assert read(typed) == replace(asked, method="deepminmax", settings=("budget=0.015",), budget=0.04)
