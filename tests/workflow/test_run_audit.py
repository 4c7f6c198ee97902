"""The audit inside a run: what stands behind a table is attacked for information, and exposure stays private."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.io.tables import read_table, write_table
from withhold.workflow.run import run
from withhold.workflow.run_audit import BEHIND

pytestmark = pytest.mark.usefixtures("brief_audit")


def test_a_run_of_a_noisy_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 300)
    write_table(tmp_path / "t.parquet", pa.table({"a": s + rng.normal(size=300), "b": rng.normal(size=300), "s": s}))
    record = run(
        tmp_path / "t.parquet", sensitive=["s"], out=tmp_path / "o", method="noise", effort="quick",
        attackers=["logistic"],
    )  # fmt: skip
    result = record.audit.sensitive["s"]
    assert list(result.hypothetical) == [BEHIND]
    assert not result.surfaces
    assert set(record.audit.linkage or {}) == {"data", "latent"}
    assert record.audit.membership is not None
    assert record.files["exposure"] == "private/exposure.parquet"
    exposure = read_table(tmp_path / "o/private/exposure.parquet")
    assert set(exposure.column("row").to_pylist()) == set(range(300))
    mean = np.mean(exposure.column("log_ratio").to_numpy())
    assert mean == pytest.approx(result.leakage_total.value, abs=0.1)
    shared = "".join(path.read_text() for path in (tmp_path / "o/candidate").glob("*.json"))
    assert "log_ratio" not in shared


def test_an_audit_part_unlike_the_fit_part_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    s, part = rng.integers(0, 2, 400), np.repeat(["train", "test"], 200)
    a = rng.normal(size=400) + np.where(part == "test", 3.0, 0.0)
    columns = {"a": a, "b": rng.normal(size=400), "s": s, "part": part}
    write_table(tmp_path / "t.parquet", pa.table(columns))
    record = run(
        tmp_path / "t.parquet", sensitive=["s"], out=tmp_path / "o", method="identity", effort="quick",
        attackers=["logistic"], split="part",
    )  # fmt: skip
    assert {note.column for note in record.audit.drift} == {"a"}
    assert [finding.column for finding in record.audit.findings if finding.code == "drift"] == ["a"]
