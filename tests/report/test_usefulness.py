"""What the release is still good for."""

from report import records
from withhold.contracts.audit_record import ColumnResult, Score, UtilityResult
from withhold.report.usefulness import SHOWN, cards, damaged, facts


def said(audit) -> str:
    return " ".join(f"{fact.value} {fact.note}" for fact in facts(audit)).replace("\N{NO-BREAK SPACE}", " ")


def test_utility_is_said_of_a_hundred_beside_guessing_and_the_original() -> None:
    assert "83 of 100 predictions of “income” right (naming the commonest 76; original 87)" in said(records.audit())


def test_destroyed_utility_is_not_said_to_be_zero() -> None:
    bad = UtilityResult(metric="r2", score=Score(raw=0.6, release=-0.02), chance=0.0)
    assert "−0.020 R²" in said(records.audit(utility={"age": bad}))


def test_nothing_measured_is_nothing_said() -> None:
    assert facts(records.minimal()) == []


def test_the_most_damaged_columns_come_first() -> None:
    order = damaged(records.audit())
    kept = [records.audit().columns[name].own_information for name in order]
    assert kept == sorted(kept)
    unknown = records.audit(columns={"x": ColumnResult(kind="text"), **records.audit().columns})
    assert damaged(unknown)[-1] == "x"


def test_only_some_columns_are_drawn_however_many_there_are() -> None:
    assert len(cards(records.crowded().audit)) == SHOWN
