"""The README and the pages it leads to, from top to bottom: every command and every Python example, on fewer rows.

They use data that packages ship and the files that earlier commands wrote; nothing else.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn import config_context

import withhold.data.shipped as shipped
import withhold.workflow.demo as job
from withhold.cli.main import main
from withhold.data.demo_table import demo_table, survey_file

ROOT = Path(__file__).resolve().parents[2]
README, USING = ROOT / "README.md", ROOT / "docs" / "using.md"
LONGEST = 120
ROWS = 600  # enough for every command to have something to do; the figures come from benchmarks/

pytestmark = [
    pytest.mark.usefixtures("brief_audit", "one_reader", "brief_games", "brief_training"),
    pytest.mark.skipif(survey_file() is None, reason="the extra 'demo' is not installed"),
]


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", document.read_text(), flags=re.DOTALL)


@pytest.mark.slow
def test_python_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    whole = shipped.load_gpa2
    # Every sixth row: the row numbers still run from first to last.
    monkeypatch.setattr(shipped, "load_gpa2", lambda: (part.iloc[::6] for part in whole()))
    monkeypatch.chdir(tmp_path)
    with config_context():
        exec(compile("\n".join(blocks(README, "python")), str(README), "exec"), {"__name__": "__main__"})
    told = capsys.readouterr().out
    # A verdict on so few rows may be any; it names the column and what was learned.
    assert told.startswith(("Pass", "Fail", "Inconclusive"))
    assert re.search(r"\bfemale\b", told)
    assert re.search(r"\d\.\d{3} nat", told)


@pytest.mark.slow
def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    table, *about = demo_table()
    monkeypatch.setattr(job, "demo_table", lambda: (table.slice(0, ROWS), *about))
    monkeypatch.chdir(tmp_path)
    for line in "".join(blocks(README, "bash") + blocks(USING, "bash")).strip().splitlines():
        program, *arguments = shlex.split(line)
        if program == "pip":
            continue
        if program == "python":
            subprocess.run([sys.executable, *arguments], check=True, env=os.environ)
            continue
        assert program == "withhold"
        # On fewer rows a run stops before its fit.
        code = main([*arguments, *(["--anyway"] if arguments[0] == "run" else [])])
        # A verdict on so few rows may be anything; usage and data errors may not be.
        assert code in (0, 1, 4), f"{line}\n{capsys.readouterr().err}"
    assert Path("new.parquet").exists()
    assert Path("page.html").read_text().lower().startswith("<!doctype html>")


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"`make (\w+)`", README.read_text())
    assert {"demo", "test"} <= set(targets)
    for target in targets:
        assert f"\n{target}:" in makefile


def test_it_is_read_in_five_minutes() -> None:
    assert len(README.read_text().splitlines()) <= LONGEST
