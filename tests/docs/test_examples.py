"""Every example runs from what packages ship, and makes a picture as the book shows: by games of forty rounds here."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from withhold.data.demo_table import survey_file

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LONG = ("filter_images", "share_a_table")  # more than twenty seconds on one core


@pytest.mark.parametrize(
    "example",
    [pytest.param(one, id=one.stem, marks=pytest.mark.full if one.stem in LONG else ()) for one in EXAMPLES],
)
@pytest.mark.skipif(survey_file() is None, reason="the extra 'demo' is not installed")
def test_it_runs_and_makes_its_picture(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    if example.stem not in LONG:
        for brief in ("brief_training", "brief_games", "brief_audit", "one_reader"):
            request.getfixturevalue(brief)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    plt.close("all")
    assert capsys.readouterr().out
    assert [file.name for file in tmp_path.iterdir()] == [f"{example.stem}.png"]
    assert plt.imread(tmp_path / f"{example.stem}.png").std() > 0


def test_there_are_eight_and_each_is_told_of_and_shown() -> None:
    assert len(EXAMPLES) == 8
    contents, page = (ROOT / "examples" / "README.md").read_text(), (ROOT / "docs" / "examples.md").read_text()
    for example in EXAMPLES:
        assert f"({example.name})" in contents
        assert f"img/examples/{example.stem}.png" in page
        assert (ROOT / "docs" / "img" / "examples" / f"{example.stem}.png").exists()
