"""Rows released in a random order: nothing is told by position, and the owner can still match every row."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError
from withhold.contracts.images import image_array, image_column
from withhold.io.tables import digest, read_table, write_table
from withhold.workflow.audit import audit_file
from withhold.workflow.order import as_released, random_order, release_order
from withhold.workflow.parts import Parts, splits_table
from withhold.workflow.request import AuditRequest
from withhold.workflow.run import run
from withhold.workflow.source import PART, read_source

pytestmark = pytest.mark.usefixtures("brief_audit")

N = 300


def people(n: int = N) -> pa.Table:
    rng = np.random.default_rng(0)
    s = np.arange(n) // (n // 2)  # sorted by S: position tells all of it
    columns = {
        "a": rng.normal(size=n),
        "b": rng.integers(0, 9, n),
        "u": rng.integers(0, 2, n),
        "who": np.arange(n) // 2,
    }
    return pa.table({**columns, "s": s})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_table(tmp_path / "t.parquet", people())
    return tmp_path / "t.parquet"


def released(data: Path, out: Path, **options: object) -> tuple[pa.Table, pa.Table, list[str]]:
    record = run(
        data, sensitive=["s"], utility=["u"], groups="who", out=out, method="identity", effort="quick",
        attackers=["logistic"], **options,
    )  # fmt: skip
    codes = [finding.code for finding in record.audit.findings]
    return read_table(out / "candidate/release.parquet"), read_table(out / "private/splits.parquet"), codes


def test_position_tells_nothing_and_the_owner_can_match_every_row(data: Path, tmp_path: Path) -> None:
    plain, splits, codes = released(data, tmp_path / "plain", keep_order=True)
    assert "row_order_reveals_s" in codes
    assert splits.column("data_row").to_pylist() == list(range(N))
    mixed, mixed_splits, codes = released(data, tmp_path / "mixed")
    assert "row_order_reveals_s" not in codes
    order = mixed_splits.column("data_row").to_numpy()
    assert sorted(order.tolist()) == list(range(N))
    assert order.tolist() != list(range(N))
    assert mixed.equals(plain.take(pa.array(order)))
    # The fit is the same; the file of parts follows the release.
    assert mixed_splits.column("part").to_pylist() == splits.column("part").take(pa.array(order)).to_pylist()
    assert digest(tmp_path / "plain/private/sanitizer.withhold") == digest(
        tmp_path / "mixed/private/sanitizer.withhold"
    )
    assert not [path for path in (tmp_path / "mixed").rglob("*") if "order" in path.name]


def test_an_audit_with_the_splits_finds_the_original_of_each_row(data: Path, tmp_path: Path) -> None:
    released(data, tmp_path / "out")
    files = {"original": data, "splits": tmp_path / "out/private/splits.parquet"}
    release = tmp_path / "out/candidate/release.parquet"
    asked = AuditRequest(release, ("s",), utility=("u",), effort="quick", attackers=("logistic",), **files)
    record = audit_file(asked)
    assert record.linkage is not None
    assert record.linkage["data"].found.value > 0.9
    assert "alignment_unproven" not in {finding.code for finding in record.findings}
    # Control: without them the rows are not each other's, and no audit passes.
    blind = AuditRequest(
        release, ("s",), utility=("u",), original=data, effort="quick", attackers=("logistic",), budget=0.3
    )
    wrong = audit_file(blind)
    assert wrong.verdict != "pass"
    assert "alignment_unproven" in {finding.code for finding in wrong.findings}


def test_another_version_in_the_order_of_the_data_is_matched_too(tmp_path: Path) -> None:
    table = people(600)
    order = random_order(600)
    write_table(tmp_path / "release.csv", table.select(["a", "b"]).take(pa.array(order)))
    write_table(tmp_path / "may.csv", table.select(["a", "u"]))
    write_table(tmp_path / "t.csv", table)
    write_table(tmp_path / "splits.parquet", splits_table(Parts(np.arange(600) % 2 == 0, "run"), order))
    asked = AuditRequest(
        tmp_path / "release.csv", ("s",), original=tmp_path / "t.csv", also=(tmp_path / "may.csv",), effort="quick",
        attackers=("logistic",), splits=tmp_path / "splits.parquet", budget=0.5,
    )  # fmt: skip
    assert "alignment_unproven" not in {finding.code for finding in audit_file(asked).findings}


def test_the_splits_of_a_release_in_the_order_of_a_part_of_the_data(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", pa.table({"a": [10, 11, 12, 13]}))
    source = read_source(tmp_path / "t.csv")
    assert as_released(source, np.array([3, 1]), None).table.column("a").to_pylist() == [13, 11]
    assert as_released(source, np.array([3, 1]), "a") is source
    with pytest.raises(DataError, match=r"t\.csv has 4 rows, and row 8 of the data was released\. Pass the file"):
        as_released(source, np.array([7, 1]), None)


def test_images_are_numbered_anew(tmp_path: Path) -> None:
    pixels = np.arange(80, dtype=np.uint8)[:, None, None] * np.ones((1, 4, 4), np.uint8)
    write_table(tmp_path / "t.npz", pa.table({"image": image_column(pixels), "s": np.arange(80) // 40}), array="scans")
    run(
        tmp_path / "t.npz", sensitive=["s"], array="scans", out=tmp_path / "o", method="identity", effort="quick",
        attackers=["logistic"],
    )  # fmt: skip
    release = read_table(tmp_path / "o/candidate/release.npz", array="scans")
    order = read_table(tmp_path / "o/private/splits.parquet").column("data_row").to_numpy()
    seen = np.array(image_array(release.column(release.column_names[0])))[:, 0, 0]
    assert seen.tolist() == pixels[order, 0, 0].tolist() != pixels[:, 0, 0].tolist()


def test_a_folder_of_parts_is_shuffled_across_them(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for s, name in enumerate(("men", "women")):
        write_table(tmp_path / f"parts/{name}.parquet", people().slice(s * N // 2, N // 2))
    _, splits, codes = released(tmp_path / "parts", tmp_path / "out")
    first = splits.column("data_row").to_numpy()[: N // 2]
    assert 0.3 < (first < N // 2).mean() < 0.7
    assert "row_order_reveals_s" not in codes


def test_the_names_of_parts_are_attacked(tmp_path: Path) -> None:
    """Ten parts whose numbers tell S, while the order of their rows does so hardly."""
    rng = np.random.default_rng(3)
    (tmp_path / "parts").mkdir()
    for part in rng.permutation(10):
        table = pa.table({"a": rng.normal(size=60), "s": np.full(60, part % 2)})
        write_table(tmp_path / f"parts/part-{part}.parquet", table)
    asked = AuditRequest(tmp_path / "parts", ("s",), effort="quick", attackers=("lookup",), budget=0.1)
    record = audit_file(asked)
    told = {finding.column for finding in record.findings if finding.code == "column_determines_s"}
    assert PART in told
    assert record.sensitive["s"].leakage.value > 0.5


def test_an_interrupted_run_keeps_its_order(tmp_path: Path) -> None:
    first = release_order(tmp_path / "order.parquet", 50)
    assert np.array_equal(release_order(tmp_path / "order.parquet", 50), first)


def test_orders_are_drawn_anew() -> None:
    assert random_order(100).tolist() != random_order(100).tolist()
    assert random_order(0).tolist() == []
