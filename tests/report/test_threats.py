"""What the page says of all that was attacked beside the release: what counts, what does not, what a guess reaches."""

from report import records
from withhold.contracts.threats import ImpliedLeakage
from withhold.report import tables as threats
from withhold.report.page import render


def test_people_are_told_of_beside_chance() -> None:
    audit = records.crowded().audit
    rows = threats.people(audit).rows
    assert rows[0][1:3] == ["2.0\xa0% [1.0\xa0%,\xa03.0\xa0%]", "0.1\xa0%"]
    assert "1,000 candidates" in rows[0][3]
    assert rows[1][1:3] == ["55.0\xa0%", "50.0\xa0%"]
    assert "54.0\xa0% from the originals alone" in rows[1][3]


def test_what_counts_is_told_from_what_does_not() -> None:
    beside = {"surfaces": {"also: may.csv": records.q(0.2)}, "hypothetical": {"ten releases": records.q(0.3)}}
    audit = records.audit(sensitive={"sex": records.sensitive(**beside)})
    table = threats.surfaces(audit)
    assert [(row[1], row[3]) for row in table.rows] == [
        ("the release", "yes"),
        ("also: may.csv", "yes"),
        ("ten releases", "no, for information"),
    ]
    page = render(audit)
    assert "What else was attacked" in page
    assert "Further releases but those" in page
    plain = render(records.audit())
    assert "What else was attacked" not in plain
    assert "People behind the records" not in plain


def test_a_release_that_keeps_too_much_shows_what_it_must_leak() -> None:
    one = ImpliedLeakage(
        utility="bought", kept=records.q(0.5), leakage=records.q(0.3), audited=records.q(0.01), below_bound=True
    )
    page = render(records.audit(implied={"sex": one}))
    assert threats.implied(records.audit(implied={"sex": one})).rows[0][-1] == "yes"
    assert "Least possible leakage" in page
    assert "Least possible leakage" not in render(records.audit())
