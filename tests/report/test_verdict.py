import pytest

from report import records
from withhold.report.verdict import facts, headline, hidden, leading


def test_a_pass_is_about_the_attackers_that_were_tried() -> None:
    line = headline(records.audit("pass"))
    assert line.word == "Pass"
    assert "tried here" in line.sentence
    assert "6 attackers" in line.scope
    assert "may learn more" in line.scope


def test_only_a_guarantee_speaks_of_any_attacker() -> None:
    assert "any attacker" in headline(records.audit("pass", claim="any_attacker")).scope
    assert "any attacker" not in headline(records.audit("pass")).scope


@pytest.mark.parametrize("verdict", ["fail", "inconclusive", None])
def test_what_is_no_pass_does_not_sound_like_one(verdict: str | None) -> None:
    line = headline(records.audit(verdict))
    assert "No attacker" not in line.sentence
    assert line.word != "Pass"


def test_where_nothing_was_attacked_nothing_was_measured() -> None:
    line = headline(records.audit(None, sensitive={}, claim="any_attacker"))
    assert line.word == "Not attacked"
    assert "no attacker was tried" in line.sentence
    assert "under the assumptions" in line.scope


def test_long_names_do_not_enter_the_headline() -> None:
    assert hidden(records.audit(sensitive={"x" * 200: records.sensitive()})) == "the hidden attribute"
    assert hidden(records.crowded().audit) == "the 6 hidden attributes"
    assert hidden(records.audit()) == "“sex”"


def test_the_joint_attribute_leads_else_the_leakiest() -> None:
    assert leading(records.crowded().audit)[0] == "joint"
    two = {"a": records.sensitive(0.01), "b": records.sensitive(0.05)}
    assert leading(records.audit(sensitive=two))[0] == "b"
    assert leading(records.audit(sensitive={})) is None


def test_facts_tell_an_unmeasured_limit_from_one_never_reached() -> None:
    def note(**more) -> str:
        audit = records.audit(sensitive={"s": records.sensitive(detection_limit=None, **more)})
        return next(fact.note for fact in facts(audit, []) if fact.label.startswith("Smallest"))

    assert "not even the largest" in note()
    assert "not measured" in note(plants=[])


def test_continuous_attributes_have_no_accuracy() -> None:
    audit = records.audit(sensitive={"age": records.sensitive(kind="continuous", balanced_accuracy=None)})
    assert not [fact for fact in facts(audit, []) if "accuracy" in fact.label]
