"""A row of a hundred people."""

import re

from report import records
from withhold.report.figures.people import People, row


def test_everybody_is_drawn_once_as_what_he_is() -> None:
    drawn = row("sex", People.of(records.sensitive()), "s0")
    assert [len(re.findall(f'class="p-{kind}"', drawn)) for kind in ("guess", "more", "raw", "none")] == [50, 9, 27, 14]
    assert "Of 100 people, 50 right by guessing, 9 more with the release" in drawn


def test_a_release_that_tells_more_than_the_original_hides_nothing_of_it() -> None:
    assert People(50, 90, 80).kinds().count("more") == 40
    assert People(50, 45, None).kinds().count("guess") == 45


def test_numbers_have_no_classes_to_guess() -> None:
    assert People.of(records.sensitive(**records.CONTINUOUS)) is None


def test_names_are_text() -> None:
    assert "<script" not in row(records.HOSTILE, People(50, 60, None), "s0")
