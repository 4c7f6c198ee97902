"""withhold.toml sets options of commands; what is typed wins, and what means nothing is refused."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from withhold.cli.main import main

pytestmark = pytest.mark.usefixtures("brief_audit")

N = 80


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    g = np.random.default_rng(0)
    rows = "".join(
        f"{s},{a},{b}\n" for s, a, b in zip(g.choice(["f", "m"], N), *g.integers(0, 30, (2, N)), strict=True)
    )
    (tmp_path / "t.csv").write_text(f"sex,a,b\n{rows}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def method_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


FIT = 'data = "t.csv"\nsensitive = "sex"\nmethod = "noise"\n[fit]\nout = "s.withhold"\nseed = 4\n'


def test_a_command_without_options(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "withhold.toml").write_text(FIT)
    assert main(["fit"]) == 0
    assert "withhold.toml sets data, sensitive, method, out, seed\n" in capsys.readouterr().err
    assert (folder / "s.withhold").exists()


def test_what_is_typed_wins(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "withhold.toml").write_text(FIT)
    document = method_of(capsys, "fit", "t.csv", "--out", "k.withhold", "--method", "identity")
    assert (document["sanitizer"], document["method"]["name"]) == ("k.withhold", "identity")
    assert not (folder / "s.withhold").exists()


def test_pairs_and_lists(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lists = 'drop = ["a"]\nset = ["scale=0.5"]\nsensitive = ["sex"]\nmethod = "noise"\n[fit]\nout = "s.withhold"\n'
    tables = 'sensitive = ["sex"]\nmethod = "noise"\nset = { scale = 0.5 }\n[fit]\nout = "t.withhold"\ndrop = "a"\n'
    found = []
    for content in (lists, tables):
        (folder / "withhold.toml").write_text(content)
        found.append(method_of(capsys, "fit", "t.csv"))
    assert found[0]["method"]["settings"] == found[1]["method"]["settings"]
    assert found[0]["method"]["settings"]["scale"] == 0.5


def test_a_table_of_budgets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = 'sensitive = ["sex", "b"]\ncategorical = "b"\nbudget = { sex = 0.3, b = 0.2 }\n'
    (folder / "withhold.toml").write_text(content)
    document = method_of(capsys, "plan", "t.csv", "--effort", "quick")
    assert {name: told["nats"] for name, told in document["budgets"].items()} == {"sex": 0.3, "b": 0.2, "joint": 0.5}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("sede = 3", "sets sede, which is no option. Did you mean 'seed'?"),
        ("[audit]\nsave = 3", "sets [audit] save, which is no option."),
        ("overwrite = true", "sets overwrite, which is typed each time (--overwrite)."),
        ("[run]\nresume = true", "sets [run] resume, which is typed each time"),
        ("seed = [1, 2]", "gives several values to seed, which takes one."),
        ("seed = true", "must give a value to seed (got True)."),
        ("use_utility = 1", "must give true or false to use-utility (got 1)."),
        ("seed = ", "withhold.toml cannot be read"),
    ],
)
def test_what_means_nothing(folder: Path, capsys: pytest.CaptureFixture[str], content: str, words: str) -> None:
    (folder / "withhold.toml").write_text(content)
    assert main(["fit", "t.csv", "--sensitive", "sex", "--out", "s"]) == 2
    assert words in capsys.readouterr().err
    assert main(["fit", "-h"]) == 0


def test_a_wrong_value_is_told_like_one_that_is_typed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "withhold.toml").write_text('seed = "x"\nbudget-advantage = 0.1\n')
    assert main(["fit", "t.csv", "--sensitive", "sex", "--out", "s"]) == 2
    assert "Invalid value for '--seed'" in capsys.readouterr().err


def test_the_earlier_flag_of_fit_still_works(folder: Path) -> None:
    assert main(["fit", "t.csv", "--sensitive", "sex", "--method", "noise", "--save", "s.withhold"]) == 0
    assert (folder / "s.withhold").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(folder / "withhold.toml")
    assert main(["fit", "t.csv", "--sensitive", "sex", "--out", "s.withhold"]) == 3
    assert "is no file but a pipe" in capsys.readouterr().err


def test_one_method_is_not_those_of_a_comparison_and_that_is_said(folder, capsys) -> None:
    (folder / "withhold.toml").write_text('data = "t.csv"\nsensitive = "sex"\nmethod = "leace"\nseed = 1\n')
    compared = ["frontier", "--budgets", "0.1", "--out", "f", "--set", "leace.no=1"]
    assert main(compared) == 2
    said = capsys.readouterr().err
    assert "sets method, which frontier does not read: it takes --methods, or methods under [frontier]" in said
    assert "--set names 'leace', which is not compared" in said
    assert main([*compared, "--methods", "leace"]) == 2
    assert "does not read" not in capsys.readouterr().err
    (folder / "withhold.toml").write_text('data = "t.csv"\nsensitive = "sex"\nmethod = "noise"\nmethods = ["leace"]\n')
    assert main(compared) == 2
    said = capsys.readouterr().err
    assert "does not read" not in said
    assert "LEACE has no setting 'no'" in said
