"""Rows released in a random order: nothing is told by position, and the owner can still match every row."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.io.tables import digest, read_table, write_table
from withhold.workflow.order import random_order, release_order
from withhold.workflow.run import run

N = 300


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    s = np.arange(N) // (N // 2)  # sorted by S: position tells all of it
    columns = {
        "a": rng.normal(size=N),
        "b": rng.integers(0, 9, N),
        "u": rng.integers(0, 2, N),
        "who": np.arange(N) // 2,
    }
    write_table(tmp_path / "t.parquet", pa.table({**columns, "s": s}))
    return tmp_path / "t.parquet"


def released(data: Path, out: Path, shuffle: bool) -> tuple[pa.Table, pa.Table, list[str]]:
    record = run(
        data, sensitive=["s"], utility=["u"], groups="who", out=out, method="identity", effort="quick",
        attackers=["logistic"], shuffle=shuffle,
    )  # fmt: skip
    codes = [finding.code for finding in record.audit.findings]
    return read_table(out / "share/release.parquet"), read_table(out / "private/splits.parquet"), codes


def test_position_tells_nothing_and_the_owner_can_match_every_row(data: Path, tmp_path: Path) -> None:
    plain, splits, codes = released(data, tmp_path / "plain", False)
    assert "row_order_reveals_s" in codes
    assert not (tmp_path / "plain/private/order.parquet").exists()
    mixed, mixed_splits, codes = released(data, tmp_path / "mixed", True)
    assert "row_order_reveals_s" not in codes
    order = read_table(tmp_path / "mixed/private/order.parquet").column("data_row").to_numpy()
    assert sorted(order.tolist()) == list(range(N))
    assert order.tolist() != list(range(N))
    assert mixed.equals(plain.take(pa.array(order)))
    # The fit is the same; the file of parts follows the release.
    assert mixed_splits.column("part").to_pylist() == splits.column("part").take(pa.array(order)).to_pylist()
    assert digest(tmp_path / "plain/private/sanitizer.withhold") == digest(
        tmp_path / "mixed/private/sanitizer.withhold"
    )
    share = " ".join(path.name for path in (tmp_path / "mixed/share").iterdir())
    assert "order" not in share


def test_an_interrupted_run_keeps_its_order(tmp_path: Path) -> None:
    first = release_order(tmp_path / "order.parquet", 50)
    assert np.array_equal(release_order(tmp_path / "order.parquet", 50), first)


def test_orders_are_drawn_anew() -> None:
    assert random_order(100).tolist() != random_order(100).tolist()
    assert random_order(0).tolist() == []
