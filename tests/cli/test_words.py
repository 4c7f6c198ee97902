"""Tests of what reaches a terminal."""

import io
import json
import os
import sys
import warnings
from pathlib import Path

import pyarrow as pa
import pytest

from withhold.cli import main as front
from withhold.cli.main import main
from withhold.cli.outcome import Outcome, note, say
from withhold.contracts.audit_record import AuditRecord
from withhold.io.tables import write_table

ESCAPE = "\x1b]0;owned\x07\x1b[2J\rPASS\x9b1m"


def unsafe(text: str) -> set[str]:
    return {character for character in text if (character < " " and character != "\n") or "\x7f" <= character <= "\x9f"}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = 60
    columns = {f"sex{ESCAPE}": ["f", "m"] * 30, "a": list(range(rows)), f"ward\n{ESCAPE}": [ESCAPE, "b"] * 30}
    write_table(tmp_path / "t.parquet", pa.table(columns))
    return tmp_path / "t.parquet"


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    note(f"reading {ESCAPE}\nPASS")
    stream = io.StringIO()
    say(f"wrote {ESCAPE}", stream)
    for text in (capsys.readouterr().err, stream.getvalue()):
        assert text.count("\n") == 1
        assert not unsafe(text)


@pytest.mark.parametrize("sensitive", [f"sex{ESCAPE}", f"se{ESCAPE}", "absent"])
@pytest.mark.parametrize("as_json", [True, False])
def test_an_audit_of_names_and_levels_with_escapes(
    table: Path, capsys: pytest.CaptureFixture[str], sensitive: str, as_json: bool
) -> None:
    panel = ["--effort", "quick", "--attackers", "logistic"]
    main(["audit", str(table), "--sensitive", sensitive, *panel, *(["--json"] if as_json else [])])
    shown = capsys.readouterr()
    assert "ex" in shown.out + shown.err
    assert not unsafe(shown.out + shown.err)
    if as_json:
        assert json.loads(shown.out)
        assert shown.out.isascii()


@pytest.mark.parametrize("arguments", [[f"--{ESCAPE}"], ["report", f"x{ESCAPE}.json"], ["audit", "--effort", ESCAPE]])
def test_usage_errors(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.err
    assert not unsafe(shown.out + shown.err)


def test_warnings(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def work(arguments: list[str]) -> Outcome:
        # What Python writes for a warning; pytest keeps warnings themselves from stderr.
        sys.stderr.write(warnings.formatwarning(f"the level {ESCAPE} is new", UserWarning, "file.py", 1))
        return Outcome({}, lambda stream: None)

    usual = warnings.formatwarning
    monkeypatch.setattr(front, "_dispatch", work)
    assert main(["fit"]) == 0
    assert warnings.formatwarning is usual
    shown = capsys.readouterr().err
    assert shown.startswith("warning: the level ")
    assert not unsafe(shown)


@pytest.mark.skipif(os.name != "posix", reason="paths are bytes")
@pytest.mark.parametrize("option", ["--original", "--out", "--key", "--sanitizer", "--labels"])
def test_arguments_that_are_no_text(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "r.csv", "--sensitive", "s", option, os.fsdecode(b"K\xf6ln.csv")]) == 2
    assert capsys.readouterr().err == "error: The argument 'K\\udcf6ln.csv' is not UTF-8. Rename the file or column.\n"


@pytest.mark.parametrize("epsilon", ["1e400", "nan", "inf", "-1", "0", "1/0", "1e1000000000", "words"])
def test_an_epsilon_that_promises_nothing(table: Path, epsilon: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", str(table), "--method", "cadp", "--epsilon", epsilon, "--out", str(table.parent / "o")]
    assert main(command) == 2
    shown = capsys.readouterr().err.splitlines()[-1]
    assert shown.startswith("error: ")
    assert "epsilon" in shown
    assert "fault of withhold" not in shown


def test_json_of_a_record_is_the_record(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    panel = ["--effort", "quick", "--attackers", "logistic", "--json"]
    main(["audit", str(table), "--sensitive", f"sex{ESCAPE}", *panel])
    assert f"sex{ESCAPE}" in AuditRecord.model_validate_json(capsys.readouterr().out).sensitive
