"""Tests of the main job from Python."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.io.tables import read_table, write_table
from withhold.workflow.run import run

FAST = {"effort": "quick", "attackers": ["logistic"]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 120)
    table = pa.table(
        {"a": s + rng.standard_normal(120), "b": rng.standard_normal(120), "s": s, "u": rng.integers(0, 2, 120)}
    )
    write_table(tmp_path / "t.parquet", table)
    return tmp_path / "t.parquet"


def test_from_python(data: Path, tmp_path: Path) -> None:
    said: list[str] = []
    record = run(data, sensitive=["s"], out=tmp_path / "o", method="identity", utility=["u"], log=said.append, **FAST)
    assert record.data.rows == 120
    assert record.method.name == "identity"
    assert record.audit.splits.fit == 84
    assert read_table(tmp_path / "o" / "share" / "release.parquet").column_names == ["a", "b", "u"]
    assert any("identity" in line for line in said)


def test_two_sensitive_columns_are_both_hidden_and_judged_jointly(data: Path, tmp_path: Path) -> None:
    record = run(data, sensitive=["s", "u"], out=tmp_path / "o", method="leace", **FAST)
    assert set(record.audit.sensitive) == {"s", "u", "joint"}
    assert read_table(tmp_path / "o" / "share" / "release.parquet").column_names == ["a", "b"]


def test_a_representation_with_the_utility_beside_it(data: Path, tmp_path: Path) -> None:
    run(data, sensitive=["s"], out=tmp_path / "o", method="noise", utility=["u"], output="representation", **FAST)
    names = read_table(tmp_path / "o" / "share" / "release.parquet").column_names
    assert names[-1] == "u"
    assert not {"a", "b", "s"} & set(names)


def test_the_same_seed_and_key_give_the_same_release(data: Path, tmp_path: Path) -> None:
    run(data, sensitive=["s"], out=tmp_path / "o", method="noise", **FAST)
    key = tmp_path / "o" / "private" / "key"
    run(data, sensitive=["s"], out=tmp_path / "p", method="noise", noise_key=key, **FAST)
    run(data, sensitive=["s"], out=tmp_path / "q", method="noise", **FAST)
    one, two, three = (read_table(tmp_path / name / "share" / "release.parquet") for name in "opq")
    assert one.equals(two)
    assert not one.equals(three)


def test_data_that_the_method_refuses_leave_nothing_behind(data: Path, tmp_path: Path) -> None:
    table = read_table(data)
    write_table(data, table.append_column("copy", table.column("s")))
    with pytest.raises(DataError, match="copy"):
        run(data, sensitive=["s"], out=tmp_path / "o", method="identity", **FAST)
    assert not (tmp_path / "o").exists()


def test_wrong_options_are_found_before_anything_is_written(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="--use-utility"):
        run(data, sensitive=["s"], out=tmp_path / "o", use_utility=True, **FAST)
    assert not (tmp_path / "o").exists()
