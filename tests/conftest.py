"""Fixtures shared by all tests: where the research data are, and quiet single-threaded torch."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder with the research data sets: WITHHOLD_DATA, or shared/data beside the checkout. Skips where absent."""
    folder = Path(os.environ.get("WITHHOLD_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "adult.parquet").exists():
        pytest.skip(f"research data sets not found in {folder}; set WITHHOLD_DATA to their folder")
    return folder
