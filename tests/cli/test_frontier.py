"""`withhold frontier` end to end: cells, record, page; what is there is not done again, what differs is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from withhold.cli.main import main

pytestmark = pytest.mark.usefixtures("brief_audit", "one_reader")

N = 240


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    g = np.random.default_rng(0)
    s = g.integers(0, 2, N)
    rows = "".join(f"{s[i]},{s[i] + g.normal():.3f},{g.normal():.3f}\n" for i in range(N))
    (tmp_path / "t.csv").write_text(f"s,a,b\n{rows}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_from_a_file_to_a_picture_and_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["frontier", "t.csv", "--sensitive", "s", "--methods", "leace", "--budgets", "0.3", "--out", "f"]
    assert main([*options, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    names = [cell["name"] for cell in first["cells"]]
    assert names == ["the file as it is", "without the hidden columns", "noise", "noise", "noise", "leace"]
    whole, without = (cell["trial"]["leakage"]["value"] for cell in first["cells"][:2])
    assert whole == pytest.approx(np.log(2), abs=0.01)
    assert without < whole
    files = {path.name for path in (folder / "f").iterdir()}
    assert {f"frontier.{kind}" for kind in ("html", "json", "svg", "png")} <= files
    assert main(options) == 2  # unasked, nothing is put over what is there
    assert "--resume" in capsys.readouterr().err
    assert main([*options, "--resume", "--drop", "b"]) == 2
    assert "other data or options" in capsys.readouterr().err
    (folder / "f" / "cells" / "leace-seed-0.json").unlink()
    assert main([*options, "--resume", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    for cell in (*first["cells"], *again["cells"]):
        cell["trial"] |= {"seconds": 0, "fit_seconds": 0}
    assert again == first


def test_settings_are_searched_and_rerun_by_the_printed_command(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("optuna", reason="the extra 'tune' is not installed")
    monkeypatch.setattr("withhold.workflow.frontier.tuning.MOST_TRIALS", 2)
    options = ["frontier", "t.csv", "--sensitive", "s", "--methods", "noise", "--budgets", "0.3", "--out", "f"]
    assert main([*options, "--tune", "1h", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    ((found,), cells) = record["tuned"], [cell for cell in record["cells"] if cell["name"] == "noise, tuned"]
    assert [cell["trial"]["settings"] for cell in cells] == [found["trial"]["settings"]]
    assert (found["budget"], found["trials"], found["trial"]["method"]) == (0.3, 2, "noise")
    assert len(list((folder / "f" / "tuning" / "seeds-0").iterdir())) == 2
    assert "rows that no cell is judged on" in record["notes"][-1]
    assert main([*options, "--tune", "1h", "--resume"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("search"))
    settings = "".join(f"--set {one} " for one in found["trial"]["settings"])
    assert line.endswith(f": withhold run t.csv --sensitive s --method noise --budget 0.3 {settings}--out release")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--methods", "leac"], "Did you mean 'leace'?"),
        (["--methods", "cadp"], "cadp does not apply"),
        (["--set", "rounds=3"], "Write --set deepminmax.rounds=3."),
        (["--set", "leace.projection=3"], "which is not compared"),
        (["--set", "deepminmax.round=3"], "Did you mean 'rounds'"),
        (["--set", "deepminmax.rounds=0"], "rounds must be"),
        (["--budgets", "a"], "takes nats such as"),
        (["--budgets", "0"], "A budget of 0"),
        (["--seeds", "0"], "at least one method"),
        (["--tune", "soon"], "--tune must be a time above zero"),
        (["--out", "t.csv"], "t.csv"),
    ],
)
def test_what_means_nothing_is_refused_and_leaves_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    usual = ["frontier", "t.csv", "--sensitive", "s"] + ([] if "--out" in options else ["--out", "f"])
    assert main([*usual, *options]) in (2, 3)
    assert words in capsys.readouterr().err
    assert not (folder / "f").exists()
