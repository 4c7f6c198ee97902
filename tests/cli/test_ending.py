"""The last lines of a run say if it may be shared, and what to type if not."""

import io
from pathlib import Path

import pytest

from report import records
from withhold.cli.ending import show_approval, show_audit_ending, show_ending
from withhold.contracts.finding import Finding
from withhold.contracts.run_record import Approval, RunRecord
from withhold.report.decision import FAILED, UNDECIDED

STEP = ("hide more", ["withhold", "run", "my data.csv"])
APPROVE = "or approve it      withhold approve out --because WHY"


def lines(record: RunRecord) -> list[str]:
    stream = io.StringIO()
    show_ending(record, Path("out"), [STEP], stream)
    return stream.getvalue().splitlines()


def plain(verdict: str | None, *findings: Finding, **about: object) -> RunRecord:
    audit = records.audit(verdict, sensitive={"sex": records.sensitive(**about)}, findings=list(findings), linkage=None)
    return records.run(audit, files={"release": "candidate/release.csv"})


def test_a_pass_may_be_shared() -> None:
    assert lines(plain("pass")) == ["share only out/share; out/private stays with you"]


@pytest.mark.parametrize(
    ("record", "first"),
    [
        (
            plain("fail", Finding(code="s_written_in", severity="critical", text="A.", column="a"), cause="leakage"),
            "Do not share out/candidate. Hide more, or leave out the columns named above. ",
        ),
        (
            plain("inconclusive", cause="plants_missed", rows_needed=4200),
            "Do not share out/candidate. Cannot decide: about 4,200 rows would be needed. ",
        ),
        (plain(None), "Measured, not judged: no budget was given. Do not share out/candidate before somebody has"),
        (
            plain("pass", Finding(code="a", severity="critical", text="A.")),
            "Do not share out/candidate. First settle what is marked critical",
        ),
    ],
    ids=["fail", "inconclusive", "none", "critical"],
)
def test_what_is_no_pass_says_do_not_share_and_what_to_type(record: RunRecord, first: str) -> None:
    told = lines(record)
    assert told[0].startswith(first)
    assert told[0].count("o not share") == 1
    assert told[1:] == ["hide more          withhold run 'my data.csv'", APPROVE]


def test_a_command_with_two_budgets_says_first_what_the_second_is() -> None:
    stream = io.StringIO()
    step = ("hide more", ["withhold", "run", "a.csv", "--budget", "0.077", "--set", "budget=0.0385"])
    show_ending(plain("fail", cause="leakage"), Path("out"), [step], stream)
    _, told, command, _ = stream.getvalue().splitlines()
    assert told.strip() == (
        "--set budget=0.0385 is what the method aims at, and --budget 0.077 what the audit judges by."
    )
    assert command.startswith("hide more")


@pytest.mark.parametrize(
    ("record", "last"),
    [
        (plain("fail", cause="leakage"), "Do not share safe.csv. Hide more. Then audit again."),
        (plain("inconclusive", cause="plants_missed", rows_needed=4200), "Do not share safe.csv. Cannot decide: "),
        (
            plain("pass", Finding(code="a", severity="critical", text="A.")),
            "Do not share safe.csv. First settle what is marked critical above.",
        ),
        (plain("pass"), None),
        (plain(None), None),
    ],
    ids=["fail", "inconclusive", "critical", "pass", "none"],
)
def test_an_audit_ends_with_what_its_verdict_means(record: RunRecord, last: str | None) -> None:
    stream = io.StringIO()
    show_audit_ending(record.audit, Path("safe.csv"), stream)
    told = stream.getvalue().splitlines()
    assert (told == []) if last is None else told[-1].startswith(last)


def test_nothing_judged_is_not_called_measured() -> None:
    audit = records.audit(None, sensitive={}, linkage=None, findings=[])
    told = lines(records.run(audit, files={"release": "candidate/release.csv"}))
    assert told[0] == "Nothing was judged. Do not share out/candidate before somebody has decided."


def test_an_approval_says_against_what() -> None:
    stream = io.StringIO()
    approval = Approval(
        what="approved against the verdict",
        decided="2026-03-02T14:05:09+00:00",
        because="The board \N{LEFT DOUBLE QUOTATION MARK}knows.",
    )
    show_approval(plain("fail").model_copy(update={"approval": approval}), Path("out"), stream)
    told = stream.getvalue()
    assert told.startswith("Approved against the verdict. Shared by decision of 2026-03-02 14:05 UTC, because: ")
    assert told.endswith("share only out/share; out/private stays with you\n")


def test_what_an_earlier_version_put_into_share_is_not_to_be_shared_either() -> None:
    told = lines(plain("fail", cause="leakage").model_copy(update={"files": {"release": "share/release.csv"}}))
    assert told[0].startswith("Do not share out/share. ")
    assert APPROVE not in told


def test_an_approval_that_nothing_needed_says_so_once() -> None:
    stream = io.StringIO()
    show_approval(plain("pass"), Path("out"), stream)  # the log has said it
    assert stream.getvalue() == "share only out/share; out/private stays with you\n"


def test_no_terminal_speaks_of_pages_that_follow() -> None:
    for cause in (*FAILED, *UNDECIDED):
        for verdict in ("fail", "inconclusive"):
            stream = io.StringIO()
            show_audit_ending(plain(verdict, cause=cause).audit, Path("safe.csv"), stream)
            assert "next page" not in stream.getvalue()
