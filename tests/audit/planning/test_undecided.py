"""An inconclusive audit says how many rows would decide and which budget these can, or that rows do not help."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from withhold import audit_release
from withhold.audit.effort import EFFORTS
from withhold.audit.planning.law import Law
from withhold.audit.planning.power import Power
from withhold.audit.planning.undecided import undecided, undecided_people
from withhold.contracts.audit_record import PlantResult
from withhold.contracts.budgets import usual_budget
from withhold.contracts.disclosure_record import DisclosureResult
from withhold.contracts.quantity import Quantity
from withhold.contracts.rounding import budget_up, rounded_up

COIN = Law.of(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
ASKED = {"budget": 0.02, "effort": "quick", "attackers": ["logistic", "pairs"]}  # who find all planted leaks
POWER = Power(COIN, EFFORTS["quick"], {"column": 0.02}, 1_000)


@pytest.fixture(scope="module")
def record():
    rng = np.random.default_rng(0)
    return audit_release(rng.normal(size=(400, 4)), sensitive_features=rng.integers(0, 2, 400), **ASKED)


def test_the_statement_and_the_record_say_so(record):
    (result,) = record.sensitive.values()
    assert record.verdict == "inconclusive"
    assert result.rows_needed > 400
    assert result.decidable_budget > 0.02
    assert f"About {rounded_up(result.rows_needed, 2)} rows like these would decide this budget." in record.statement
    assert "400 rows can decide budgets from" in record.statement


def test_so_many_rows_do_decide(record):
    (result,) = record.sensitive.values()
    n = int(1.5 * result.rows_needed)
    rng = np.random.default_rng(1)
    more = audit_release(rng.normal(size=(n, 4)), sensitive_features=rng.integers(0, 2, n), **ASKED)
    assert more.verdict == "pass"
    assert more.sensitive["sensitive_features"].rows_needed is None


def test_rows_do_not_help_where_too_much_was_read(record):
    (result,) = record.sensitive.values()
    found, words = undecided(result, replace(POWER, told=0.03), 400, 0.02)
    assert found.rows_needed is None
    assert "More rows would not help" in words
    assert "0.030 nat" in words


def test_a_handful_of_rows_decides_nothing(record):
    (result,) = record.sensitive.values()
    assert "30 rows are too few" in undecided(result, POWER, 30, 0.02)[1]


def test_what_usually_decides_is_said_to(record):
    (result,) = record.sensitive.values()
    found, words = undecided(missing(result, 0.02, 0.08, "column"), POWER, 100_000, 0.02)
    assert "100,000 rows usually decide this budget; this release needs more than 100,000 like these." in words
    assert (found.rows_needed, found.rows_exceed) == (100_000, True)


def test_no_more_rows_are_asked_for_a_budget_that_these_can_decide(record):
    (result,) = record.sensitive.values()
    total = result.leakage_total.model_copy(update={"value": 0.0, "low": 0.0, "high": 0.001})
    result, tried = result.model_copy(update={"leakage_total": total, "plants": []}), 0
    power = replace(POWER, told=0.015)  # with an interval that may be wider than the one that was found
    for rows in range(500, 4_000, 100):
        found, words = undecided(result, power, rows, None)
        able = found.decidable_budget is not None and found.decidable_budget <= usual_budget(0.69)
        forecast = power.rows_needed(usual_budget(0.69))
        tried += able and forecast > rows
        assert (("would decide" in words) is not able) or not forecast > rows
    assert tried  # rows that the forecast alone calls too few, and this release's interval does not


def missing(result, size: float, limit: float | None, form: str = "spread"):
    """Return a result in which one form of test leak was missed below a limit."""
    leak = Quantity(value=0.0, low=-0.01, high=0.01, kind="lower_bound")
    found = leak.model_copy(update={"value": 0.75 * (limit or 0.0)})
    plants = [PlantResult(form="column", size=size, found=leak.model_copy(update={"value": size}), detected=True)]
    plants += [PlantResult(form=form, size=size, found=leak, detected=False)]
    plants += [PlantResult(form=form, size=limit, found=found, detected=True)] if limit else []
    total = result.leakage_total.model_copy(update={"value": 0.0, "low": 0.0, "high": 0.01})
    update = {"plants": plants, "detection_limit": limit, "leakage_total": total, "cause": "plants_missed"}
    return result.model_copy(update=update)


@pytest.mark.parametrize("form", ["spread", "column"])
@pytest.mark.parametrize("folds", [0, 5])
def test_no_budget_is_called_decidable_at_which_this_audit_missed_a_leak(record, form, folds):
    (result,) = record.sensitive.values()
    rows = 20_000  # which the forecast, that knows of columns alone, calls plenty
    assert POWER.decidable_budget(rows) < 0.02
    found, words = undecided(missing(result, 0.02, 0.08, form), POWER, rows, 0.02, folds)
    assert found.decidable_budget == 0.08
    assert f"{rows:,} rows can decide budgets from 0.08 nat on." in words
    assert (found.rows_needed, found.rows_exceed) == (rows, True)
    assert "more than 20,000" in words.lower()
    assert ("usually decide" in words) is (form == "column")
    if folds and form == "spread":  # of which no forecast was made, in whatever parts rows are judged
        assert found.cross_fit_budget == 0.08


def test_where_no_leak_was_found_nothing_is_promised_of_a_form_without_a_forecast(record):
    (result,) = record.sensitive.values()
    found, words = undecided(missing(result, 0.02, None), POWER, 20_000, 0.02)
    assert found.decidable_budget is None
    assert "too few to decide any budget" in words
    # A search that ended below what the forecast calls decidable says nothing against that.
    found, _ = undecided(missing(result, 0.02, None, "column"), POWER, 2_000, 0.02)
    assert found.decidable_budget == replace(POWER, high=0.01).decidable_budget(2_000) > 0.02
    # What is found of the smallest leak that was found must leave room for what was read.
    read = missing(result, 0.02, 0.08)
    total = read.leakage_total.model_copy(update={"high": 0.075})
    found, _ = undecided(read.model_copy(update={"leakage_total": total}), POWER, 20_000, 0.02)
    assert found.decidable_budget == pytest.approx(0.1)


def test_a_forecast_that_leaves_out_a_form_is_the_least(record):
    (result,) = record.sensitive.values()
    needed = round(float(f"{POWER.rows_needed(0.02):.2g}"))
    found, words = undecided(missing(result, 0.02, 0.08), POWER, 900, 0.02)
    assert (found.rows_needed, found.rows_exceed) == (needed, True)
    assert f"At least {needed:,} rows like these would be needed to decide this budget." in words


def test_without_a_budget_no_smaller_one_is_proposed_than_the_leak_that_was_found(record):
    (result,) = record.sensitive.values()
    found, words = undecided(missing(result, 0.05, 0.2), POWER, 20_000, None)
    assert found.decidable_budget == 0.2
    assert "More than 20,000 like these would decide 0.05 nat." in words


def test_a_reading_above_the_budget_is_not_within_a_smaller_one(record):
    (result,) = record.sensitive.values()
    total = result.leakage_total.model_copy(update={"value": 0.0, "low": 0.0, "high": 0.018})
    update = {"leakage_total": total, "cause": "interval_reaches_budget", "plants": [], "corrected_high": 0.03}
    assert replace(POWER, high=0.018).decidable_budget(100_000) <= 0.02
    found, _ = undecided(result.model_copy(update=update), POWER, 100_000, 0.02)
    assert found.decidable_budget == 0.03
    # Several columns by the chain rule have no test leaks of their own: nothing is known but that these rows failed.
    chained = {**update, "cause": "plants_missed", "corrected_high": 0.018}
    assert undecided(result.model_copy(update=chained), POWER, 100_000, 0.02)[0].decidable_budget is None


def test_what_cross_fitting_could_decide_is_said_where_it_can_be(record):
    result = record.sensitive["sensitive_features"].model_copy(update={"plants": []})
    found, words = undecided(result, POWER, 1_000, 0.02, folds=5)
    assert found.cross_fit_budget < found.decidable_budget
    assert "With cross_fit=5, where each counts, from" in words
    found, words = undecided(result, POWER.cross_fitted(5), 1_000, 0.02)
    assert found.cross_fit_budget is None
    assert "cross_fit" not in words


@pytest.mark.parametrize(
    ("release", "options", "cause", "said"),
    [
        ({"a": 0}, {"budget": 5.0}, "budget_restricts_nothing", "No number of rows decides a budget that restricts"),
        ({"a": 0, "s": 1}, {"budget": 0.2}, "contains_s", "More rows alone would not help"),
    ],
)
def test_every_inconclusive_audit_says_what_the_rows_can_decide(release, options, cause, said):
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 600)
    table = pa.table({name: s if kind else rng.normal(size=600) for name, kind in release.items()})
    hidden = ["s"] if "s" in release else s
    record = audit_release(
        table, sensitive_features=hidden, effort="quick", attackers=["logistic", "boosting"], **options
    )
    (result,) = record.sensitive.values()
    assert (record.verdict, result.cause) == ("inconclusive", cause)
    assert said in record.statement
    assert result.decidable_budget is not None
    assert "600 rows can decide budgets from" in record.statement


def people(value: float, high: float, recovered: float | None = 0.8) -> DisclosureResult:
    told = Quantity(value=value, low=-high, high=high, kind="estimate")
    return DisclosureResult(
        classes=2, entropy=0.69, original=told, control=told, excess=told, right_original=0.5, right_control=0.5,
        chance=0.5, recovered=recovered, budget=0.05,
    )  # fmt: skip


def test_people_are_counted_where_there_are_no_rows():
    assert undecided_people(people(0.0, 0.08), 400) == (
        "About 1,600 people on each side would decide this budget; 400 can decide budgets from about 0.1 nat on."
    )
    assert undecided_people(people(0.06, 0.08), 400).startswith("More people would not help")
    assert undecided_people(people(0.0, 0.6, None), 40).endswith("40 are too few to decide any budget.")


def test_without_a_budget_it_is_said_which_one_the_rows_decide(record):
    result = record.sensitive["sensitive_features"].model_copy(update={"plants": []})
    found, words = undecided(result, POWER, 400, None)
    least = replace(POWER, high=result.leakage_total.high).decidable_budget(400)
    assert (found.rows_needed, found.decidable_budget) == (result.rows_needed, least)
    assert words.startswith(f"400 rows can decide budgets from {budget_up(least):g} nat (")
    assert re.search(r"of all there is to know\) on\. About [\d,]+ like these would decide 0\.05 nat\.$", words)


def test_the_same_release_is_not_drawn_anew():
    # Its upper end is known: under a larger budget only the test leaks are still to be found.
    at = replace(POWER, told=0.03)
    known = replace(at, high=0.05).decidable_budget(3_000)
    assert replace(at, high=0.09).decidable_budget(3_000) > 0.09 > known > 0.05
    assert replace(at, high=0.09).cross_fitted(5).high is None
