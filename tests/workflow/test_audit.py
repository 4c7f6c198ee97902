"""Tests of the audit of files from Python; the command's tests have the cases."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.io.tables import write_table
from withhold.workflow.audit import AuditRequest, audit_file


def test_several_sensitive_columns_from_another_file_by_key(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    s, t = rng.integers(0, 2, (2, 160))
    keys = rng.permutation(160)
    write_table(tmp_path / "r.csv", pa.table({"id": keys, "a": s + 0.1 * rng.standard_normal(160)}))
    order = rng.permutation(160)
    write_table(tmp_path / "s.csv", pa.table({"id": keys[order], "s": s[order], "t": t[order]}))
    request = AuditRequest(
        tmp_path / "r.csv",
        ("s", "t"),
        sensitive_from=tmp_path / "s.csv",
        key="id",
        budget_advantage=0.1,
        effort="quick",
        attackers=("logistic",),
    )
    record = audit_file(request)
    assert record.verdict == "fail"
    assert record.sensitive["s"].balanced_accuracy is not None
    assert record.sensitive["s"].balanced_accuracy > 0.9
    assert record.budget is not None
    assert 0 < record.budget < 0.03


def test_options_that_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="--splits"):
        AuditRequest(tmp_path / "r.csv", ("s",), split="part", splits=tmp_path / "x")
    with pytest.raises(InvalidParameterError, match="--key"):
        AuditRequest(tmp_path / "r.csv", ("s",), key="id")
