"""Tests of `withhold demo` on a part of its table, with a quick method."""

import json
from pathlib import Path

import pytest

import withhold.workflow.demo as job
from withhold.cli.main import main
from withhold.data.demo_table import demo_table
from withhold.workflow.demo import SURVEY

pytestmark = pytest.mark.usefixtures("brief_audit")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    table, description, sensitive, utility = demo_table()
    small = (table.slice(0, 300), description, sensitive, utility)
    monkeypatch.setattr(job, "demo_table", lambda: small)
    made = job.Request

    def request(**options: object) -> object:
        return made(**{**options, "method": "identity", "attackers": ("logistic",)})

    monkeypatch.setattr(job, "Request", request)


def test_it_exits_0_for_any_verdict_and_says_where_the_report_is(
    quick: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr()
    assert shown.out.split()[0] in ("PASS", "FAIL", "INCONCLUSIVE")
    assert "budget 0.05 nat" in shown.out
    assert str(tmp_path / "out" / "candidate" / "report.html") in shown.out
    assert (tmp_path / "out" / "candidate" / "report.html").exists()
    assert shown.out.splitlines()[-1].endswith(f"withhold approve {tmp_path / 'out'} --because WHY")


def test_the_json_is_the_record(quick: None, withhold, tmp_path: Path) -> None:
    code, record = withhold("demo", "--out", tmp_path / "out")
    assert code == 0
    assert record["audit"]["budget"] == 0.05
    assert record["audit"]["effort"] == "quick"
    survey = tmp_path / "out" / SURVEY
    listed = json.loads((survey.parent / "manifest.json").read_text())["files"]
    assert listed["survey"] == SURVEY
    assert (survey.stat().st_mode | (survey.parent / "manifest.json").stat().st_mode) & 0o777 == 0o600
    code, document = withhold("demo", "--out", tmp_path / "out")
    assert code == 2
    assert "--overwrite" in document["error"]["message"]
