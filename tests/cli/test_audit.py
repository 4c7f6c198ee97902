"""Tests of `withhold audit` on files that some other tool made."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.cli.main import main
from withhold.io.image_writer import write_image_folder
from withhold.io.tables import read_table, write_table

pytestmark = pytest.mark.usefixtures("brief_audit")

FAST = ("--effort", "quick", "--attackers", "logistic")


@pytest.fixture
def files(tmp_path: Path, table: pa.Table) -> dict[str, Path]:
    """A release without sex, the labels in another order with a key, and labels in the same order without one."""
    keyed = table.append_column("id", pa.array(np.random.default_rng(1).permutation(table.num_rows)))
    shuffled = keyed.take(pa.array(np.random.default_rng(2).permutation(table.num_rows)))
    parts = {
        "release": keyed.select(["age", "height", "job", "income", "id"]),
        "with_s": keyed,
        "labels": shuffled.select(["id", "sex"]),
        "shuffled": shuffled.select(["sex"]),
        "same": keyed.select(["sex"]),
        "original": keyed,
        "short": keyed.select(["sex"]).slice(0, 100),
        "noise": keyed.select(["job", "id"]),
    }
    paths = {}
    for name, part in parts.items():
        paths[name] = tmp_path / f"{name}.parquet"
        write_table(paths[name], part)
    return paths


def codes(document: dict) -> set[str]:
    return {finding["code"] for finding in document["findings"]}


def test_s_in_the_file_itself_is_set_aside_and_said(withhold, files: dict[str, Path]) -> None:
    options = ("audit", files["with_s"], "--sensitive", "sex", *FAST)
    code, document = withhold(*options)
    assert code == 0
    assert document["verdict"] is None
    assert "contains_s" in codes(document)
    assert document["statement"].startswith("Without 'sex', which the file still contains")
    assert document["sensitive"]["sex"]["balanced_accuracy"] > 0.9
    code, document = withhold(*options, "--drop", "height", "--budget", "0.6")
    assert (code, document["verdict"]) == (4, "inconclusive")
    code, document = withhold(*options, "--budget", "0.05")
    assert (code, document["verdict"]) == (1, "fail")


def test_content_that_nobody_read_ends_with_4(withhold, files: dict[str, Path], tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"job": rng.integers(0, 4, 600), "sex": rng.choice(["f", "m"], 600)})
    notes = [" ".join(rng.choice(["pain", "fever", "mild", "knee"], rng.integers(4, 15))) for _ in range(600)]
    for name, columns, expected in (("plain", {}, 0), ("noted", {"note": notes}, 4)):
        released = table.select(["job"])
        for column, values in columns.items():
            released = released.append_column(column, pa.array(values))
        write_table(tmp_path / f"{name}.parquet", released)
        write_table(tmp_path / "all.parquet", released.append_column("sex", table["sex"]))
        panel = ("--attackers", "logistic,pairs")
        options = ("--sensitive", "sex", "--original", tmp_path / "all.parquet", "--budget", "0.5", "--effort", "quick")
        code, document = withhold("audit", tmp_path / f"{name}.parquet", *options, *panel)
        assert code == expected
        assert ("partly_read" in codes(document)) == (expected == 4)
        assert ("'note'" in document["statement"]) == (expected == 4)


def test_s_by_key_in_another_order(withhold, files: dict[str, Path]) -> None:
    options = ("audit", files["release"], "--sensitive", "sex", "--budget", "0.05", *FAST)
    code, document = withhold(*options, "--sensitive-from", files["labels"], "--key", "id")
    assert code == 1
    assert document["sensitive"]["sex"]["balanced_accuracy"] > 0.9
    assert "alignment_unproven" not in codes(document)


def test_s_by_position_in_another_order_is_never_a_pass(withhold, files: dict[str, Path]) -> None:
    """The release leaks, but against shuffled labels nothing is found: that must not look like safety."""
    options = ("audit", files["release"], "--sensitive", "sex", "--budget", "0.3", *FAST)
    code, document = withhold(*options, "--sensitive-from", files["shuffled"])
    assert code == 4
    assert document["verdict"] == "inconclusive"
    assert "alignment_unproven" in codes(document)


def test_s_by_position_fails_where_it_is_found(withhold, files: dict[str, Path]) -> None:
    options = ("audit", files["release"], "--sensitive", "sex", "--budget", "0.05", *FAST)
    code, document = withhold(*options, "--original", files["original"])
    assert code == 1
    assert document["verdict"] == "fail"


def test_a_release_that_contains_s_fails(withhold, files: dict[str, Path]) -> None:
    options = ("audit", files["with_s"], "--sensitive", "sex", "--budget", "0.05", *FAST)
    code, document = withhold(*options, "--sensitive-from", files["labels"], "--key", "id")
    assert code == 1
    assert document["verdict"] == "fail"
    assert "contains_s" in codes(document)


def test_utility_in_the_release_or_elsewhere(withhold, files: dict[str, Path]) -> None:
    options = ("audit", files["release"], "--sensitive", "sex", "--utility", "income", *FAST)
    keyed = ("--sensitive-from", files["labels"], "--key", "id")
    _, document = withhold(*options, *keyed)
    assert document["utility_in_release"] is True
    _, document = withhold(*options, *keyed, "--drop-utility")
    assert document["utility_in_release"] is False
    options = ("audit", files["noise"], "--sensitive", "sex", "--utility", "income", *FAST)
    _, document = withhold(*options, "--original", files["original"], "--key", "id")
    assert document["utility_in_release"] is False


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (["--sensitive-from", "short"], 3, "--key"),
        (["--sensitive-from", "labels", "--key", "idd"], 3, "Did you mean 'id'"),
        (["--key", "id"], 2, "--sensitive-from"),
        (["--sensitive-from", "release"], 3, "sex"),
        ([], 3, "Or name the file that it was made from: --original FILE"),
        (["--original", "absent"], 3, "File not found"),
        (["--sensitive-from", "labels", "--key", "id", "--splits", "labels"], 3, "part"),
        (["--sensitive-from", "labels", "--key", "id", "--sanitizer", "labels"], 3, "withhold"),
        (["--sensitive-from", "labels", "--key", "id", "--attackers", "nobody"], 2, "nobody"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_audited(
    withhold, files: dict[str, Path], tmp_path: Path, more: list[str], code: int, words: str
) -> None:
    found = [files.get(word, tmp_path / word) if before[:2] == "--" and before != "--key" and before != "--attackers"
             else word for before, word in zip(["", *more], more, strict=False)]  # fmt: skip
    got, document = withhold("audit", files["release"], "--sensitive", "sex", *FAST, *found)
    assert got == code, document
    assert words in document["error"]["message"]


def test_the_release_of_a_run_with_its_splits(withhold, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--sensitive", "sex", "--utility", "income", *FAST)
    _, made = withhold("run", data, "--method", "leace", "--out", out, *options)
    files = ("--original", data, "--splits", out / "private/splits.parquet")
    code, document = withhold(
        "audit", out / "candidate/release.parquet", *options, *files, "--sanitizer", out / "private/sanitizer.withhold"
    )
    assert code == 0
    assert document["splits"]["source"] == "file"
    assert document["splits"]["fit"] == made["audit"]["splits"]["fit"]
    same, run_s = document["sensitive"]["sex"], made["audit"]["sensitive"]["sex"]
    assert same["leakage"]["value"] == pytest.approx(run_s["leakage"]["value"], abs=1e-9)
    assert list(same["surfaces"]) == ["sanitiser applied to the release"]
    assert same["leakage_total"]["high"] >= run_s["leakage_total"]["high"] - 1e-9
    assert any("LEACE" in line for line in document["threat_model"])
    assert {"data", "latent"} <= set(document["linkage"])
    assert "sanitizer_not_used" not in codes(document)


def test_dropped_columns_are_said(withhold, files: dict[str, Path]) -> None:
    _, document = withhold("audit", files["with_s"], "--sensitive", "sex", "--drop", "height", *FAST)
    assert "columns_set_aside" in codes(document)
    assert document["sensitive"]["sex"]["balanced_accuracy"] < 0.9


def test_out_holds_the_same_document(withhold, files: dict[str, Path], tmp_path: Path) -> None:
    _, document = withhold("audit", files["with_s"], "--sensitive", "sex", *FAST, "--out", tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == document
    again = ("audit", files["noise"], "--sensitive", "job", *FAST, "--out", tmp_path / "a.json")
    code, refused = withhold(*again)
    assert code == 2
    assert "--overwrite" in refused["error"]["message"]
    assert json.loads((tmp_path / "a.json").read_text()) == document
    code, other = withhold(*again, "--overwrite")
    assert json.loads((tmp_path / "a.json").read_text()) == other != document


@pytest.mark.parametrize("name", ["noise", "release", "labels", "original", "splits"])
def test_out_is_no_file_that_is_read(withhold, files: dict[str, Path], name: str) -> None:
    files["splits"] = files["short"]
    held = files[name].read_bytes()
    code, document = withhold(
        *("audit", files["noise"], "--sensitive", "sex", "--sensitive-from", files["labels"], "--key", "id", *FAST),
        *("--original", files["original"], "--also", files["same"], "--also", files["release"]),
        *("--splits", files["splits"], "--out", files[name], "--overwrite"),
    )
    assert code == 2
    assert "Name another file." in document["error"]["message"]
    assert files[name].read_bytes() == held


def test_another_version_of_the_records_by_key(withhold, files: dict[str, Path]) -> None:
    options = ("audit", files["noise"], "--sensitive", "sex", "--sensitive-from", files["labels"], "--key", "id", *FAST)
    _, alone = withhold(*options)
    _, document = withhold(*options, "--also", files["release"])
    found = document["sensitive"]["sex"]
    assert found["surfaces"]["also: release.parquet"]["low"] > 0.2
    assert found["leakage"] == alone["sensitive"]["sex"]["leakage"]
    assert found["balanced_accuracy"] > 0.9
    assert any("release.parquet of the same records" in line for line in document["threat_model"])
    _, again = withhold(*options, "--also", files["noise"])
    assert again["sensitive"]["sex"]["surfaces"]["also: noise.parquet (2)"] == found["leakage"]


def test_another_version_by_position_must_prove_it(withhold, files: dict[str, Path], tmp_path: Path) -> None:
    ages, other = tmp_path / "ages.parquet", tmp_path / "other.parquet"
    write_table(ages, read_table(files["release"]).select(["age", "height"]))
    write_table(other, read_table(ages).take(pa.array(np.random.default_rng(5).permutation(240))))
    labels = ("--sensitive-from", files["labels"], "--key", "id", "--budget", "0.6")
    options = ("audit", files["release"], "--sensitive", "sex", *labels, *FAST)
    _, document = withhold(*options, "--also", ages)
    assert "alignment_unproven" not in codes(document)
    code, document = withhold(*options, "--also", ages, "--also", other)
    assert (code, document["verdict"]) == (4, "inconclusive")
    unproven = [finding["text"] for finding in document["findings"] if finding["code"] == "alignment_unproven"]
    assert ["'other.parquet'" in text for text in unproven] == [True]
    assert "also: 2 other versions" in document["sensitive"]["sex"]["surfaces"]


def test_a_continuous_attribute(withhold, files: dict[str, Path]) -> None:
    code, document = withhold(
        "audit", files["with_s"], "--sensitive", "age", "--continuous", "age", "--effort", "quick"
    )
    assert code == 0
    assert document["sensitive"]["age"]["kind"] == "continuous"


def test_plain_output(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    main(["audit", str(files["with_s"]), "--sensitive", "sex", *FAST])
    shown = capsys.readouterr().out
    assert "contains_s" in shown
    assert "sex leakage" in shown


def test_images_of_an_npz_file_and_of_a_folder(withhold, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sex = np.where(rng.random(240) < 0.5, "f", "m")
    images = rng.integers(0, 200, (240, 6, 6)).astype(np.uint8)
    images[:, 2, 3] += np.where(sex == "f", 50, 0).astype(np.uint8)
    np.savez(tmp_path / "scans.npz", pixels=images, sex=sex, other=np.zeros((3, 2)))
    options = ("--sensitive", "sex", "--effort", "quick", "--attackers", "logistic,cnn")
    code, one = withhold("audit", tmp_path / "scans.npz", "--array", "pixels", *options)
    assert code == 0
    assert "arrays_not_judged" in codes(one)
    assert set(one["sensitive"]["sex"]["attackers"]) == {"logistic", "cnn", "mixture", "order"}
    assert one["sensitive"]["sex"]["attackers"]["cnn"]["inputs"] == "images"
    table = read_table(tmp_path / "scans.npz", array="pixels")
    write_image_folder(tmp_path / "scans", table)
    labels = tmp_path / "scans" / "labels.csv"
    code, two = withhold("audit", tmp_path / "scans", "--labels", labels, "--drop", "file", *options)
    assert code == 0
    assert two["sensitive"]["sex"]["leakage"]["value"] == one["sensitive"]["sex"]["leakage"]["value"]
    assert not {"files_not_judged", "arrays_not_judged"} & set(codes(two))
    (tmp_path / "scans" / "000000.png").rename(tmp_path / "scans" / "left.png")
    lines = labels.read_text().splitlines(keepends=True)
    (tmp_path / "fewer.csv").write_text("".join(line for line in lines if "000000.png" not in line))
    left = withhold("audit", tmp_path / "scans", "--labels", tmp_path / "fewer.csv", "--drop", "file", *options)[1]
    assert "files_not_judged" in codes(left)
    code, error = withhold("audit", tmp_path / "scans", *options)  # by its own labels.csv, which names the lost image
    assert code == 3
    assert "000000.png" in error["error"]["message"]
    outside = tmp_path / "labels.csv"
    labels.rename(outside)
    code, error = withhold("audit", tmp_path / "scans", *options)
    assert code == 3
    assert "--labels" in error["error"]["message"]
    np.savez(tmp_path / "bare.npz", pixels=images)
    code, three = withhold("audit", tmp_path / "bare.npz", "--array", "pixels", "--sensitive-from", outside, *options)
    assert three["n"] == 240
    assert "alignment_unproven" in codes(three)


def test_a_folder_of_a_run_is_no_file(withhold, tmp_path: Path) -> None:
    (tmp_path / "out" / "share").mkdir(parents=True)
    (tmp_path / "out" / "share" / "manifest.json").write_text("{}")
    (tmp_path / "out" / "share" / "release.csv").write_text("a\n1\n")
    code, document = withhold("audit", tmp_path / "out", "--sensitive", "sex", *FAST)
    assert code == 3
    assert "share/release.csv" in document["error"]["message"].replace("\\", "/")
