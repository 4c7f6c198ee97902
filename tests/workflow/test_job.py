"""Tests of preparing a job."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError
from withhold.contracts.wording import on_command_line
from withhold.io.tables import write_table
from withhold.workflow.job import joined, person_codes, prepare
from withhold.workflow.request import Request


def test_rows_columns_and_budget(tmp_path: Path) -> None:
    columns = {"a": list(range(40)), "s": ["x", "y"] * 20, "g": [i // 4 for i in range(40)], "d": [0] * 40}
    write_table(tmp_path / "t.csv", pa.table(columns))
    request = Request(tmp_path / "t.csv", ("s",), groups="g", drop=("d",), budget_advantage=0.1)
    job = prepare(request)
    assert job.roles.features == ("a",)
    assert job.summary.dropped == ["d"]
    assert job.budget == pytest.approx(0.0201, abs=1e-3)
    assert job.groups is not None
    assert not set(job.groups[job.parts.fit_rows]) & set(job.groups[job.parts.audit_rows])
    assert job.suffix == ".csv"


def test_a_utility_that_cannot_be_measured_is_refused_before_anything_is_fitted(tmp_path: Path) -> None:
    columns = {"a": list(range(60)), "s": ["x", "y"] * 30, "u": [i * 7 for i in range(60)]}
    write_table(tmp_path / "t.csv", pa.table(columns))
    with pytest.raises(DataError, match="'u' of `utility` must be declared"):
        prepare(Request(tmp_path / "t.csv", ("s",), utility=("u",)))
    with on_command_line(), pytest.raises(DataError, match=r"^Column 'u' \(--utility\) must be .*--continuous u "):
        prepare(Request(tmp_path / "t.csv", ("s",), utility=("u",)))
    with on_command_line(), pytest.raises(DataError, match=r"^Column 'u' \(--sensitive\) must be"):
        prepare(Request(tmp_path / "t.csv", ("u",)))
    declared = Request(tmp_path / "t.csv", ("s",), utility=("u",), continuous=("u",))
    assert prepare(declared).roles.utility == ("u",)


def test_persons_are_told_apart_as_in_the_ledger():
    assert person_codes(pa.table({"id": [3, 4, 3]}), "id").tolist() == [0, 1, 0]
    assert person_codes(pa.table({"id": ["3 ", "4", "3"]}), "id").tolist() == [0, 1, 0]
    assert person_codes(pa.table({"id": [3]}), None) is None
    with pytest.raises(DataError):
        person_codes(pa.table({"id": ["a", None]}), "id")


def test_a_chain_of_subjects_and_persons_is_one_group():
    groups, persons = np.array([0, 0, 1, 1, 2, 3]), np.array([0, 1, 1, 2, 3, 3])
    assert joined(groups, persons).tolist() == [0, 0, 0, 0, 1, 1]
    assert joined(groups, np.arange(6)).tolist() == [0, 0, 1, 1, 2, 3]
    assert joined(groups, None) is groups
    assert joined(None, persons) is persons
