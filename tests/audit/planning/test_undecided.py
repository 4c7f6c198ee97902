"""An inconclusive audit says how many rows would decide and which budget these can, or that rows do not help."""

from dataclasses import replace

import numpy as np
import pytest

from withhold import audit_release
from withhold.audit.effort import EFFORTS
from withhold.audit.planning.law import Law
from withhold.audit.planning.power import Power
from withhold.audit.planning.undecided import undecided

COIN = Law.of(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
POWER = Power(COIN, EFFORTS["quick"], {"column": 0.02}, 1_000)


@pytest.fixture(scope="module")
def record():
    rng = np.random.default_rng(0)
    return audit_release(
        rng.normal(size=(400, 4)), sensitive_features=rng.integers(0, 2, 400), budget=0.02, effort="quick"
    )


def test_the_statement_and_the_record_say_so(record):
    (result,) = record.sensitive.values()
    assert record.verdict == "inconclusive"
    assert result.rows_needed > 400
    assert result.decidable_budget > 0.02
    assert f"About {result.rows_needed:,} rows like these would decide this budget." in record.statement
    assert "400 rows can decide budgets from" in record.statement


def test_so_many_rows_do_decide(record):
    (result,) = record.sensitive.values()
    n = int(1.5 * result.rows_needed)
    rng = np.random.default_rng(1)
    more = audit_release(rng.normal(size=(n, 4)), sensitive_features=rng.integers(0, 2, n), budget=0.02, effort="quick")
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
    assert "30 rows decide no budget" in undecided(result, POWER, 30, 0.02)[1]


def test_what_usually_decides_is_said_to(record):
    (result,) = record.sensitive.values()
    found, words = undecided(result, POWER, 100_000, 0.02)
    assert "100,000 rows usually decide this budget" in words
    assert found.rows_needed <= 100_000
