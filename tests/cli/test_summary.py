"""Tests of what a person reads in the terminal."""

import io
from pathlib import Path

from report import records
from withhold.cli.summary import choice_lines, show_audit, show_run
from withhold.contracts.audit_record import AuditRecord, ControlResult, SensitiveResult, Splits
from withhold.contracts.choice_record import ChoiceRecord, TrialRecord
from withhold.contracts.finding import Finding
from withhold.contracts.quantity import Quantity
from withhold.contracts.threats import LinkageResult


def shown(**change: object) -> str:
    leakage = Quantity(value=0.02, low=0.01, high=0.03, kind="lower_bound", level=0.95, attacker="mlp")
    sex = SensitiveResult(
        kind="categorical",
        entropy=0.69,
        leakage=leakage,
        leakage_total=leakage,
        percent_of_entropy=3.0,
        balanced_accuracy=0.58,
        chance=0.5,
        controls={"raw": ControlResult(leakage=leakage.model_copy(update={"value": 0.3}), balanced_accuracy=0.9)},
    )
    content = {
        "verdict": "fail",
        "statement": "It [fails] here.",
        "budget": 0.01,
        "n": 10,
        "level": 0.95,
        "panel": ["mlp", "boosting"],
        "effort": "quick",
        "splits": Splits(audit=10, folds=2),
        "sensitive": {"sex": sex},
    }
    stream = io.StringIO()
    show_audit(AuditRecord(**{**content, **change}), Path("safe.csv"), stream)
    return stream.getvalue()


def test_the_verdict_comes_first_and_numbers_say_what_they_are() -> None:
    text = shown()
    assert text.startswith("FAIL  budget 0.01 nat")
    assert "It [fails] here." in text  # brackets are text, not markup
    for words in (
        "0.020 [0.010, 0.030]",
        "0.300",
        "nat, lower bound, 95 %",
        "best of 2 attackers: mlp",
        "chance 0.500",
    ):
        assert words in text


def test_rows_that_are_not_judged_are_not_counted_as_judged() -> None:
    leakage = Quantity(value=0.02, low=0.01, high=0.03, kind="lower_bound")
    sex = SensitiveResult(
        kind="categorical", entropy=0.69, leakage=leakage, leakage_total=leakage, percent_of_entropy=3.0, unknown=3
    )
    assert ", 10 rows, seed" in shown()
    assert ", 7 of 10 rows judged, seed" in shown(sensitive={"sex": sex})


def test_a_cross_fitted_verdict_names_the_file_that_it_is_about() -> None:
    def head(sanitizers: int) -> str:
        run = records.run(records.audit("pass"), files={"release": "share/release[1].csv"})
        stream, method = io.StringIO(), run.method.model_copy(update={"sanitizers": sanitizers})
        show_run(run.model_copy(update={"method": method}), Path("out"), stream)
        return stream.getvalue().splitlines()[0]

    assert head(5).startswith("PASS  release[1].csv  budget 0.03 nat")
    assert head(1).startswith("PASS  budget 0.03 nat")


def test_without_a_budget_there_is_no_verdict() -> None:
    assert shown(verdict=None, budget=None).startswith("MEASURED, NOT JUDGED")


def test_critical_findings_come_before_others_and_the_rest_is_counted() -> None:
    many = [Finding(code=f"c{i}", severity="info", text=f"note {i}") for i in range(20)]
    text = shown(findings=[*many, Finding(code="bad", severity="critical", text="Bad [one].")])
    assert "!! Bad [one]. (bad)" in text
    assert text.index("Bad") < text.index("note 0")
    assert "and 9 more in the report" in text


def test_two_equal_means_are_both_named() -> None:
    text = shown(mean_retention=0.5, mean_own_information=0.5)
    assert "retention" in text
    assert "own column" in text


def test_everything_attacked_beside_the_release_says_whether_it_counts() -> None:
    leakage = Quantity(value=0.02, low=0.01, high=0.03, kind="lower_bound", level=0.95)
    rate = Quantity(value=0.4, low=0.3, high=0.5, kind="lower_bound", unit="fraction")
    result = SensitiveResult(
        kind="categorical",
        entropy=0.69,
        leakage=leakage,
        leakage_total=leakage,
        percent_of_entropy=3.0,
        surfaces={"also: may.csv": leakage},
        hypothetical={"ten releases": leakage},
    )
    linkage = {"data": LinkageResult(found=rate, chance=0.01, candidates=100)}
    lines = shown(sensitive={"sex": result}, linkage=linkage).splitlines()
    assert any("sex, also: may.csv" in line and "counts for the verdict" in line for line in lines)
    assert any("sex, ten releases" in line and "for information only" in line for line in lines)
    assert any(
        "linked (data)" in line and "0.400 [0.300, 0.500]" in line and "chance 1 in 100" in line for line in lines
    )


def test_who_stands_highest_is_left_to_the_record() -> None:
    leakage = Quantity(value=0.02, kind="lower_bound")
    sex = SensitiveResult(
        kind="categorical",
        entropy=0.69,
        leakage=leakage,
        leakage_total=leakage,
        percent_of_entropy=3.0,
        choice_note="Here [qda] reads more.",
    )
    assert "sex" in shown(sensitive={"sex": sex})
    assert "reads more" not in shown(sensitive={"sex": sex})


def test_a_choice_is_told_in_a_few_lines() -> None:
    leak = Quantity(value=0.02, low=0.01, high=0.03, kind="lower_bound")
    one = TrialRecord(method="leace", fitted=1, n=2, leakage=leak, utility={"u": 0.8}, seconds=7.2)
    lost = TrialRecord(method="aioi", settings=["budget=0.1"], fitted=1, n=2, failed="it could not be fitted")
    choice = ChoiceRecord(
        method="leace", by="budget", budget=0.1, held=False, reason="Because.", helps=["a budget of 0.2 nat", "rows"],
        ended="time", raw=one, trials=[one, lost, *[one] * 6],
    )  # fmt: skip
    lines = list(choice_lines(choice))
    assert lines[:3] == [
        ("chosen", "Because."),
        ("tried", "leace: at most 0.030 nat learned, 0.800 kept, 7 s"),
        ("", "aioi budget=0.1: it could not be fitted"),
    ]
    assert lines[-3:] == [("", "and 2 more in the report"), ("helps", "a budget of 0.2 nat"), ("", "rows")]
