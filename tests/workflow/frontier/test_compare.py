"""What `compare` makes of arrays: whole numbers are classes, rows must match, names must differ."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.workflow.frontier.cells import cells_for
from withhold.workflow.frontier.compare import _with
from withhold.workflow.job import job_of
from withhold.workflow.request import Request
from withhold.workflow.source import Source

N = 60
TABLE = pa.table({"x": np.random.default_rng(0).normal(size=N), "u": ["a", "b"] * (N // 2)})


def test_whole_numbers_are_classes_and_names_are_columns() -> None:
    table, names = _with(TABLE, np.arange(N) % 3, "sensitive_features")
    assert names == ("sensitive_features",)
    assert not pa.types.is_floating(table.schema.field("sensitive_features").type)
    assert _with(TABLE, "u", "y") == (TABLE, ("u",))
    assert _with(TABLE, None, "y") == (TABLE, ())
    assert _with(TABLE, np.arange(N), "groups")[1] == ("groups",)


def test_other_rows_and_names_that_are_taken_are_refused() -> None:
    with pytest.raises(DataError, match="58 rows"):
        _with(TABLE, np.arange(N - 2) % 3, "y")
    with pytest.raises(InvalidParameterError, match="so does X"):
        _with(TABLE, pa.table({"u": np.arange(N) % 3}), "y")


def test_cells_are_methods_at_budgets_weights_or_once_and_what_is_trivial() -> None:
    source = Source(Path("t.parquet"), TABLE, "", ".parquet")
    job = job_of(Request(source.path, ("u",), method="identity"), source)
    cells = cells_for(["deepminmax", "mi-backprop", "leace"], [0.01, 0.1], [0, 1], job)
    own = [" ".join((cell.name, *cell.settings)) for cell in cells if not cell.rival and cell.seed == 1]
    assert own == [
        "deepminmax budget=0.01", "deepminmax budget=0.1", "mi-backprop lam=10", "mi-backprop lam=3",
        "mi-backprop lam=1", "leace",
    ]  # fmt: skip
    trivial = [cell.name for cell in cells if cell.rival and cell.seed == 0]
    assert trivial == ["without the hidden columns", "noise", "noise", "noise"]
    assert len({cell.file for cell in cells}) == len(cells)
