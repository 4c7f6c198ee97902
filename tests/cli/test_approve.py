"""`withhold approve` from the terminal: the release moves, and the last lines say what was decided."""

from pathlib import Path

import pytest

from withhold.cli.main import main

pytestmark = pytest.mark.usefixtures("brief_audit")

FAST = ("--method", "leace", "--effort", "quick", "--attackers", "logistic", "--anyway")


def test_a_release_that_was_not_judged_is_shared_with_a_reason(
    withhold, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    # What was an option is the default now.
    assert main(["run", str(data), "--sensitive", "sex", "--out", str(out), "--shuffle", *FAST]) == 0
    shown = capsys.readouterr()
    assert "--shuffle is the default now" in shown.err
    last = shown.out.splitlines()
    assert any(line.startswith("Measured, not judged: no budget was given. Do not share") for line in last)
    assert last[-1] == f"or approve it      withhold approve {out} --because WHY"
    assert last[-2].startswith(f"judge it           withhold run {data} --sensitive sex --method leace --budget 0.05 ")
    assert main(["approve", str(out), "--because", "A try."]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("Approved without a verdict. Shared by decision of ")
    assert shown.out.splitlines()[-1] == f"share only {out / 'share'}; {out / 'private'} stays with you"
    code, document = withhold("approve", out, "--because", "Once more.")
    assert code == 0
    assert document["approval"]["because"] == "A try."
    assert document["files"]["release"] == "share/release.parquet"


def test_a_wrong_folder_and_no_reason_are_errors(withhold, data: Path, tmp_path: Path) -> None:
    assert withhold("approve", tmp_path / "absent", "--because", "x")[0] == 3
    assert withhold("approve", data.parent, "--because", "x")[0] == 2
    assert withhold("approve", data.parent)[0] == 2
