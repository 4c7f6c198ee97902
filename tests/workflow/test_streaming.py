import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, FileError, InvalidParameterError
from withhold.contracts.images import image_array, image_column
from withhold.io.tables import read_table, write_table
from withhold.workflow import streaming as subject
from withhold.workflow.streaming import transform_file

ROWS = 1000


class Double:
    """Doubles x0 and x1, remembers how many rows it was given each time, and stops when told to."""

    feature_names_in_ = np.array(["x0", "x1"], object)

    def __init__(self, stop_after=None):
        self.batches = []
        self.stop_after = stop_after

    def transform(self, X):
        if len(self.batches) == self.stop_after:
            raise KeyboardInterrupt
        self.batches.append(X.num_rows)
        return pa.table({name: pa.array(2 * X.column(name).to_numpy()) for name in ("x0", "x1")})


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "key": np.arange(ROWS),
            "x0": rng.normal(size=ROWS).astype(np.float32),
            "u": pa.array(rng.choice(list("ab"), ROWS)).dictionary_encode(),
            "x1": rng.normal(size=ROWS).astype(np.float32),
        }
    )


@pytest.fixture
def source(tmp_path, table):
    write_table(tmp_path / "source.parquet", table)
    return tmp_path / "source.parquet"


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".feather", ".npz"])
@pytest.mark.parametrize("resume", [False, True])
def test_every_format_in_order_with_copied_columns(tmp_path, table, suffix, resume):
    source, target = tmp_path / f"source{suffix}", tmp_path / f"z{suffix}"
    write_table(source, table)
    transform = Double()
    done = transform_file(
        transform, source, target, rows_per_batch=64, columns=["u", "key"], resume=resume, identity="t"
    )
    released = read_table(target).select(["key", "x0", "u", "x1"])
    assert done.rows == ROWS
    assert sorted(done.columns) == ["key", "u", "x0", "x1"]
    assert released.column("key").to_pylist() == list(range(ROWS))
    assert released.column("u").to_pylist() == table.column("u").to_pylist()
    np.testing.assert_allclose(released.column("x1").to_numpy(), 2 * table.column("x1").to_numpy(), rtol=1e-6)
    assert transform.batches == [64] * 15 + [40]
    assert sorted(os.listdir(tmp_path)) == sorted([source.name, target.name])


def test_only_what_the_transform_returns_is_released(source, tmp_path):
    assert transform_file(Double(), source, tmp_path / "z.parquet").columns == ("x0", "x1")


def test_progress_is_told_after_each_batch(source, tmp_path, table):
    told = []
    transform_file(Double(), source, tmp_path / "z.csv", rows_per_batch=400, progress=lambda *a: told.append(a))
    assert told == [(400, ROWS), (800, ROWS), (1000, ROWS)]
    told.clear()
    write_table(tmp_path / "a.csv", table)
    transform_file(
        Double(), tmp_path / "a.csv", tmp_path / "z.csv", rows_per_batch=600, progress=lambda *a: told.append(a)
    )
    assert told == [(600, None), (1000, None)]


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".feather"])
def test_an_interrupted_run_continues_with_the_same_result(source, tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(subject, "BATCHES_PER_PART", 3)
    options = {"rows_per_batch": 50, "columns": ["u"], "resume": True, "identity": "t"}
    transform_file(Double(), source, tmp_path / f"whole{suffix}", **options)
    target = tmp_path / f"z{suffix}"
    target.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        transform_file(Double(stop_after=8), source, target, **options)
    assert target.read_bytes() == b"old"
    told = []
    second = Double()
    done = transform_file(second, source, target, progress=lambda *a: told.append(a), **options)
    assert done.resumed_rows == 300  # two parts of three batches of fifty
    assert len(second.batches) == 14
    assert told[0] == (350, ROWS)
    assert target.read_bytes() == (tmp_path / f"whole{suffix}").read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([source.name, target.name, f"whole{suffix}"])


def interrupted(source, target, monkeypatch, **options):
    monkeypatch.setattr(subject, "BATCHES_PER_PART", 3)
    with pytest.raises(KeyboardInterrupt):
        transform_file(Double(stop_after=8), source, target, resume=True, **options)


@pytest.mark.parametrize(
    "change", [{"identity": "other"}, {"rows_per_batch": 51}, {"columns": ["key"]}, {"columns": []}, {"source": True}]
)
def test_parts_of_another_run_are_not_used(source, tmp_path, monkeypatch, change, table):
    options = {"rows_per_batch": 50, "columns": ["u"], "identity": "t"}
    interrupted(source, tmp_path / "z.parquet", monkeypatch, **options)
    if change.pop("source", False):
        write_table(source, table.slice(0, ROWS - 1))
    transform = Double()
    done = transform_file(transform, source, tmp_path / "z.parquet", resume=True, **(options | change))
    assert done.resumed_rows == 0
    assert sum(transform.batches) == done.rows


def test_without_resume_nothing_is_taken_over(source, tmp_path, monkeypatch):
    options = {"rows_per_batch": 50, "identity": "t"}
    interrupted(source, tmp_path / "z.parquet", monkeypatch, **options)
    transform = Double()
    transform_file(transform, source, tmp_path / "z.parquet", **options)
    assert sum(transform.batches) == ROWS


def test_an_error_of_the_transform_leaves_the_old_release(source, tmp_path):
    target = tmp_path / "z.parquet"
    target.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        transform_file(Double(stop_after=2), source, target, rows_per_batch=100)
    assert target.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["source.parquet", "z.parquet"]


def test_the_source_is_never_the_target(source, tmp_path):
    (tmp_path / "link.parquet").symlink_to(source)
    for target in (source, tmp_path / "link.parquet"):
        with pytest.raises(InvalidParameterError, match="would replace its source"):
            transform_file(Double(), source, target)


def test_a_resumable_run_names_its_transform(source, tmp_path):
    with pytest.raises(InvalidParameterError, match="needs an identity"):
        transform_file(Double(), source, tmp_path / "z.parquet", resume=True)


def test_other_mistakes(source, tmp_path, table):
    with pytest.raises(FileError, match=r"must be named \*.parquet"):
        transform_file(Double(), source, tmp_path / "z.docx")
    with pytest.raises(FileError, match="File not found: "):
        transform_file(Double(), tmp_path / "absent.parquet", tmp_path / "z.parquet")
    with pytest.raises(DataError, match="has no column 'absent', which is to be copied"):
        transform_file(Double(), source, tmp_path / "z.parquet", columns=["absent"])
    write_table(tmp_path / "empty.parquet", table.slice(0, 0))
    for resume in (False, True):
        with pytest.raises(DataError, match="has no rows"):
            transform_file(Double(), tmp_path / "empty.parquet", tmp_path / "z.parquet", resume=resume, identity="t")
    assert not (tmp_path / "z.parquet").exists()


PROGRAM = """
import sys, time
from withhold.workflow.streaming import transform_file
class Slow:
    n_features_in_ = 2
    batches = 0
    def transform(self, X):
        self.batches += 1
        if self.batches == 20:
            print("third part", flush=True)
            time.sleep(60)
        return 2 * X
transform_file(Slow(), sys.argv[1], sys.argv[2], rows_per_batch=20, resume=True, identity="t", columns=["u"])
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_killed_run_continues_with_the_same_result(source, tmp_path):
    target = tmp_path / "z.parquet"
    target.write_bytes(b"old")
    with subprocess.Popen([sys.executable, "-c", PROGRAM, source, target], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "third part\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert target.read_bytes() == b"old"
    options = {"rows_per_batch": 20, "resume": True, "identity": "t", "columns": ["u"]}
    done = transform_file(Double(), source, target, **options)
    assert done.resumed_rows == 320  # two parts of eight batches of twenty rows
    transform_file(Double(), source, tmp_path / "whole.parquet", **options)
    assert target.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["source.parquet", "whole.parquet", "z.parquet"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from Linux's /proc")
def test_memory_stays_constant(tmp_path):
    # 1M x 128 float32 (512 MB) is promised below 1 GB; here four times the rows (100 MB more) may not add half of that.
    program = """
import sys, numpy as np, pyarrow as pa
from withhold.workflow.streaming import transform_file
from withhold.io.tables import TableWriter
source, target = sys.argv[1:]
schema = pa.schema([(f"x{j}", pa.float32()) for j in range(128)])
class Copy:
    n_features_in_ = 128
    def transform(self, X):
        return X
def peak():
    # Not getrusage: its peak begins with that of the process that started this one.
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1e3
def make(rows):
    matrix = np.zeros((128, 8192), np.float32)
    with TableWriter(source, schema) as writer:
        for _ in range(0, rows, 8192):
            writer.write(pa.Table.from_arrays(list(map(pa.array, matrix)), schema=schema))
make(65_536)
transform_file(Copy(), source, target)
first = peak()
make(262_144)
transform_file(Copy(), source, target)
print(first, peak() - first)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "a.parquet", tmp_path / "z.parquet"],
        check=True,
        capture_output=True,
        text=True,
    )
    first, growth = map(float, done.stdout.split())
    assert growth < 0.5 * (262_144 - 65_536) * 128 * 4 / 1e6, done.stdout
    assert first < 1000


class Invert:
    """Inverts images, and stops when told to."""

    def __init__(self, stop_after=None):
        self.calls, self.stop_after = 0, stop_after

    def transform(self, X):
        if self.calls == self.stop_after:
            raise KeyboardInterrupt
        self.calls += 1
        return pa.table({"image": image_column(255 - image_array(X.column("image")))})


@pytest.mark.parametrize("name", ["out", "out.npz"])
def test_images_that_were_interrupted_go_on(tmp_path, name):
    images = np.random.default_rng(0).integers(256, size=(50, 4, 3), dtype=np.uint8)
    write_table(tmp_path / "in.npz", pa.table({"image": image_column(images), "y": np.arange(50)}), array="scans")
    options = {"rows_per_batch": 2, "array": "scans", "columns": ["y"], "resume": True, "identity": "a"}
    with pytest.raises(KeyboardInterrupt):
        transform_file(Invert(stop_after=20), tmp_path / "in.npz", tmp_path / name, **options)
    assert not (tmp_path / name).exists()
    done = transform_file(Invert(), tmp_path / "in.npz", tmp_path / name, **options)
    assert done.resumed_rows == 32
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npz", name]
    where = {"array": "scans"} if name == "out.npz" else {"labels": tmp_path / "out" / "labels.csv"}
    released = read_table(tmp_path / name, **where)
    assert np.array_equal(image_array(released.column("image")), 255 - images)
    assert released.column("y").to_pylist() == list(range(50))
