"""Tests of `withhold run` end to end, and of the tables that people really bring."""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.cli.main import main
from withhold.io.tables import digest, read_table, write_table
from withhold.workflow.manifest import keyed

pytestmark = pytest.mark.usefixtures("brief_audit")

# So few rows decide no budget: what happens then is in tests/workflow/test_early.py.
# Rows as they came, so that they can be compared.
FAST = ("--method", "leace", "--effort", "quick", "--attackers", "logistic", "--anyway", "--keep-order")


def run_options(data: Path, out: Path, *more: object) -> list[str]:
    return [str(word) for word in ("run", data, "--sensitive", "sex", "--out", out, *FAST, *more)]


def test_the_whole_road(withhold, data: Path, table: pa.Table, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, record = withhold(*run_options(data, out, "--utility", "income", "--budget", "0.05"))
    assert code == {"pass": 0, "fail": 1, "inconclusive": 4}[record["audit"]["verdict"]]
    assert sorted(name for name in os.listdir(out) if name[0] != ".") == ["candidate", "private"]
    assert sorted(os.listdir(out / "candidate")) == ["audit.json", "manifest.json", "release.parquet", "report.html"]
    kept = ["audit.json", "exposure.parquet", "key", "manifest.json", "sanitizer.withhold", "splits.parquet"]
    assert sorted(os.listdir(out / "private")) == kept
    assert stat.S_IMODE((out / "private").stat().st_mode) == 0o700
    assert {stat.S_IMODE((out / "private" / name).stat().st_mode) for name in kept} == {0o600}
    release = read_table(out / "candidate" / "release.parquet")
    assert release.column_names == ["age", "height", "job", "income"]
    assert [str(t) for t in release.schema.types] == [
        str(table.schema.field(name).type) for name in release.column_names
    ]
    assert release.column("income").equals(table.column("income"))
    assert json.loads((out / "private" / "audit.json").read_text()) == record["audit"]
    shared = json.loads((out / "candidate" / "audit.json").read_text())
    assert {**shared["sensitive"]["sex"], "groups": {}} == {**record["audit"]["sensitive"]["sex"], "groups": {}}
    assert len(shared["sensitive"]["sex"]["groups"]) == 2
    for role, path in record["files"].items():
        assert (out / path).exists()
        if role in record["digests"]:
            assert digest(out / path) == record["digests"][role]
    private = json.loads((out / "private" / "manifest.json").read_text())
    assert private["data"]["digest"] == digest(data)
    assert record["data"]["digest"] == keyed(digest(data), private["data"]["digest_key"])[0]
    assert {f"private/{name}" for name in kept} == {*private["files"].values(), "private/manifest.json"}
    assert record["audit"]["splits"]["source"] == "run"
    key = (out / "private" / "key").read_bytes()
    for path in (*(out / "candidate").iterdir(), out / "private" / "sanitizer.withhold"):
        assert key[:16] not in path.read_bytes()


def test_raw_data_leak_and_the_control_says_so(withhold, data: Path, tmp_path: Path) -> None:
    code, record = withhold(
        "run", data, "--sensitive", "sex", "--out", tmp_path / "out", "--method", "identity", "--effort", "quick",
        "--budget", "0.05", "--anyway",
    )  # fmt: skip
    assert code == 1
    assert record["audit"]["verdict"] == "fail"
    assert record["audit"]["sensitive"]["sex"]["balanced_accuracy"] > 0.9


def test_csv_in_csv_out_without_the_utility(withhold, table: pa.Table, tmp_path: Path) -> None:
    write_table(tmp_path / "people.csv", table)
    options = run_options(tmp_path / "people.csv", tmp_path / "out", "--utility", "income", "--drop-utility")
    code, record = withhold(*options)
    assert code == 0
    assert record["audit"]["verdict"] is None
    assert record["audit"]["utility_in_release"] is False
    assert read_table(tmp_path / "out" / "candidate" / "release.csv").column_names == ["age", "height", "job"]


def test_groups_are_left_out_unless_kept(withhold, table: pa.Table, tmp_path: Path) -> None:
    people = table.append_column("person", pa.array(np.repeat(np.arange(80), 3)))
    write_table(tmp_path / "people.parquet", people)
    for more, present in (([], False), (["--keep", "person"], True)):
        options = run_options(tmp_path / "people.parquet", tmp_path / f"out{present}", "--groups", "person", *more)
        code, record = withhold(*options)
        assert code == 0
        assert ("person" in read_table(tmp_path / f"out{present}/candidate/release.parquet").column_names) is present
        splits = read_table(tmp_path / f"out{present}/private/splits.parquet")
        parts = np.array(splits.column("part").to_pylist()).reshape(80, 3)
        assert (parts == parts[:, :1]).all()
        assert record["audit"]["splits"]["groups"] == 80


def test_split_column_and_test_file_divide_the_same_rows(withhold, table: pa.Table, tmp_path: Path) -> None:
    words = np.where(np.arange(table.num_rows) < 160, "train", "test")
    write_table(tmp_path / "all.parquet", table.append_column("part", pa.array(words)))
    write_table(tmp_path / "train.parquet", table.slice(0, 160))
    write_table(tmp_path / "test.parquet", table.slice(160))
    _, column = withhold(*run_options(tmp_path / "all.parquet", tmp_path / "a", "--split", "part"))
    _, file = withhold(*run_options(tmp_path / "train.parquet", tmp_path / "b", "--test", tmp_path / "test.parquet"))
    assert column["audit"]["splits"]["source"] == "column"
    assert file["audit"]["splits"]["source"] == "test_file"
    first, second = (read_table(tmp_path / x / "candidate" / "release.parquet") for x in "ab")
    assert first.equals(second)
    assert first.num_rows == 240
    assert "part" not in first.column_names


def test_an_embedding_comes_back_as_an_array(withhold, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 200)
    x = rng.standard_normal((200, 4)).astype(np.float32)
    x[:, 0] += 2 * sex
    np.savez(tmp_path / "e.npz", z=x, sex=sex)
    code, _ = withhold(*run_options(tmp_path / "e.npz", tmp_path / "out", "--array", "z"))
    assert code == 0
    with np.load(tmp_path / "out" / "candidate" / "release.npz") as arrays:
        assert list(arrays) == ["z"]
        assert arrays["z"].shape == (200, 4)
        assert arrays["z"].dtype == np.float32


def test_earlier_results_are_not_replaced_unasked(withhold, data: Path, tmp_path: Path) -> None:
    options = run_options(data, tmp_path / "out")
    assert withhold(*options)[0] == 0
    before = digest(tmp_path / "out" / "candidate" / "release.parquet")
    key = (tmp_path / "out" / "private" / "key").read_bytes()
    code, document = withhold(*options)
    assert code == 2
    assert "--overwrite" in document["error"]["message"]
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")  # not even read
    assert "--overwrite" in withhold(*run_options(tmp_path / "broken.parquet", tmp_path / "out"))[1]["error"]["message"]
    assert withhold(*options, "--overwrite", "--seed", "1")[0] == 0
    assert digest(tmp_path / "out" / "candidate" / "release.parquet") != before
    assert (tmp_path / "out" / "private" / "key").read_bytes() == key


def test_resume_of_a_finished_run_does_nothing_and_of_another_refuses(withhold, data: Path, tmp_path: Path) -> None:
    options = run_options(data, tmp_path / "out")
    _, first = withhold(*options)
    _, again = withhold(*options, "--resume")
    assert again == first
    code, document = withhold(*options, "--resume", "--seed", "5")
    assert code == 2
    assert "seed: 0 then, 5 now" in document["error"]["message"]


def test_interrupted_after_the_fit_resumes_with_the_same_release(
    withhold, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import withhold.workflow.run as job

    def interrupt(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    options = run_options(data, tmp_path / "out")
    with monkeypatch.context() as patch:
        patch.setattr(job, "audit_run", interrupt)
        assert main(options) == 130
    assert "--resume" in capsys.readouterr().err
    assert (
        {".unfinished", ".withhold"}
        <= set(os.listdir(tmp_path / "out"))
        <= {".unfinished", ".withhold", ".withhold.lock"}
    )
    assert withhold(*options)[0] == 2
    with monkeypatch.context() as patch:
        patch.setattr(job, "fit_and_release", interrupt)  # nothing is fitted again
        assert withhold(*options, "--resume")[0] == 0
    assert withhold(*run_options(data, tmp_path / "other", "--noise-key", tmp_path / "out/private/key"))[0] == 0
    one, two = (digest(tmp_path / name / "candidate" / "release.parquet") for name in ("out", "other"))
    assert one == two


def damaged(table: pa.Table, name: str, values: object) -> pa.Table:
    position = table.column_names.index(name)
    return table.set_column(position, name, pa.array(values))


def test_unknown_column(withhold, data: Path, tmp_path: Path) -> None:
    code, document = withhold("run", data, "--sensitive", "sexe", "--out", tmp_path / "out", *FAST)
    assert code == 3
    assert "Did you mean 'sex'?" in document["error"]["message"]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (["female"] * 240, "constant|two"),
        ([None] * 240, "known|missing"),
        ([f"person {i}" for i in range(240)], "repeated|each"),
        (["female"] * 239 + ["male"], None),
    ],
    ids=["constant", "missing", "one row a class", "one row of a class"],
)
def test_a_sensitive_column_that_cannot_be_judged(
    withhold, table: pa.Table, tmp_path: Path, values: list, word: str | None
) -> None:
    write_table(tmp_path / "t.parquet", damaged(table, "sex", pa.array(values, pa.string())))
    code, document = withhold(*run_options(tmp_path / "t.parquet", tmp_path / "out", "--budget", "0.05"))
    if word is not None:
        assert code == 3
        assert any(part in document["error"]["message"] for part in word.split("|"))
        assert not (tmp_path / "out").exists()
    else:
        assert code in (3, 4)
        assert code == 3 or document["audit"]["verdict"] == "inconclusive"


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("missing", pa.array([None] * 240, pa.float64())),
        ("nothing", pa.nulls(240)),
        ("constant", pa.array([1.0] * 240)),
        ("many", pa.array([f"level {i}" for i in range(240)])),
        ("infinite", pa.array([np.inf, -np.inf, np.nan] * 80)),
        ("huge", pa.array(np.logspace(-150, 150, 240))),
        ("flag", pa.array([True, False] * 120)),
        ("when", pa.array(np.arange(240).astype("datetime64[D]"))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_columns_of_every_sort_are_used_or_refused(
    withhold, table: pa.Table, tmp_path: Path, name: str, column: pa.Array
) -> None:
    write_table(tmp_path / "t.parquet", table.append_column(name, column))
    code, document = withhold(*run_options(tmp_path / "t.parquet", tmp_path / "out"))
    assert code in (0, 3)
    if code == 3:
        assert document["error"]["type"] in ("DataError", "FileError")
        assert name in document["error"]["message"]
    else:
        assert read_table(tmp_path / "out" / "candidate" / "release.parquet").num_rows == 240


def test_ten_rows_one_column_and_mixed_types(withhold, table: pa.Table, tmp_path: Path) -> None:
    write_table(tmp_path / "ten.parquet", table.slice(0, 10))
    code, document = withhold(*run_options(tmp_path / "ten.parquet", tmp_path / "ten", "--budget", "0.05"))
    assert code in (3, 4)
    assert code == 3 or document["audit"]["verdict"] == "inconclusive"
    write_table(tmp_path / "one.parquet", table.select(["sex"]))
    code, document = withhold(*run_options(tmp_path / "one.parquet", tmp_path / "one"))
    assert code == 3
    assert "nothing to release" in document["error"]["message"]
    write_table(tmp_path / "two.parquet", table.select(["height", "sex"]))
    code, document = withhold(*run_options(tmp_path / "two.parquet", tmp_path / "two", "--budget", "0.05"))
    assert code in (0, 1, 4)
    lines = ["thing,sex"] + [f"{'word' if i % 7 == 0 else i},{'fm'[i % 2]}" for i in range(200)]
    (tmp_path / "mixed.csv").write_text("\n".join(lines) + "\n")
    code, document = withhold(*run_options(tmp_path / "mixed.csv", tmp_path / "mixed"))
    assert code in (0, 3)


def test_duplicate_names_and_other_files(withhold, tmp_path: Path) -> None:
    (tmp_path / "twice.csv").write_text("a,a,sex\n" + "1,2,f\n3,4,m\n" * 50)
    code, document = withhold(*run_options(tmp_path / "twice.csv", tmp_path / "out"))
    assert code == 3
    assert "a" in document["error"]["message"]
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 this is no table")
    assert withhold(*run_options(tmp_path / "broken.parquet", tmp_path / "out"))[0] == 3
    (tmp_path / "table.xlsx").write_bytes(b"PK")
    assert withhold(*run_options(tmp_path / "table.xlsx", tmp_path / "out"))[0] in (2, 3)
    assert withhold(*run_options(tmp_path / "absent.csv", tmp_path / "out"))[0] == 3
    (tmp_path / "empty.csv").write_text("a,sex\n")
    assert withhold(*run_options(tmp_path / "empty.csv", tmp_path / "out"))[0] == 3
    assert not (tmp_path / "out").exists()


def test_ten_thousand_categories(withhold, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 12_000
    names = [f"c{i % 10_000}" for i in range(rows)]
    table = pa.table({"code": names, "x": rng.standard_normal(rows), "sex": rng.choice(["f", "m"], rows)})
    write_table(tmp_path / "t.parquet", table)
    code, document = withhold(*run_options(tmp_path / "t.parquet", tmp_path / "out"))
    assert code == 0
    assert "code" in json.dumps(document["method"]["findings"])


def test_wrong_settings_are_found_before_any_work(withhold, data: Path, tmp_path: Path) -> None:
    for more in (
        ["--set", "nothing=1"],
        ["--method", "leache"],
        ["--effort", "some"],
        ["--output", "page"],
        ["--budget", "0"],
        ["--budget", "0.1", "--budget-advantage", "0.1"],
        ["--budget-advantage", "0.7"],
        ["--attackers", "nobody"],
        ["--preset", "nothing"],
    ):
        code, document = withhold(*run_options(data, tmp_path / "out", *more))
        assert code == 2, document
        assert not (tmp_path / "out" / "candidate").exists()


def limited(size: int):
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def command(options: list[str], **more: object) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "withhold", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )


def test_a_full_disk_leaves_earlier_results(withhold, data: Path, tmp_path: Path) -> None:
    options = run_options(data, tmp_path / "out")
    assert withhold(*options)[0] == 0
    before = {path.name: digest(path) for path in (tmp_path / "out" / "candidate").iterdir()}
    process = command([*options, "--overwrite", "--seed", "3", "--json"], preexec_fn=limited(4096))
    printed, said = process.communicate()
    assert process.returncode == 3, said
    assert json.loads(printed)["error"]["code"] == 3
    assert "intact" in json.loads(printed)["error"]["message"]
    assert {path.name: digest(path) for path in (tmp_path / "out" / "candidate").iterdir()} == before


@pytest.mark.parametrize("note", [pytest.param("request.json", marks=pytest.mark.full), "fitted.json"])
def test_killed_at_any_moment_nothing_looks_whole_that_is_not(withhold, data: Path, tmp_path: Path, note: str) -> None:
    options = run_options(data, tmp_path / "out")
    assert withhold(*options)[0] == 0
    before = {path.name: digest(path) for path in (tmp_path / "out" / "candidate").iterdir()}
    process = command([*options, "--overwrite", "--seed", "3"])
    while not (tmp_path / "out" / ".unfinished" / note).exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    now = {path.name: digest(path) for path in (tmp_path / "out" / "candidate").iterdir()}
    assert now == before
    manifest = json.loads((tmp_path / "out" / "private" / "manifest.json").read_text())
    assert digest(tmp_path / "out" / "private" / "sanitizer.withhold") == manifest["digests"]["sanitizer"]
    assert withhold(*options, "--seed", "3", "--resume")[0] == 0


def test_plain_output_for_people(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(run_options(data, tmp_path / "out", "--utility", "income", "--budget", "0.05")) in (0, 1, 4)
    shown = capsys.readouterr().out
    assert shown.split()[0] in ("PASS", "FAIL", "INCONCLUSIVE")
    assert "\x1b" not in shown
    for word in ("sex leakage", "right guesses", "income kept", "report.html", "nat"):
        assert word in shown


def test_small_table_tells_sex(table: pa.Table) -> None:
    """Positive control of the fixture itself."""
    height, sex = table.column("height").to_numpy(), np.array(table.column("sex").to_pylist())
    assert height[sex == "male"].mean() > height[sex == "female"].mean() + 10
