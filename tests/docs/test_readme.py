"""The README's Python example and its commands, run as they stand on a part of Adult."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
ROWS = 700  # enough for every command to have something to do; the figures of the README come from benchmarks/


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(), flags=re.DOTALL)


@pytest.fixture
def folder(data_dir: Path, tmp_path: Path) -> Path:
    adult = pd.read_parquet(data_dir / "adult.parquet").sample(ROWS, random_state=0, ignore_index=True)
    adult.to_parquet(tmp_path / "adult.parquet")
    return tmp_path


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})


@pytest.mark.data
@pytest.mark.slow
def test_python_example(folder: Path) -> None:
    (code,) = blocks("python")
    done = run([sys.executable, "-W", "error::UserWarning", "-c", code], folder)
    assert done.returncode == 0, done.stderr
    # A verdict on so few rows may be any; it names the column and what was learned.
    assert done.stdout.startswith(("Pass", "Fail", "Inconclusive"))
    for words in (r"\bsex\b", r"\d\.\d{3} nat"):
        assert re.search(words, done.stdout), done.stdout
    assert (folder / "sanitizer.withhold").exists()


@pytest.mark.data
@pytest.mark.slow
def test_commands(folder: Path) -> None:
    (commands,) = blocks("bash")
    for line in commands.strip().splitlines():
        program, *arguments = shlex.split(line)
        assert program == "withhold"
        done = run([sys.executable, "-m", "withhold", *arguments], folder)
        # A verdict on so few rows may be anything; usage and data errors may not be.
        assert done.returncode in (0, 1, 4), f"{line}\n{done.stdout}\n{done.stderr}"
    assert (folder / "new.parquet").exists()
    assert (folder / "page.html").read_text().lower().startswith("<!doctype html>")


def test_make_targets_exist() -> None:
    makefile = (README.parent / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", README.read_text(), flags=re.MULTILINE):
        assert f"\n{target}:" in makefile
