"""The page of an audit against a control: what to do first, and never more reassuring than what was found."""

import pytest

from report.records import disclosure
from withhold.report.disclosure import render_disclosure


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (disclosure("pass"), "You may share this file."),
        (disclosure("fail", 0.2), "Do not share this file."),
        (disclosure("inconclusive"), "Cannot decide."),
        (disclosure("inconclusive", 0.01, "copies_of_originals"), "It holds records of real people."),
        (disclosure("inconclusive", 0.2, "control_differs"), "Name others who were drawn from the same people"),
        (disclosure(None), "Decide first, then share."),
    ],
    ids=["pass", "fail", "inconclusive", "copies", "control", "no limit"],
)
def test_it_says_first_what_to_do(found, words):
    page = render_disclosure(found)
    assert words in page
    assert page.index(words) < page.index("In numbers")


def test_the_row_of_people_shows_whom_the_file_gives_away():
    page = render_disclosure(disclosure("fail", 0.2))
    assert "60 named right also of others" in page
    assert "6 named right because they were in the original" in page
    assert "34 named wrong" in page


def test_names_from_files_are_escaped_and_nothing_is_fetched():
    page = render_disclosure(disclosure("pass"))
    assert "job &lt;script&gt;" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_leak_that_would_have_gone_unnoticed_is_said():
    one = disclosure("inconclusive").sensitive["illness & more"].model_copy(update={"found": False, "recovered": 0.0})
    assert "unnoticed" in render_disclosure(disclosure("inconclusive", sensitive={"illness & more": one}))
