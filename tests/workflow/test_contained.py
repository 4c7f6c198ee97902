"""Tests of the worst release: one that holds S itself."""

import pyarrow as pa

from withhold.contracts.audit_record import AuditRecord, Splits
from withhold.workflow.contained import contained, judged

SEX = pa.table({"sex": ["f", "m", "m"]})


def record(verdict: str | None) -> AuditRecord:
    return AuditRecord(
        verdict=verdict,
        statement="No attacker learned more.",
        budget=None if verdict is None else 0.05,
        n=3,
        level=0.95,
        panel=[],
        effort="quick",
        splits=Splits(audit=3, folds=2),
        sensitive={},
    )


def test_a_copy_under_any_name_is_found() -> None:
    release = pa.table({"age": [1, 2, 3], "gender": ["f", "m", "m"]})
    assert contained(SEX, release, True) == {"sex": ["gender"]}


def test_a_column_of_that_name_with_other_values_is_not_it() -> None:
    assert contained(SEX, pa.table({"sex": ["m", "m", "f"]}), True) == {}


def test_own_column_is_set_aside_and_said() -> None:
    judged_record = judged(record("pass"), {"sex": ["sex"]}, aside=True)
    assert judged_record.verdict == "pass"
    assert judged_record.statement.startswith("Without its own column sex")
    assert judged_record.findings[0].code == "contains_s"
    assert judged_record.findings[0].severity == "critical"


def test_a_release_that_contains_s_fails_whatever_the_panel_says() -> None:
    for aside, columns in ((False, ["sex"]), (True, ["sex", "gender"])):
        judged_record = judged(record("pass"), {"sex": columns}, aside=aside)
        assert judged_record.verdict == "fail"
        assert "contains sex itself" in judged_record.statement


def test_without_a_budget_there_is_no_verdict_but_the_finding() -> None:
    judged_record = judged(record(None), {"sex": ["sex"]}, aside=False)
    assert judged_record.verdict is None
    assert judged_record.findings[0].code == "contains_s"


def test_nothing_contained_changes_nothing() -> None:
    before = record("pass")
    assert judged(before, {}, aside=False) is before
