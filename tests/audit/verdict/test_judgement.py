"""Verdicts on several attributes, and what a statement must not leave unsaid."""

from dataclasses import replace

import numpy as np
import pytest

from withhold.audit.leakage.assessment import Assessment
from withhold.audit.leakage.evidence import Evidence
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.verdict.contained import Contained
from withhold.audit.verdict.judgement import judge_all
from withhold.contracts.audit_record import SensitiveResult
from withhold.contracts.budgets import Budgets
from withhold.contracts.finding import Finding
from withhold.contracts.quantity import Quantity
from withhold.contracts.threats import ImpliedLeakage, SubjectResult

NOTHING = Contained((), {})
LIMIT = Budgets(0.05)


def assessment(value: float, recovery: float = 1.0) -> Assessment:
    leak = Quantity(value=value, low=value - 0.005, high=value + 0.005, kind="lower_bound")
    result = SensitiveResult(kind="categorical", entropy=0.7, leakage=leak, leakage_total=leak, percent_of_entropy=1.0)
    zero = np.zeros((2, 1))
    found = LogRatios(np.arange(2), ("mlp",), zero, np.zeros(1), 1.0, zero)
    return Assessment(result, Evidence(leak, True, recovery, True, limit=0.01), found)


def implied(low: float, below: bool) -> ImpliedLeakage:
    kept = Quantity(value=0.5, low=0.48, kind="lower_bound")
    must = Quantity(value=low, low=low, kind="lower_bound")
    return ImpliedLeakage(utility="income", kept=kept, leakage=must, below_bound=below)


def test_each_has_its_verdict_and_the_last_one_decides() -> None:
    judged = judge_all({"a": assessment(0.01), "joint": assessment(0.2)}, NOTHING, [], {}, LIMIT, 0.95)
    assert [result.verdict for result in judged.results.values()] == ["pass", "fail"]
    assert judged.verdict == "fail"
    assert "joint" in judged.statement


def test_a_release_that_tells_too_much_of_one_does_not_pass_for_all_together() -> None:
    """The attack on all together can be the weaker one."""
    parts = {"a": assessment(0.01), "b": assessment(0.2), "joint": assessment(0.01)}
    judged = judge_all(parts, NOTHING, [], {}, LIMIT, 0.95)
    assert [result.verdict for result in judged.results.values()] == ["pass", "fail", "fail"]
    assert judged.verdict == "fail"
    assert "b can be inferred" in judged.statement


@pytest.mark.parametrize("value", [0.01, 0.2])
def test_certain_values_stand_in_the_statement(value: float) -> None:
    named = [Finding(code="value_implies_s", severity="critical", text="value 'q' of 'a' goes with s = 1")]
    one = {"s": assessment(value)}
    assert "known with certainty" in judge_all(one, NOTHING, named, {}, LIMIT, 0.95).statement
    assert "known with certainty" not in judge_all(one, NOTHING, [], {}, LIMIT, 0.95).statement


def test_what_is_kept_of_u_can_prove_a_leak() -> None:
    one = {"s": assessment(0.01)}
    proven = judge_all(one, NOTHING, [], {"s": implied(0.08, below=True)}, LIMIT, 0.95)
    assert proven.verdict == "fail"
    assert "income proves that it leaks at least 0.080 nat" in proven.statement
    missed = judge_all(one, NOTHING, [], {"s": implied(0.03, below=True)}, LIMIT, 0.95)
    assert missed.verdict == "inconclusive"
    assert "more than the attackers found" in missed.statement
    agreed = judge_all(one, NOTHING, [], {"s": implied(0.005, below=False)}, LIMIT, 0.95)
    assert agreed.verdict == "pass"


@pytest.mark.parametrize(("nats", "verdict"), [(0.09, "fail"), (0.053, "inconclusive"), (0.02, "pass")])
def test_subjects_count_as_records_do(nats: float, verdict: str) -> None:
    one = assessment(0.01)
    leak = Quantity(value=nats, low=nats - 0.01, high=nats + 0.01, kind="lower_bound")
    whole = SubjectResult(leakage=leak, subjects=200, rows_per_subject=8.0)
    one = replace(one, result=one.result.model_copy(update={"subject_level": whole}))
    judged = judge_all({"s": one}, NOTHING, [], {}, LIMIT, 0.95)
    assert judged.verdict == verdict
    assert ("subject" in judged.statement) == (verdict != "pass")


def test_a_proof_about_one_is_one_about_all_of_them() -> None:
    both = {"a": assessment(0.01), "b": assessment(0.01), "joint": assessment(0.01)}
    judged = judge_all(both, NOTHING, [], {"a": implied(0.03, below=True)}, LIMIT, 0.95)
    assert [result.verdict for result in judged.results.values()] == ["inconclusive", "pass", "inconclusive"]


def test_what_is_wanting_about_one_is_wanting_about_all_of_them() -> None:
    parts = {"a": assessment(0.01), "b": assessment(0.01), "joint": assessment(0.01)}
    assert judge_all(parts, NOTHING, [], {}, LIMIT, 0.95).verdict == "pass"
    told = judge_all(parts, NOTHING, [], {}, LIMIT, 0.95, telling={"b": ["job"]})
    assert [result.verdict for result in told.results.values()] == ["pass", "inconclusive", "inconclusive"]
    unread = judge_all(parts, NOTHING, [], {}, LIMIT, 0.95, unread=["note"])
    assert {result.verdict for result in unread.results.values()} == {"inconclusive"}
    failed = replace(parts["a"], found=replace(parts["a"].found, failures={"mlp": "no convergence"}))
    judged = judge_all({**parts, "a": failed}, NOTHING, [], {}, LIMIT, 0.95)
    assert [result.verdict for result in judged.results.values()] == ["inconclusive", "pass", "inconclusive"]
    assert "'mlp' failed on the release" in judged.statement


def test_each_is_judged_by_its_own_budget_and_the_worst_decides() -> None:
    parts = {"a": assessment(0.02), "b": assessment(0.04), "joint": assessment(0.05)}
    own = judge_all(parts, NOTHING, [], {}, Budgets.read({"a": 0.03, "b": 0.05}), 0.95)
    assert [result.budget for result in own.results.values()] == [0.03, 0.05, 0.08]
    assert (own.verdict, own.decided_by) == ("pass", "joint")
    assert own.statement.endswith("Each is within its own budget: a 0.03, b 0.05 nat.")
    strict = judge_all(parts, NOTHING, [], {}, Budgets.read({"a": 0.01, "b": 0.05}), 0.95)
    assert (strict.verdict, strict.decided_by, strict.results["joint"].verdict) == ("fail", "a", "fail")
    assert "a can be inferred" in strict.statement
    assert "budget of 0.01 nat" in strict.statement


def test_together_they_may_not_tell_more_than_the_sum() -> None:
    """Two columns that each tell nothing can tell all of a combination."""
    parts = {"a": assessment(0.01), "b": assessment(0.01), "joint": assessment(0.2)}
    judged = judge_all(parts, NOTHING, [], {}, Budgets.read({"a": 0.03, "b": 0.05}), 0.95)
    assert (judged.verdict, judged.decided_by) == ("fail", "joint")


def test_one_that_is_not_decided_is_not_passed_over() -> None:
    parts = {"a": assessment(0.01), "b": assessment(0.01, recovery=0.2), "joint": assessment(0.01)}
    judged = judge_all(parts, NOTHING, [], {}, LIMIT, 0.95)
    assert (judged.verdict, judged.decided_by) == ("inconclusive", "b")
    assert [result.verdict for result in judged.results.values()] == ["pass", "inconclusive", "inconclusive"]
    assert "about b" in judged.statement
