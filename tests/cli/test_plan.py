"""`withhold plan`: the answer first, few lines, a command that can be typed, one JSON document."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from withhold.cli.main import main
from withhold.contracts.plan_record import PlanRecord

pytestmark = pytest.mark.usefixtures("brief_audit")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 900)
    path = tmp_path / "my table.csv"
    rows = [
        f"{x:.3f},{y},{'f' if one else 'm'},{one}"
        for x, y, one in zip(rng.normal(size=900) + s, s ^ (rng.random(900) < 0.4), s, strict=True)
    ]
    path.write_text("height,bought,sex,copy\n" + "\n".join(rows) + "\n")
    return path


ASKED = ["--sensitive", "sex", "--utility", "bought", "--drop", "copy", "--effort", "quick"]


def test_for_a_person(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(table), *ASKED, "--budget", "0.001"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 25
    assert lines[0].startswith("OVER BUDGET BEFORE ANY FIT: 'bought' alone tells")
    assert any("height: right" in line and "times in 100 where guessing gives 50" in line for line in lines)
    (without,) = [shlex.split(line)[1:] for line in lines if line.startswith("next")]
    assert without[:3] == ["withhold", "run", str(table)]
    assert "--drop-utility" in without
    assert without[without.index("--drop") + 1] == "copy"
    assert shlex.split(lines[-1])[0] == "or"
    kept = shlex.split(lines[-1])[1:]
    assert "--drop-utility" not in kept
    assert float(kept[kept.index("--budget") + 1]) > 0.001


def test_too_few_rows(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--sensitive", "sex", "--drop", "copy", "--effort", "quick"]
    assert main(["plan", str(table), *asked, "--budget", "0.005"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("TOO FEW ROWS: 900 rows cannot show")
    assert "rows would do" in said


def test_json_and_file_hold_one_document(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "plan.json"
    assert main(["plan", str(table), *ASKED, "--budget-advantage", "0.2", "--json", "--out", str(out)]) == 0
    printed = json.loads(capsys.readouterr().out)
    record = PlanRecord.model_validate(printed)
    assert PlanRecord.model_validate_json(out.read_text()) == record
    assert record.budget.advantage == 0.2
    assert 0.02 < record.budget.nats < 0.1  # .7 right of two about equal classes is .082 nat
    assert record.audit_seconds > 0
    assert main(["plan", str(table), *ASKED, "--out", str(out)]) == 2
    assert main(["plan", str(table), *ASKED, "--out", str(table), "--overwrite"]) == 2


def test_a_wrong_column_is_named(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(table), "--sensitive", "sexe"]) == 3
    assert "Did you mean 'sex'?" in capsys.readouterr().err
