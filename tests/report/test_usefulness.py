"""What the release is still good for."""

import re

from report import records
from withhold.contracts.audit_record import ColumnResult, Score, UtilityResult
from withhold.contracts.fidelity_record import ColumnFidelity, FidelityResult
from withhold.report.page import render
from withhold.report.usefulness import SHOWN, cards, damage, damaged, facts


def said(audit) -> str:
    return " ".join(f"{fact.value} {fact.note}" for fact in facts(audit)).replace("\N{NO-BREAK SPACE}", " ")


def test_utility_is_said_of_a_hundred_beside_guessing_and_the_original() -> None:
    assert "83 of 100 predictions of “income” right (naming the commonest 76; original 87)" in said(records.audit())


def test_destroyed_utility_is_not_said_to_be_zero() -> None:
    bad = UtilityResult(metric="r2", score=Score(raw=0.6, release=-0.02), chance=0.0)
    assert "−2 % of the differences in “age” predicted" in said(records.audit(utility={"age": bad}))


def faithful(**more) -> FidelityResult:
    moved = ColumnFidelity(
        kind="category", moved=0.31, issues=["missing_moved"], missing_before=0.3, missing_after=0.8, usable=False
    )
    columns = {"race": moved, "age": ColumnFidelity(kind="number", moved=0.02)}
    fields = {"usable": 9, "compared": 11, "usable_when": "no share moves", "rows": 900, "pair_rows": 900}
    return FidelityResult(columns=columns, **{**fields, **more})


def test_columns_usable_as_they_are_are_counted_and_those_left_out_named_as_such() -> None:
    assert "9 of 11 columns usable as they are" in said(records.audit(fidelity=faithful()))
    assert "9 of 11 columns usable as they are, 1 left out" in said(records.audit(fidelity=faithful(absent=["fnlwgt"])))


def test_damage_is_said_in_words_and_comes_first() -> None:
    record = records.audit(fidelity=faithful())
    assert damaged(record)[:2] == ["race", "age"]
    words = damage(record, "race").replace("\N{NO-BREAK SPACE}", " ")
    assert words == "shares off by up to 31 points, missing 30 % → 80 %"
    assert damage(record, "age").startswith("usable as it is")
    page = render(record)
    assert "no share moves" in page
    caption = re.sub("<.*?>", "", page).split("The most damaged first")[1].split("Cells")[0]
    assert "Usable as it is: its shares and relations came through." in caption
    assert "Kept: how much of its single values can still be told." in caption


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
