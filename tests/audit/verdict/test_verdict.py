import pytest

from withhold.audit.leakage.evidence import Evidence
from withhold.audit.leakage.gaps import Failure, Gaps
from withhold.audit.verdict.verdict import budget_findings, decide, statement
from withhold.contracts.quantity import Quantity

FAILED = (Failure("mlp", "the release", "no convergence"),)


def evidence(low, high, **rest):
    total = Quantity(value=(low + high) / 2, low=low, high=high, kind="lower_bound", attacker="mlp")
    return Evidence(total, **{"plants_found": True, "recovery": 1.0, "aligned": True, "limit": 0.02, **rest})


@pytest.mark.parametrize(
    ("given", "verdict", "cause"),
    [
        (evidence(0.06, 0.08), "fail", "leakage"),
        (evidence(0.0, 0.04), "pass", ""),
        (evidence(0.04, 0.06), "inconclusive", "interval_reaches_budget"),
        # .04 found of what may be .08: the recovery of the plants divides the upper end.
        (evidence(0.0, 0.04, recovery=0.5), "inconclusive", "interval_reaches_budget"),
        (evidence(0.0, 0.04, recovery=0.0), "inconclusive", "interval_reaches_budget"),
        (evidence(0.0, 0.04, plants_found=False), "inconclusive", "plants_missed"),
        (evidence(0.0, 0.04, aligned=False), "inconclusive", "alignment_unproven"),
        # A leak that is found proves that S belongs to the rows.
        (evidence(0.06, 0.08, aligned=False), "fail", "leakage"),
        (evidence(0.0, 0.04, utility_low=0.051), "fail", "utility_reveals"),
        (evidence(0.0, 0.05), "pass", ""),
        (evidence(0.05, 0.05), "pass", ""),
        # What the file holds comes before what attackers made of the rest.
        (evidence(0.0, 0.04, own=("sex",)), "inconclusive", "contains_s"),
        (evidence(0.06, 0.08, own=("sex",)), "fail", "leakage"),
        (evidence(0.0, 0.04, copied=("gender",)), "fail", "contains_s"),
        (evidence(0.06, 0.08, copied=("gender",), own=("sex",)), "fail", "contains_s"),
        # Nobody knows what was not attacked; what was found anyway counts.
        (evidence(0.0, 0.04, gaps=Gaps(failed=FAILED)), "inconclusive", "attacker_failed"),
        (evidence(0.0, 0.04, gaps=Gaps(unread=("note",))), "inconclusive", "partly_read"),
        (evidence(0.0, 0.04, gaps=Gaps(telling=("job",))), "inconclusive", "column_reveals_s"),
        (evidence(0.06, 0.08, gaps=Gaps(failed=FAILED, unread=("note",))), "fail", "leakage"),
    ],
)
def test_rule(given, verdict, cause):
    assert decide(given, 0.05) == (verdict, cause)


@pytest.mark.parametrize("budget", [0.05, None])
def test_nobody_is_said_to_learn_more_than_there_is_to_know(budget):
    for high, clipped in ((1.3, True), (0.5, False)):
        given = evidence(0.0, high, entropy=0.61)
        said = statement("sex", given, budget, *decide(given, budget), 0.95)
        assert "1.3" not in said
        assert ("less about sex than all there is to know (0.610 nat, 95 %)" in said) == clipped
        assert ("learned more than 0.500 nat" in said) != clipped


def test_no_record_is_said_to_tell_more_than_there_is_to_know_where_subjects_fail():
    subjects = Quantity(value=0.3, low=0.2, high=0.4, kind="lower_bound")
    given = evidence(0.0, 1.3, entropy=0.61, subjects=subjects)
    assert "one record at most 0.610 nat" in statement("sex", given, 0.05, *decide(given, 0.05), 0.95)


def test_no_budget_no_verdict():
    assert decide(evidence(0.3, 0.4), None) == (None, "")


def test_an_open_interval_never_passes():
    total = Quantity(value=0.0, kind="lower_bound")
    assert decide(Evidence(total, True, 1.0, True), 0.05)[0] == "inconclusive"


@pytest.mark.parametrize("budget", [0.05, None])
def test_words_never_promise(budget):
    for given in (evidence(0.0, 0.04), evidence(0.04, 0.06), evidence(0.0, 0.04, limit=None)):
        verdict, cause = decide(given, budget)
        words = statement("sex", given, budget, verdict, cause, 0.95)
        assert "not an upper bound on leakage" in words
        assert f"{given.total.high:.3f} nat" in words
        assert ("would have been found" in words) == (given.limit is not None)


def test_fail_names_attacker_and_lower_end():
    given = evidence(0.06, 0.08)
    words = statement("sex", given, 0.05, *decide(given, 0.05), 0.95)
    assert words.startswith("Fail")
    assert "mlp" in words
    assert "0.060 nat" in words


@pytest.mark.parametrize("budget", [0.05, None])
@pytest.mark.parametrize("high", [0.04, 0.08])
def test_what_the_file_contains_is_said_with_any_verdict(budget, high):
    for held in ({"own": ("gender",)}, {"copied": ("gender",)}):
        given = evidence(high - 0.02, high, **held)
        assert "'gender'" in statement("sex", given, budget, *decide(given, budget), 0.95)


def test_large_budget_is_said():
    assert budget_findings("sex", 0.6, 0.061)
    assert not budget_findings("sex", 0.6, 0.06)
    assert not budget_findings("sex", 0.6, None)


def test_the_corrected_end_that_decides_is_printed():
    for given, corrected in (
        (evidence(0.0, 0.03, recovery=0.75), "0.040"),
        (evidence(0.0, 0.04, recovery=0.5), "0.080"),
    ):
        words = statement("sex", given, 0.05, *decide(given, 0.05), 0.95)
        assert f"the attackers overlook: at most {corrected} nat (limit 0.05)." in words
    nothing = evidence(0.0, 0.04, recovery=0.0)
    assert "Allowing for what our test leaks" not in statement("sex", nothing, 0.05, *decide(nothing, 0.05), 0.95)


def test_the_corrected_end_stays_within_all_there_is_to_know():
    assert evidence(0.2, 0.3, recovery=0.25).corrected_high == 1.2
    assert evidence(0.2, 0.3, recovery=0.25, entropy=0.6).corrected_high == 0.6


def test_a_budget_of_all_there_is_to_know_restricts_nothing():
    given = evidence(0.0, 0.04, plants_found=False, entropy=1.1)
    assert decide(given, 50) == ("inconclusive", "budget_restricts_nothing")
    words = statement("race", given, 50, *decide(given, 50), 0.95)
    assert "at or above all there is to know about race (H = 1.1 nat), so it restricts nothing" in words
    assert "was not found, so" not in words
    assert decide(evidence(0.0, 0.04, entropy=1.1), 0.5)[0] == "pass"


def test_all_that_is_wanting_stands_in_the_statement():
    given = evidence(0.0, 0.04, gaps=Gaps(FAILED, ("note",), ("job", "town")))
    words = statement("sex", given, 0.05, *decide(given, 0.05), 0.95)
    assert "the attacker 'mlp' failed on the release" in words
    assert "no attacker was given all that 'note' holds" in words
    assert "'job' and 'town' alone each tell more about sex than the budget allows" in words
