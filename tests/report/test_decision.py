"""The first page: never more reassuring than the record."""

import pytest

from report import records
from withhold.contracts.finding import Finding
from withhold.contracts.threats import LinkageResult, MembershipResult, SubjectResult
from withhold.report.decision import advice, headline, hidden, lamps, leading, scope
from withhold.report.page import render

LINKED = Finding(code="records_linked", severity="warning", text="4 % of released records find their own original.")
CRITICAL = Finding(code="column_determines_s", severity="critical", text="'a' is sex.")


def test_a_pass_is_about_the_attackers_that_were_tried() -> None:
    line = headline(records.audit("pass"))
    assert line.word == "Pass"
    assert "we tried" in line.sentence
    assert "6 attackers" in scope(records.audit("pass"))
    assert "may learn more" in scope(records.audit("pass"))


def test_columns_are_spoken_of_only_where_a_finding_names_some() -> None:
    leaky = records.audit("fail", sensitive={"sex": records.sensitive(cause="leakage")})
    assert advice(leaky, []).how[0] == "Hide more."
    assert advice(leaky, [CRITICAL]).how[0] == "Hide more."
    named = CRITICAL.model_copy(update={"columns": ("a", "b")})
    assert advice(leaky, [named]).how[0] == "Hide more, or leave out the columns named on the next page."


def test_records_whose_attribute_nobody_knows_are_not_counted_as_judged() -> None:
    unknown = records.sensitive(unknown=29)
    assert "on 13,000 of 13,029 records" in scope(records.audit("pass", sensitive={"sex": unknown}))


def test_only_a_guarantee_speaks_of_any_attacker() -> None:
    assert "any attacker" in scope(records.audit("pass", claim="any_attacker"))
    assert "any attacker" not in scope(records.audit("pass"))


@pytest.mark.parametrize("verdict", ["fail", "inconclusive", None])
def test_what_is_no_pass_does_not_sound_like_one(verdict: str | None) -> None:
    record = records.audit(verdict)
    assert "No attacker" not in headline(record).sentence
    assert headline(record).word != "Pass"
    assert "may share" not in advice(record, []).order


def test_where_nothing_was_attacked_nothing_was_measured() -> None:
    record = records.audit(None, sensitive={}, claim="any_attacker")
    assert headline(record).word == "Not attacked"
    assert "no attacker was tried" in headline(record).sentence
    assert lamps(record, [])[0].found == "not tested"
    weak = Finding(code="bounded_for_any_attacker", severity="warning", text="18 nat.")
    assert "Do not rely" in advice(record, [weak]).order


@pytest.mark.parametrize("cause", ["leakage", "contains_s", "utility_reveals", "below_bound", "subjects_tell_more", ""])
def test_a_fail_is_not_shared_whatever_its_cause(cause: str) -> None:
    told = advice(records.audit("fail", sensitive={"sex": records.sensitive(cause=cause)}), [])
    assert told.order == "Do not share this release."
    assert told.how[-1] == "Then audit again."
    assert "{" not in " ".join(told.how)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        ("plants_missed", "Audit more records"),
        ("alignment_unproven", "Name a column"),
        ("budget_restricts_nothing", "a smaller one"),
        ("partly_read", "Nobody read all"),
        ("attacker_failed", "did not finish"),
        ("column_reveals_s", "Take out"),
    ],
)
def test_what_is_undecided_says_what_would_decide(cause: str, words: str) -> None:
    told = advice(records.audit("inconclusive", sensitive={"sex": records.sensitive(cause=cause)}), [])
    assert "Do not share" in told.order
    assert words in " ".join(told.how)


def test_too_few_rows_say_how_many_would_decide_and_what_these_can() -> None:
    small = records.sensitive(cause="plants_missed", rows_needed=9000, decidable_budget=0.202)
    told = advice(records.audit("inconclusive", sensitive={"sex": small}), [])
    assert told.order == "Cannot decide: about 9,000 rows would be needed."
    assert "Do not share" in told.how[0]
    assert "allow 0.21 nat (32\N{NO-BREAK SPACE}% of all there is to know), which" in told.how[1]  # as the command says
    little = small.model_copy(update={"decidable_budget": 0.1})
    told = advice(records.audit("inconclusive", sensitive={"sex": little}), [])
    assert "allow 0.1 nat, which" in told.how[1]
    more = small.model_copy(update={"rows_exceed": True})
    told = advice(records.audit("inconclusive", sensitive={"sex": more}), [])
    assert told.order == "Cannot decide: more than 9,000 rows would be needed."  # as many were judged and did not
    told = advice(records.audit("inconclusive", n=8000, sensitive={"sex": more}), [])
    assert told.order == "Cannot decide: at least 9,000 rows would be needed."


def test_a_pass_beside_a_critical_finding_is_not_shared_as_it_is() -> None:
    assert "Do not share" in advice(records.audit("pass"), [CRITICAL]).order
    assert "may share" in advice(records.audit("pass"), []).order


def test_a_pass_does_not_hide_that_people_are_found() -> None:
    assert "does not hide who" in " ".join(advice(records.audit("pass"), [LINKED]).how)
    assert "does not hide who" not in " ".join(advice(records.audit("pass"), []).how)
    assert "Nobody tested" in " ".join(advice(records.audit("pass"), []).how)
    assert "Nobody tested" not in " ".join(advice(records.audit("pass", linkage=found(0.0)), []).how)


def found(low: float) -> dict[str, LinkageResult]:
    rate = records.q(low + 0.01, 0.01, kind="estimate", unit="fraction")
    return {"data": LinkageResult(found=rate, chance=0.001, candidates=1000)}


def test_each_risk_says_what_was_found_beside_chance_and_the_original() -> None:
    member = MembershipResult(
        leakage=records.q(0.01), balanced_accuracy=0.55, control_balanced_accuracy=0.54, members=800, others=300
    )
    inference, link, membership = lamps(records.audit("pass", linkage=found(0.02), membership=member), [LINKED])
    assert (inference.found, inference.beside) == ("59 of 100 right", "guessing 50; original 86")
    assert (link.found, link.state) == ("3 of 100 found", "bad")
    assert "1 in 1,000" in link.beside
    assert (membership.found, membership.beside) == ("55 of 100 right", "guessing 50; original 54")


def test_the_risk_of_being_traced_stands_beside_that_of_the_original() -> None:
    (whole,) = found(0.02).values()
    lamp = lamps(records.audit(linkage={"data": whole.model_copy(update={"raw": 0.97})}), [])[1]
    assert lamp.beside == "by chance 1 in 1,000; original 97 of 100"
    # A record of an earlier version does not hold it.
    assert lamps(records.audit(linkage={"data": whole}), [])[1].beside == "by chance 1 in 1,000"


def test_a_person_with_several_records_is_shown_by_what_all_of_them_tell() -> None:
    whole = SubjectResult(
        leakage=records.q(0.2), subjects=200, rows_per_subject=8.0, balanced_accuracy=0.81, chance=0.5
    )
    record = records.audit("fail", sensitive={"sex": records.sensitive(subject_level=whole)})
    lamp = lamps(record, [])[0]
    assert lamp.found == "81 of 100 right"
    assert "from one record 59" in lamp.beside
    assert "guesses “sex” right for 81." in render(record)
    assert "sex, from all records of a person" in render(record)


def test_a_risk_that_was_not_tested_is_not_called_small() -> None:
    for lamp in lamps(records.minimal(), [])[1:]:
        assert (lamp.found, lamp.state, lamp.said) == ("not tested", "none", "unknown")


def test_no_sanitiser_of_a_cross_fitted_release_released_a_row_that_it_saw() -> None:
    record = records.minimal()
    made = record.model_copy(update={"splits": record.splits.model_copy(update={"sanitizers": 5})})
    assert lamps(made, [])[2].beside == "no sanitiser released a row that it saw"


def test_above_chance_is_not_called_near_chance() -> None:
    assert lamps(records.audit("pass", linkage=found(0.005)), [])[1].state == "doubt"
    assert lamps(records.audit("pass", linkage=found(0.0)), [])[1].state == "good"


def test_a_number_has_no_people_to_be_right_about() -> None:
    lamp = lamps(records.continuous().audit, [])[0]
    assert "known" in lamp.found
    assert "guessing 0" in lamp.beside


def test_long_names_do_not_enter_the_headline() -> None:
    assert hidden(records.audit(sensitive={"x" * 200: records.sensitive()})) == "the hidden attribute"
    assert hidden(records.crowded().audit) == "the 6 hidden attributes"
    assert hidden(records.audit()) == "“sex”"


def test_the_joint_attribute_leads_else_the_leakiest() -> None:
    assert leading(records.crowded().audit)[0] == "joint"
    two = {"a": records.sensitive(0.01), "b": records.sensitive(0.05)}
    assert leading(records.audit(sensitive=two))[0] == "b"
    assert leading(records.audit(sensitive={})) is None
