"""Options are made from requests: which there are, what they become, and that none is lost."""

import importlib
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer.testing

from withhold.cli.main import COMMANDS
from withhold.cli.options import Without, command
from withhold.cli.outcome import Outcome
from withhold.workflow import options as o

FILES = "sep decimal encoding missing text date"
# A command's options are a promise: one that goes, or comes, is seen here.
PROMISED = {
    "demo": "out seed device resume overwrite",
    "run": "out sensitive utility method budget target-utility time epsilon budget-advantage groups key drop keep "
    "split test cross-fit continuous categorical array labels output decode drop-utility use-utility set preset "
    f"attackers effort seed noise-key device keep-order title {FILES} anyway resume overwrite",
    "plan": "sensitive utility method budget target-utility time epsilon budget-advantage groups key drop keep "
    "split test cross-fit continuous categorical array labels output decode drop-utility use-utility set preset "
    f"attackers effort seed noise-key device keep-order title {FILES} out write overwrite",
    "approve": "because",
    "fit": "out sensitive utility method budget epsilon groups drop keep continuous categorical array labels output "
    f"decode use-utility set preset seed device {FILES} overwrite",
    "transform": f"out noise-key key array labels copy device resume overwrite {FILES}",
    "audit": "sensitive utility original control sensitive-from key also sanitizer splits split budget "
    "budget-advantage groups "
    f"drop continuous categorical array labels drop-utility attackers effort seed title {FILES} out overwrite",
    "frontier": "out sensitive utility groups drop keep split continuous categorical array labels output decode "
    f"drop-utility use-utility seed device {FILES} methods budgets set seeds jobs tune resume overwrite",
    "bounds": f"sensitive utility budgets drop continuous categorical array seed {FILES}",
    "report": "out title overwrite",
    "doctor": "",
}


def shown(name: str) -> list[str]:
    function = command(getattr(importlib.import_module(f"withhold.cli.{name}"), name))
    flags = [parameter.annotation.__metadata__[0] for parameter in signature(function).parameters.values()]
    return [flag.default for flag in flags if isinstance(flag, typer.models.OptionInfo)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_options_that_are_promised(name: str) -> None:
    assert shown(name) == [f"--{option}" for option in [*PROMISED[name].split(), "json"]]


@dataclass(frozen=True)
class Asked:
    data: o.Data
    sensitive: o.Sensitive
    also: o.Also = ()
    attackers: o.Attackers = None
    settings: o.Settings = ()
    seed: o.Seed = 3
    key: o.Key = None


def given(*arguments: str) -> tuple[int, list[Any]]:
    seen: list[Any] = []

    def work(request: Annotated[Asked, Without(("key",))], out: o.Folder, keep_order: o.KeepOrder = False) -> Outcome:
        seen.extend([request, out, keep_order])
        return Outcome({}, print)

    application = typer.Typer()
    application.command()(command(work))
    return typer.testing.CliRunner().invoke(application, arguments).exit_code, seen


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv", "c", "d"):
        Path(name).touch()


def test_what_is_typed_becomes_a_request(files: None) -> None:
    code, seen = given("a.csv", "--sensitive", "s", "--out", "d")
    assert (code, seen) == (0, [Asked(Path("a.csv"), ("s",)), Path("d"), False])
    typed = "b.csv --sensitive s --sensitive t --sensitive s --also c --also d --attackers x,+y --set a=1 --seed 5"
    code, seen = given(*typed.split(), "--out", "d", "--keep-order", "--json")
    asked = Asked(Path("b.csv"), ("s", "t"), (Path("c"), Path("d")), ("x", "+y"), ("a=1",), 5)
    assert (code, seen) == (0, [asked, Path("d"), True])


@pytest.mark.parametrize("typed", ["a.csv --sensitive s", "a.csv --out d", "--sensitive s --out d", "a --key k"])
def test_what_is_missing_or_left_out_of_a_command_is_a_usage_error(typed: str) -> None:
    assert given(*typed.split()) == (2, [])


def test_only_what_must_be_given_has_no_default() -> None:
    run = importlib.import_module("withhold.cli.run").run
    required = [p.name for p in signature(command(run)).parameters.values() if p.default is Parameter.empty]
    assert required == ["data", "out"]
