"""The page of an audit against a control: what to do first, and never more reassuring than what was found."""

import pytest

from withhold.contracts.disclosure_record import DisclosureRecord, DisclosureResult
from withhold.contracts.finding import Finding
from withhold.contracts.quantity import Quantity
from withhold.report.disclosure import render_disclosure


def nats(value, low, high):
    return Quantity(value=value, low=low, high=high, kind="lower_bound", level=0.95, attacker="boosting")


def record(verdict, excess=0.01, *codes, **update):
    one = DisclosureResult(
        classes=2,
        entropy=0.69,
        original=nats(0.05 + excess, 0.03, 0.2),
        control=nats(0.05, 0.03, 0.07),
        excess=nats(excess, excess - 0.01, excess + 0.01),
        right_original=0.66,
        right_control=0.6,
        chance=0.55,
        planted=0.3,
        recovered=0.28,
        found=True,
        corrected_high=excess + 0.01,
    )
    findings = [Finding(code=code, severity="critical", text=f"{code} was found.") for code in codes]
    fields = {
        "verdict": verdict,
        "statement": "Said.",
        "budget": None if verdict is None else 0.05,
        "n": 900,
        "n_original": 800,
        "n_control": 700,
        "level": 0.95,
        "panel": ["boosting", "nearest"],
        "effort": "quick",
        "seed": 0,
        "columns": ["age", "job <script>"],
        "sensitive": {"illness & more": one},
        "copied_original": 0.02,
        "copied_control": 0.01,
        "findings": findings,
    }
    return DisclosureRecord(**{**fields, **update})


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (record("pass"), "You may share this file."),
        (record("fail", 0.2), "Do not share this file."),
        (record("inconclusive"), "Cannot decide."),
        (record("inconclusive", 0.01, "copies_of_originals"), "It holds records of real people."),
        (record("inconclusive", 0.2, "control_differs"), "Name others who were drawn from the same people"),
        (record(None), "Decide first, then share."),
    ],
    ids=["pass", "fail", "inconclusive", "copies", "control", "no limit"],
)
def test_it_says_first_what_to_do(found, words):
    page = render_disclosure(found)
    assert words in page
    assert page.index(words) < page.index("In numbers")


def test_the_row_of_people_shows_whom_the_file_gives_away():
    page = render_disclosure(record("fail", 0.2))
    assert "60 named right also of others" in page
    assert "6 named right because they were in the original" in page
    assert "34 named wrong" in page


def test_names_from_files_are_escaped_and_nothing_is_fetched():
    page = render_disclosure(record("pass"))
    assert "job &lt;script&gt;" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_leak_that_would_have_gone_unnoticed_is_said():
    one = record("inconclusive").sensitive["illness & more"].model_copy(update={"found": False, "recovered": 0.0})
    assert "unnoticed" in render_disclosure(record("inconclusive", sensitive={"illness & more": one}))
