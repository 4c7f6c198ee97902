"""The words of a choice: who was chosen and why, against whom, and what would help where nothing held."""

import pytest

from withhold.contracts.choice_record import TrialRecord
from withhold.contracts.quantity import Quantity
from withhold.contracts.wording import on_command_line
from withhold.workflow.choosing.objective import Objective
from withhold.workflow.choosing.words import helps_of, reason_of
from workflow.choosing.test_settle import N, job_about, table


@pytest.fixture(scope="module")
def job():
    return job_about(table(), budget=0.1)


def trial(value: float, high: float | None, kept: float = 0.8) -> TrialRecord:
    leak = Quantity(value=value, low=0.0, high=high, kind="lower_bound")
    return TrialRecord(method="leace", settings=["a=1"], fitted=1, n=2, leakage=leak, utility={"u": kept})


RAW = trial(0.3, 0.4)


def test_an_original_that_holds_the_budget_is_said_to(job):
    said = reason_of(job, Objective(0.1, None), trial(0.02, 0.06), 1, "nothing_left", [], trial(0.05, 0.08))
    assert said.endswith("The original columns hold the budget too: at most 0.080 nat.")


def test_a_choice_that_holds_says_what_it_keeps_and_who_read_it(job):
    said = reason_of(job, Objective(0.1, None), trial(0.02, 0.06), 3, "nothing_left", [], RAW)
    assert said == (
        "leace a=1 keeps a score of 0.800 for 'u', the most within 0.1 nat: the few attackers of its trial learned at "
        "most 0.060 nat about 's' (95 %). 3 candidates were tried."
    )
    assert reason_of(job, Objective(None, 0.7), trial(0.02, 0.06), 1, "time", ["aioi"], RAW).endswith(
        "(target 0.7) and leaks least: the few attackers of its trial learned at most 0.060 nat about 's' (95 %). 1 "
        "candidate was tried. Trying aioi as well would have taken too long."
    )


def test_one_that_holds_nothing_is_called_the_closest(job):
    assert reason_of(job, Objective(0.01, None), trial(0.02, 0.06), 2, "cannot_win", [], RAW).startswith(
        "No candidate held 0.01 nat. The closest is leace a=1:"
    )
    assert reason_of(job, Objective(None, 0.9), trial(0.02, None), 2, "time", ["x"], RAW).startswith(
        "No candidate reached 0.9. The closest, leace a=1, keeps a score of 0.800 for 'u'; what its release tells is "
        "not known."
    )


def test_what_would_help(job):
    assert helps_of(job, Objective(0.1, None), trial(0.02, 0.06), 0.0, None) == []
    assert helps_of(job, Objective(None, 0.9), trial(0.02, 0.06), 0.0, None) == ["a target of at most 0.8"]
    # Half as wide an interval needs four times the rows.
    with on_command_line():
        narrow = helps_of(job, Objective(0.04, None), trial(0.02, 0.06), 0.0, ("my job", 0.3))
    assert narrow == [
        "--drop 'my job': that column alone tells 0.300 nat",
        "a budget from about 0.06 nat on",
        f"about {round(4 * N, -2):,} rows instead of {N}",
    ]
    # More rows help nobody where more than the budget was learned, or where U alone tells it.
    assert helps_of(job, Objective(0.01, None), trial(0.02, 0.06), 0.0, None) == ["a budget from about 0.06 nat on"]
    assert helps_of(job, Objective(0.04, None), trial(0.02, 0.06), 0.05, None) == [
        "drop_utility=True: 'u' alone tells at least 0.050 nat",
        "a budget from about 0.06 nat on",
    ]


def test_what_the_audit_is_foretold_to_pass_is_what_is_held(job):
    counted = Objective(0.1, None, {"s": 0.05}, counted=0.6)
    assert not counted.held(trial(0.02, 0.07))
    assert Objective(0.1, None).held(trial(0.02, 0.07))
    said = reason_of(job, Objective(0.1, None, counted=0.6), trial(0.02, 0.07), 1, "nothing_left", [], RAW)
    assert said.startswith("No candidate held 0.1 nat. The closest is leace a=1:")
    assert "The audit allows for what attackers miss: it is foretold to pass upper ends up to 0.06 nat. 1" in said
    helps = helps_of(job, Objective(0.1, None, counted=0.6), trial(0.02, 0.07), 0.0, None)
    assert helps[0] == "a budget from about 0.12 nat on"


def test_a_utility_that_nothing_predicts_cannot_choose(job):
    useless = reason_of(job, Objective(0.1, None), trial(0.02, 0.06), 1, "cannot_win", [], RAW, RAW.kept - 0.001)
    assert useless.endswith("To compare them by what they keep of all columns, leave out utility.")
    useful = reason_of(job, Objective(0.1, None), trial(0.02, 0.06), 1, "cannot_win", [], RAW, RAW.kept - 0.1)
    assert "predict" not in useful
