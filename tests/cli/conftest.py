"""Small tables for the command line: quick to audit, with a column that tells the sensitive one."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.cli.main import main
from withhold.io.tables import write_table


def small_table(rows: int = 240, seed: int = 0) -> pa.Table:
    """A table of `rows` people in which `height` tells sex well and nothing else does."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, rows)
    return pa.table(
        {
            "age": rng.integers(18, 90, rows),
            "height": 160 + 15 * sex + 3 * rng.standard_normal(rows),
            "job": rng.choice(["a", "b", "c"], rows),
            "sex": np.where(sex == 1, "male", "female"),
            "income": np.where(rng.random(rows) < 0.3 + 0.1 * sex, "high", "low"),
        }
    )


@pytest.fixture
def table() -> pa.Table:
    return small_table()


@pytest.fixture
def data(tmp_path: Path, table: pa.Table) -> Path:
    path = tmp_path / "people.parquet"
    write_table(path, table)
    return path


@pytest.fixture
def withhold(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict]]:
    """Run a command with --json; returns its exit code and its one document."""

    def run(*arguments: object) -> tuple[int, dict]:
        capsys.readouterr()
        code = main([*map(str, arguments), "--json"])
        return code, json.loads(capsys.readouterr().out)

    return run
