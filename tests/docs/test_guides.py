"""The commands of the guides run on files of the names they use, made of few rows of data that packages ship.

They run as they stand but for two things: standard effort is quick here, and `run` goes on where rows are too few.
"""

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from docs.test_commands import ROOT, commands_of
from withhold.audit.effort import EFFORTS, LEAST, USUAL
from withhold.cli.main import main
from withhold.data.demo_table import demo_table, survey_file

ROWS = 400  # enough for every command to have something to do
GUIDES = [*sorted((ROOT / "docs" / "guides").glob("*.md")), ROOT / "docs" / "planning.md"]
NOT_RUN = {
    "pip": "installs from an index",
    "--tune": "searches for ten minutes",
}

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(survey_file() is None, reason="the extra 'demo' is not installed"),
]


def runs(line: str) -> bool:
    return not any(word in shlex.split(line) for word in NOT_RUN)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write what the guides name: a survey and what was made of it, vectors, images."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(EFFORTS, USUAL, EFFORTS[LEAST])
    table = demo_table()[0].to_pandas().sample(3 * ROWS, random_state=0)
    table = table.rename(columns={"marr": "sex", "e401k": "income", "male": "race"})
    table.insert(0, "person", np.arange(len(table)))
    survey, others, synthetic = (table[i * ROWS : (i + 1) * ROWS] for i in range(3))
    for name, part in {"survey": survey, "others": others, "new": others}.items():
        part.to_csv(f"{name}.csv", index=False)
    survey.drop(columns=["person"]).to_parquet("adult.parquet", index=False)
    survey.drop(columns=["sex", "person"]).to_csv("release.csv", index=False)
    synthetic.to_csv("synthetic.csv", index=False)
    digits, digit = load_digits(return_X_y=True)
    side, odd = np.where(digit < 5, "a", "b")[:ROWS], digit[:ROWS] % 2
    np.savez("vectors.npz", embeddings=digits[:ROWS], speaker=side)
    images = (16 * digits[:ROWS].reshape(-1, 8, 8)).clip(0, 255).astype(np.uint8)
    np.savez("scans.npz", images=images, hospital=side)
    Path("scans").mkdir()
    for i, image in enumerate(images):
        Image.fromarray(image).save(f"scans/{i:04}.png")
    names = [f"{i:04}.png" for i in range(ROWS)]
    pd.DataFrame({"file": names, "hospital": side, "finding": odd}).to_csv("labels.csv", index=False)


@pytest.mark.parametrize("guide", [guide for guide in GUIDES if commands_of(guide)], ids=lambda guide: guide.stem)
def test_its_commands_run(guide: Path, files: None, capsys: pytest.CaptureFixture[str]) -> None:
    for line in filter(runs, commands_of(guide)):
        arguments = shlex.split(line)[1:]
        # On fewer rows a run stops before its fit.
        code = main([*arguments, *(["--anyway"] if arguments[0] == "run" else [])])
        # A verdict on so few rows may be anything; usage and data errors may not be.
        assert code in (0, 1, 4), f"{line}\n{capsys.readouterr().err}"
