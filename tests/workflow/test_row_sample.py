"""Very long files are read in part, all of them in the same part, and the record says so."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.effort import EFFORTS
from withhold.io.tables import read_table, write_table
from withhold.workflow.alignment import BATCH, read_rows, sample_rows
from withhold.workflow.audit import audit_file
from withhold.workflow.request import AuditRequest

pytestmark = pytest.mark.usefixtures("brief_audit")


MOST = 3_000


@pytest.fixture
def short_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick audits that judge 3,000 rows at most."""
    monkeypatch.setitem(EFFORTS, "quick", replace(EFFORTS["quick"], most_rows=MOST))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A release and its original, longer than four quick audits, and a shorter file."""
    return written(4 * EFFORTS["quick"].most_rows + 7, tmp_path)


def written(n: int, folder: Path) -> dict[str, Path]:
    """A release of n rows and its original, and a shorter file."""
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, n, dtype=np.int8)
    job = pa.array(rng.choice(["clerk", "nurse"], n)).dictionary_encode()
    release = pa.table(
        {"row": pa.array(np.arange(n) % 97, pa.int16()), "a": (s + rng.normal(size=n)).astype(np.float32)}
    )
    original = pa.table({"job": job, "s": s, "a": (s + rng.normal(size=n)).astype(np.float32)})
    found = {name: folder / f"{name}.parquet" for name in ("release", "original", "short")}
    for name, table in (("release", release), ("original", original), ("short", release.slice(0, 500))):
        write_table(found[name], table)
    return found


def test_rows_are_chosen_only_where_all_files_are_long_and_alike(files: dict[str, Path], tmp_path: Path) -> None:
    both = [files["release"], files["original"]]
    found = sample_rows(both, 1000, 0)
    assert found is not None
    rows, total = found
    assert (len(rows), len(np.unique(rows)), total) == (1000, 1000, 240_007)
    assert abs(rows.mean() / total - 0.5) < 0.05
    assert sample_rows([*both, files["short"]], 1000, 0) is None
    assert sample_rows(both, 100_000, 0) is None
    arrays = tmp_path / "a.npz"
    write_table(arrays, pa.table({"a": np.zeros(240_007)}))
    assert sample_rows([arrays], 1000, 0) is None  # read whole anyway
    for suffix in ("csv", "feather"):
        write_table(tmp_path / f"a.{suffix}", pa.table({"a": np.zeros(240_007, np.int8)}))
        again = sample_rows([files["release"], tmp_path / f"a.{suffix}"], 1000, 0)
        assert again is not None
        assert np.array_equal(again[0], rows)


def test_the_rows_are_those(files: dict[str, Path]) -> None:
    rows = np.array([0, 3, BATCH - 1, BATCH, 3 * BATCH + 5])
    assert read_rows(files["release"], rows).column("row").to_pylist() == (rows % 97).tolist()
    assert read_rows(files["original"], rows).schema.field("job").type == pa.dictionary(pa.int32(), pa.string())


def test_types_of_a_text_file_follow_from_all_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("code,pay\n" + "12,1\n" * 50 + "007,2.5\n")
    found = read_rows(path, np.array([3, 4]))
    assert found.to_pydict() == {"code": ["12", "12"], "pay": [1.0, 1.0]}
    assert read_rows(path, np.array([3]), {"code": pa.int16()}).schema.field("code").type == pa.int16()


@pytest.mark.usefixtures("short_audits")
def test_a_long_release_is_judged_on_a_part_of_it(tmp_path: Path) -> None:
    n = 4 * MOST + 7
    files, ward = written(n, tmp_path), pa.array(np.arange(n) % 7)
    beside = {"release.csv": ward, "original.parquet": ward.cast(pa.string())}
    for name, codes in beside.items():
        write_table(tmp_path / name, read_table(files[name.split(".")[0]]).append_column("ward", codes))
    release, original = (tmp_path / name for name in beside)
    request = AuditRequest(release, ("s",), original=original, budget=0.05, effort="quick", attackers=("logistic",))
    record = audit_file(request)
    assert record.n == MOST
    notes = [found.text for found in record.findings if found.code == "rows_sampled"]
    assert len(notes) == 1
    assert notes[0].startswith("3,000 of 12,007 rows were judged")
    # Both files were read in the same rows: their numbers go together, and the leak is found.
    assert "alignment_unproven" not in [found.code for found in record.findings]
    assert record.verdict == "fail"
    # Text in the original makes the codes of the CSV file text too, in the rows that were chosen.
    assert record.columns["ward"].own_information == pytest.approx(1.0)
