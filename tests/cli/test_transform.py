"""Tests of `withhold fit` and `withhold transform` on files."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from withhold.contracts.images import image_array, image_column
from withhold.io.tables import digest, read_table, write_table


@pytest.fixture
def sanitizer(withhold, data: Path, tmp_path: Path) -> Path:
    path = tmp_path / "sex.withhold"
    code, document = withhold(
        "fit", data, "--sensitive", "sex", "--method", "noise", "--drop", "income", "--save", path
    )
    assert code == 0, document
    return path


def test_the_key_goes_beside_the_sanitiser_and_gives_the_same_draw(
    withhold, sanitizer: Path, data: Path, tmp_path: Path
) -> None:
    key = sanitizer.with_suffix(".key")
    assert key.stat().st_mode & 0o777 == 0o600
    outs = [tmp_path / f"{name}.parquet" for name in "abc"]
    for out in outs[:2]:
        code, document = withhold("transform", sanitizer, data, "--out", out)
        assert code == 0
        assert document["rows"] == 240
        assert "key" in document["noise"]
    assert read_table(outs[0]).equals(read_table(outs[1]))
    key.rename(tmp_path / "elsewhere")
    code, document = withhold("transform", sanitizer, data, "--out", outs[2])
    assert "drawn with a new key" in document["noise"]
    assert not read_table(outs[0]).equals(read_table(outs[2]))
    given = ("--noise-key", tmp_path / "elsewhere", "--overwrite")
    assert withhold("transform", sanitizer, data, "--out", outs[2], *given)[0] == 0
    assert read_table(outs[0]).equals(read_table(outs[2]))


def test_new_records_need_no_sensitive_column(withhold, sanitizer: Path, table: pa.Table, tmp_path: Path) -> None:
    write_table(tmp_path / "new.csv", table.select(["job", "age", "height"]).slice(0, 50))
    code, _ = withhold("transform", sanitizer, tmp_path / "new.csv", "--out", tmp_path / "z.csv")
    assert code == 0
    assert read_table(tmp_path / "z.csv").column_names == ["job", "age", "height"]
    assert read_table(tmp_path / "z.csv").num_rows == 50


def test_missing_columns_and_existing_files(withhold, sanitizer: Path, table: pa.Table, data: Path, tmp_path) -> None:
    write_table(tmp_path / "new.csv", table.select(["age", "height"]))
    code, document = withhold("transform", sanitizer, tmp_path / "new.csv", "--out", tmp_path / "z.csv")
    assert code == 3
    assert "job" in document["error"]["message"]
    assert not (tmp_path / "z.csv").exists()
    (tmp_path / "z.csv").write_text("mine")
    assert withhold("transform", sanitizer, data, "--out", tmp_path / "z.csv")[0] == 2
    assert (tmp_path / "z.csv").read_text() == "mine"
    code, document = withhold("fit", data, "--sensitive", "sex", "--method", "noise", "--save", sanitizer)
    assert code == 2


def test_damaged_and_foreign_sanitisers(withhold, sanitizer: Path, data: Path, tmp_path: Path) -> None:
    whole = sanitizer.read_bytes()
    foreign = {"cut": whole[:-7], "empty": b"", "text": b"hello", "table": data.read_bytes(), "flipped": None}
    flipped = bytearray(whole)
    flipped[-3] ^= 1
    foreign["flipped"] = bytes(flipped)
    for name, content in foreign.items():
        path = tmp_path / f"{name}.withhold"
        path.write_bytes(content)
        code, document = withhold("transform", path, data, "--out", tmp_path / "z.parquet")
        assert code == 3, name
        assert document["error"]["type"] in ("ArtifactError", "FileError")
    assert withhold("transform", tmp_path / "absent", data, "--out", tmp_path / "z.parquet")[0] == 3
    assert not (tmp_path / "z.parquet").exists()


def test_a_copied_column(withhold, sanitizer: Path, data: Path, table: pa.Table, tmp_path: Path) -> None:
    code, document = withhold("transform", sanitizer, data, "--out", tmp_path / "z.csv", "--copy", "income")
    assert code == 0
    assert document["columns"] == ["age", "height", "job", "income"]
    assert read_table(tmp_path / "z.csv").column("income").to_pylist() == table.column("income").to_pylist()


def test_resume_gives_the_same_release(withhold, sanitizer: Path, data: Path, tmp_path: Path) -> None:
    assert withhold("transform", sanitizer, data, "--out", tmp_path / "a.csv")[0] == 0
    assert withhold("transform", sanitizer, data, "--out", tmp_path / "b.csv", "--resume")[0] == 0
    assert digest(tmp_path / "a.csv") == digest(tmp_path / "b.csv")


def test_resume_without_the_key_is_refused_where_it_would_draw_anew(
    withhold, sanitizer: Path, data: Path, tmp_path: Path
) -> None:
    sanitizer.with_suffix(".key").rename(tmp_path / "elsewhere")
    resumed = ("transform", sanitizer, data, "--out", tmp_path / "b.csv", "--resume")
    code, document = withhold(*resumed)
    assert code == 2
    assert "--noise-key" in document["error"]["message"]
    assert not (tmp_path / "b.csv").exists()
    assert withhold(*resumed, "--noise-key", tmp_path / "elsewhere")[0] == 0
    # Without noise there is nothing to draw, and no key to ask for.
    quiet = tmp_path / "leace.withhold"
    assert withhold("fit", data, "--sensitive", "sex", "--method", "leace", "--save", quiet)[0] == 0
    quiet.with_suffix(".key").unlink()
    assert withhold("transform", quiet, data, "--out", tmp_path / "c.csv", "--resume")[0] == 0


def test_an_embedding(withhold, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((100, 3)).astype(np.float32)
    np.savez(tmp_path / "e.npz", z=x, s=np.arange(100) % 2)
    path = tmp_path / "e.withhold"
    fit = ("fit", tmp_path / "e.npz", "--array", "z", "--sensitive", "s", "--method", "leace", "--save", path)
    assert withhold(*fit)[0] == 0
    code, _ = withhold("transform", path, tmp_path / "e.npz", "--array", "z", "--out", tmp_path / "o.npz")
    assert code == 0
    with np.load(tmp_path / "o.npz") as arrays:
        assert [array.shape for array in arrays.values()] == [(100, 3)]
    write_table(tmp_path / "e.parquet", pa.table({f"x{j}": x[:, j] for j in range(3)}))
    assert withhold("transform", path, tmp_path / "e.parquet", "--out", tmp_path / "o.parquet")[0] == 0
    assert read_table(tmp_path / "o.parquet").num_rows == 100


def test_an_empty_folder_and_a_folder_of_parts(withhold, sanitizer: Path, table: pa.Table, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    assert withhold("transform", sanitizer, parts, "--out", tmp_path / "z.parquet")[0] == 3
    for i in range(3):
        write_table(parts / f"part-{i}.parquet", table.slice(80 * i, 80))
    write_table(tmp_path / "whole.parquet", table)
    for name in ("parts", "whole.parquet"):
        assert withhold("transform", sanitizer, tmp_path / name, "--out", tmp_path / f"{name}.out.parquet")[0] == 0
    one, two = (digest(tmp_path / f"{name}.out.parquet") for name in ("parts", "whole.parquet"))
    assert one == two
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".withhold-tmp")]


def test_records_unlike_those_of_the_fit_are_named_once(
    withhold, sanitizer: Path, data: Path, table: pa.Table, tmp_path: Path
) -> None:
    code, document = withhold("transform", sanitizer, data, "--out", tmp_path / "same.parquet")
    assert (code, document["drift"], document["drift_rows"]) == (0, [], 240)
    jobs = pa.array(["astronaut"] * 60 + table.column("job").to_pylist()[60:])
    strange = table.set_column(table.schema.get_field_index("job"), "job", jobs)
    write_table(tmp_path / "new.parquet", strange)
    code, document = withhold("transform", sanitizer, tmp_path / "new.parquet", "--out", tmp_path / "z.parquet")
    assert code == 0
    kinds = {(found["column"], found["kind"]): found for found in document["drift"]}
    assert kinds["job", "levels"]["share"] == 0.25
    assert "'astronaut'" in kinds["job", "levels"]["text"]
    assert all(column == "job" for column, _ in kinds)


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """A folder of images whose names tell the attribute, with its labels beside it."""
    rng = np.random.default_rng(0)
    s = np.arange(60) % 2
    pixels = (rng.integers(0, 150, (60, 6, 5)) + 60 * s[:, None, None]).astype(np.uint8)
    folder = tmp_path / "scans"
    folder.mkdir()
    files = [f"{'ab'[c]}{i:03d}.png" for i, c in enumerate(s)]
    for file, image in zip(files, pixels, strict=True):
        Image.fromarray(image).save(folder / file)
    order = rng.permutation(60)
    write_table(tmp_path / "labels.csv", pa.table({"file": files, "s": s}).take(pa.array(order)))
    return folder


@pytest.fixture
def blurring(withhold, scans: Path, tmp_path: Path) -> Path:
    path = tmp_path / "s.withhold"
    options = ("--labels", tmp_path / "labels.csv", "--sensitive", "s", "--method", "noise", "--save", path)
    code, document = withhold("fit", scans, *options)
    assert code == 0, document
    return path


def test_a_folder_of_images_needs_no_labels_and_gives_numbered_ones(
    withhold, blurring: Path, scans: Path, tmp_path: Path
) -> None:
    code, document = withhold("transform", blurring, scans, "--out", tmp_path / "out")
    assert code == 0, document
    assert document["rows"] == 60
    out = tmp_path / "out"
    assert [p.name for p in sorted(out.iterdir())][:2] == ["000000.png", "000001.png"]
    assert document["digest"] == digest(out)
    labelled = ("--labels", tmp_path / "labels.csv", "--copy", "s")
    code, document = withhold("transform", blurring, scans, "--out", tmp_path / "z.npz", *labelled)
    assert code == 0, document
    table = read_table(tmp_path / "z.npz")
    assert table.column_names == ["image", "s"]
    # The same draws, in the order of the labels instead of that of the names.
    by_name = image_array(read_table(out, labels=out / "labels.csv").column("image"))
    names = sorted(p.name for p in scans.iterdir())
    place = [names.index(file) for file in read_table(tmp_path / "labels.csv").column("file").to_pylist()]
    assert np.array_equal(image_array(table.column("image")), by_name[place])
    assert withhold("transform", blurring, scans, "--out", out)[0] == 2  # it is there already
    code, document = withhold("transform", blurring, scans, "--out", tmp_path / "named", "--copy", "file")
    assert code == 2
    assert "a name may tell" in document["error"]["message"]
    assert withhold("transform", blurring, scans, "--out", out, "--overwrite")[0] == 0


def test_images_of_another_size_damaged_ones_and_no_images(
    withhold, blurring: Path, scans: Path, data: Path, tmp_path: Path
) -> None:
    small = np.zeros((9, 4, 4), np.uint8)
    write_table(tmp_path / "small.npz", pa.table({"image": image_column(small)}))
    for source, word in ((tmp_path / "small.npz", "of shape (6, 5)"), (data, "no column 'image'")):
        code, document = withhold("transform", blurring, source, "--out", tmp_path / "z.npz")
        assert code == 3
        assert word in document["error"]["message"]
    victim = scans / "a010.png"
    victim.write_bytes(victim.read_bytes()[:60])
    code, document = withhold("transform", blurring, scans, "--out", tmp_path / "out")
    assert code == 3
    assert "a010.png" in document["error"]["message"]
    assert not (tmp_path / "out").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_columns_beside_images_have_no_place(withhold, scans: Path, tmp_path: Path) -> None:
    labels = read_table(tmp_path / "labels.csv").append_column("age", pa.array(np.arange(60)))
    write_table(tmp_path / "more.csv", labels)
    options = ("--labels", tmp_path / "more.csv", "--sensitive", "s", "--save", tmp_path / "t.withhold")
    code, document = withhold("fit", scans, *options, "--method", "noise")
    assert code == 3
    assert "--drop age" in document["error"]["message"]
    assert withhold("fit", scans, *options, "--method", "noise", "--drop", "age")[0] == 0
    code, document = withhold("fit", scans, *options, "--method", "leace", "--overwrite", "--drop", "age")
    assert code == 2
    assert "column 'image' holds records of shape (6, 5)" in document["error"]["message"]


def test_releases_of_cadp_are_counted_by_key_and_none_exceeds_its_total(withhold, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    made = pa.table(
        {"a": rng.normal(size=80), "ill": rng.choice(["y", "n"], 80), "person": [f"p{i}" for i in range(80)]}
    )
    public, private = tmp_path / "public.csv", tmp_path / "private.csv"
    write_table(public, made[:40])
    write_table(private, made[40:])
    saved, settings = tmp_path / "s.withhold", ("--set", "rounds=2", "--set", "hidden=4", "--set", "total=3")
    fit = ("--method", "cadp", "--utility", "ill", "--epsilon", "2", "--drop", "person", *settings, "--save", saved)
    code, document = withhold("fit", public, *fit)
    assert code == 0, document
    assert Path(document["key"]).name == "ledger.key"
    assert not saved.with_suffix(".key").exists()  # no noise is keyed
    again = ("transform", saved, private, "--copy", "ill", "--key", "person", "--out")
    assert withhold(*again, tmp_path / "1.csv")[0] == 0
    code, document = withhold(*again, tmp_path / "2.csv")
    assert code == 3
    assert "40 of 40 records would reach epsilon 4" in document["error"]["message"]
    assert not (tmp_path / "2.csv").exists()
    assert b"p50" not in (tmp_path / "ledger.sqlite").read_bytes()


def test_a_key_means_nothing_to_a_method_that_counts_nothing(
    withhold, sanitizer: Path, data: Path, tmp_path: Path
) -> None:
    code, document = withhold("transform", sanitizer, data, "--key", "age", "--out", tmp_path / "out.parquet")
    assert code == 2
    assert "--key only applies to differentially private methods" in document["error"]["message"]
