"""Every command on a page is one that the command line takes: its options are there, and go together."""

import functools
import importlib
import re
import shlex
from pathlib import Path

import pytest

from withhold.cli import options
from withhold.cli.main import COMMANDS, main
from withhold.cli.outcome import Outcome

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands_of(page: Path) -> list[str]:
    """The commands in the blocks of a page, one a line; a line that ends with a backslash goes on."""
    blocks = re.findall(r"```(\w*)\n(.*?)```", page.read_text(), flags=re.DOTALL)
    typed = "".join(text for language, text in blocks if language in ("", "bash"))
    lines = re.sub(r"\\\n\s*", "", typed).splitlines()
    return [line.removeprefix("$ ") for line in lines if line.removeprefix("$ ").startswith("withhold ")]


TYPED = {(page.stem, line): line for page in PAGES for line in commands_of(page)}


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let commands read what was typed, and do nothing."""
    read: list[str] = []
    monkeypatch.setattr(options, "_refuse_absent", lambda field, given: None)
    for name in COMMANDS:
        module = importlib.import_module(f"withhold.cli.{name}")
        work = getattr(module, name)

        @functools.wraps(work)
        def nothing(*, _name: str = name, **given: object) -> Outcome:
            read.append(_name)
            return Outcome({}, lambda stream: None)

        monkeypatch.setattr(module, name, nothing)
    return read


@pytest.mark.parametrize("line", TYPED.values(), ids=[f"{page}: {line[:60]}" for page, line in TYPED])
def test_it_can_be_typed(
    line: str, read_only: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(line, comments=True)[1:]
    assert main(arguments) == 0, capsys.readouterr().err
    assert arguments[0] in [*read_only, "--help", "--version"]


def test_a_wrong_option_is_noticed(read_only: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "survey.csv", "--sensitiv", "sex", "--out", "o"]) == 2
    assert main(["run", "survey.csv", "--sensitive", "sex", "--out", "o", "--set", "round=3", "--method", "aioi"]) == 2
    assert read_only == []


def test_there_are_commands_on_pages() -> None:
    assert len(TYPED) > 20
