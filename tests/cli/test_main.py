"""Tests of the front door: start-up, streams, exit codes, errors."""

import importlib
import json
import os
import shlex
import subprocess
import sys

import pytest
import typer

from withhold.cli import main as front
from withhold.cli.main import COMMANDS, main
from withhold.contracts.errors import DataError, MissingExtraError

HEAVY = ("torch", "sklearn", "pandas", "pyarrow", "numpy", "matplotlib", "pydantic", "rich")
PROBE = """
import sys
from withhold.cli.main import main
code = main(sys.argv[1:])
loaded = [name for name in {heavy!r} if name in sys.modules]
print(loaded, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)], ids=" ".join)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = PROBE.format(heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr.strip() == "[]"
    assert "Usage: withhold" in done.stdout


def test_the_probe_sees_what_is_loaded() -> None:
    """Positive control: a command that works does load some of them."""
    code = PROBE.format(heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", code, "report", "absent.json", "--out", "x.html"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "pydantic" in done.stderr


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)


@pytest.mark.parametrize("arguments", [["runn"], ["run"], ["run", "--bad"], ["run", "x.csv", "--seed", "many"]])
def test_usage_errors(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Error" in shown.err
    assert main([*arguments, "--json"]) == 2
    shown = capsys.readouterr()
    assert json.loads(shown.out)["error"]["code"] == 2
    assert shown.err == ""


@pytest.fixture
def doctor_raises(monkeypatch: pytest.MonkeyPatch):
    def install(error: BaseException) -> None:
        def doctor() -> None:
            print("noise on stdout")
            raise error

        module = type(sys)("withhold.cli.doctor")
        module.doctor, module.EXAMPLES = doctor, ()
        monkeypatch.setattr(front.importlib, "import_module", lambda name: module)

    return install


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DataError("bad data"), 3),
        (MissingExtraError("no extra"), 2),
        (RuntimeError("surprise"), 3),
        (OSError(28, "No space left on device"), 3),
        (MemoryError(), 3),
        (KeyboardInterrupt(), 130),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_have_their_code_and_no_trace(doctor_raises, capsys, error: BaseException, code: int) -> None:
    doctor_raises(error)
    assert main(["doctor"]) == code
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    assert shown.out == ""
    doctor_raises(error)
    assert main(["doctor", "--json"]) == code
    document = json.loads(capsys.readouterr().out)["error"]
    assert document["code"] == code
    assert set(document) == {"type", "message", "code"}


def test_an_unexpected_error_says_how_to_report_it(doctor_raises, capsys, monkeypatch) -> None:
    doctor_raises(RuntimeError("surprise"))
    main(["doctor"])
    assert "report it: https://" in capsys.readouterr().err
    monkeypatch.setenv("WITHHOLD_DEBUG", "1")
    main(["doctor"])
    assert "Traceback" in capsys.readouterr().err


def test_module_form() -> None:
    done = subprocess.run([sys.executable, "-m", "withhold", "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("withhold ")


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (["run", "README.md", "--bogus"], "--bogus", 2),
        (["audit", "README.md"], "--sensitive", 2),
        (["fit", "README.md", "--sensitive", "a", "--save", "s", "--method", "nois"], "Did you mean 'noise'?", 2),
        (["fit", "README.md", "--sensitive", "a", "--save", "s", "--set", "round=1"], "Did you mean 'rounds'?", 2),
        (["run", "README.md", "--sensitive", "a", "--out", "o", "--effort", "fast"], "Unknown effort 'fast'", 2),
        (["audit", "absent.csv", "--sensitive", "a"], "File not found: 'absent.csv'.", 3),
        (["transform", "absent.withhold", "README.md", "--out", "o.csv"], "File not found: 'absent.withhold'.", 3),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_wrong_in_a_command_is_said_before_the_libraries_are_loaded(
    arguments: list[str], words: str, code: int
) -> None:
    heavy = tuple(name for name in HEAVY if name not in ("pydantic", "rich"))
    probe = PROBE.format(heavy=heavy)
    done = subprocess.run([sys.executable, "-c", probe, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert done.stderr.strip().endswith("[]")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples_that_can_be_typed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    examples = importlib.import_module(f"withhold.cli.{name}").EXAMPLES
    assert main([name, "-h"]) == 0
    shown = capsys.readouterr().out
    for example in examples:
        assert f"  {example}\n" in shown
        program, command, *arguments = shlex.split(example)
        assert (program, command) == ("withhold", name)
        parser = typer.main.get_command(front._application(name))
        parser.make_context(name, arguments)  # every option is one, and nothing that must be given is missing
        with pytest.raises(front.USAGE_ERROR):
            parser.make_context(name, [*arguments, "--bogus"])


def test_a_shell_can_complete_options() -> None:
    asked = {"_WITHHOLD_COMPLETE": "complete_bash", "COMP_WORDS": "withhold audit --orig", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-m", "withhold"], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["--original"]
