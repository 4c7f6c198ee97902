"""`withhold bounds` prints one JSON document of the agreed names, or lines for a person."""

import json
from pathlib import Path

import pytest

from withhold.cli.main import main

NAMES = [
    *("mutual_information", "n", "level", "unit", "budgets", "lower_bound", "lower_bound_interval"),
    *("certificate_gap", "linear_bound", "achievable_bound"),
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    rows = [f"{(i * 7) % 3},{i % 2},{'yes' if i % 2 or i % 5 == 0 else 'no'}" for i in range(400)]
    path.write_text("x,sex,bought\n" + "\n".join(rows) + "\n")
    return path


def test_json(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--sensitive", "sex", "--utility", "bought", "--budgets", "0,0.1", "--json"]
    assert main(["bounds", str(table), *options]) == 0
    known = json.loads(capsys.readouterr().out)
    assert set(NAMES) <= set(known)
    assert known["unit"] == "nat"
    assert known["budgets"] == [0.0, 0.1]
    assert [len(pair) for pair in known["lower_bound_interval"]] == [2, 2]
    assert set(known["mutual_information"]) == {"u_s", "u_x"}


def test_for_a_person(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", str(table), "--sensitive", "sex", "--utility", "bought"]) == 0
    said = capsys.readouterr().out
    assert "hide sex, keep bought" in said
    assert "loss of U at least" in said


@pytest.mark.parametrize("budgets", ["a", "-1", "0,,1"])
def test_wrong_budgets(table: Path, budgets: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--sensitive", "sex", "--utility", "bought", "--budgets", budgets]
    assert main(["bounds", str(table), *options]) == 2
    assert "--budgets" in capsys.readouterr().err
