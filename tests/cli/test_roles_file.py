"""The file of roles: found, written, read back by every command, and never put over another unasked."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from withhold.cli.main import main

N = 120


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    g = np.random.default_rng(0)
    sex, job = g.choice(["f", "m"], N), g.choice(["a", "b", "c"], N)
    rows = "".join(
        f"{sex[i]},{job[i]},{g.normal():.2f},Ann of {i} Elm Street,202{i % 4}-0{1 + i % 9}-11,{i // 3}\n"
        for i in range(N)
    )
    (tmp_path / "my data.csv").write_text(f'sex,job,"pay ""net""",home,seen,person\n{rows}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    capsys.readouterr()
    code = main(["plan", *arguments, "--json"])
    document = json.loads(capsys.readouterr().out)
    assert code == 0, document
    return document


def test_roles_go_round(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--sensitive", "sex", "--utility", "job", "--drop", "person", "--budget", "0.3", "--effort", "quick"]
    first = planned(capsys, "my data.csv", *options, "--write", "withhold.toml")
    roles = {one["column"]: (one["role"], one["kind"]) for one in first["columns"]}
    assert roles == {
        "sex": ("sensitive", "categorical"),
        "job": ("utility", ""),
        'pay "net"': ("feature", "number"),
        "home": ("dropped", ""),
        "seen": ("feature", "date"),
        "person": ("dropped", ""),
    }
    written = (folder / "withhold.toml").read_text()
    assert '"home",  # it looks like' in written
    assert "seems to name 40 subjects" in written
    assert set(tomllib.loads(written)["drop"]) == {"home", "person"}
    again = planned(capsys)
    for name in ("sensitive", "utility", "n", "budget", "effort", "seed"):
        assert again[name] == first[name]
    assert [one["role"] for one in again["columns"]] == [one["role"] for one in first["columns"]]
    with pytest.raises(AssertionError, match=r"withhold\.toml exists"):
        planned(capsys, "--write", "withhold.toml")
    assert (folder / "withhold.toml").read_text() == written


def test_what_is_left_out_of_the_data_is_not_kept_from_attackers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A column that is dropped in the data is another one in a file to be audited, which somebody made."""
    (folder / "withhold.toml").write_text(
        'drop = ["job"]\nsensitive = ["sex"]\neffort = "quick"\nattackers = "logistic"\n'
    )
    (folder / "leak.csv").write_text("sex,job\n" + "f,a\nm,b\n" * 200)
    assert main(["audit", "leak.csv", "--budget", "0.05", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["sensitive"]["sex"]["leakage"]["value"] > 0.5
    (folder / "withhold.toml").write_text(
        'sensitive = ["sex"]\nattackers = "logistic"\n[audit]\neffort = "quick"\ndrop = ["job"]\n'
    )
    assert main(["audit", "leak.csv", "--budget", "0.05", "--json"]) == 3  # nothing is left to attack
