"""Tests of the main job from Python."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image

from report import records
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.images import image_array, image_column
from withhold.contracts.threats import ImpliedLeakage
from withhold.io.tables import digest, read_table, write_table
from withhold.workflow.run import landing, run

pytestmark = pytest.mark.usefixtures("brief_audit")

# Rows as they came, so that they can be compared.
FAST = {"effort": "quick", "attackers": ["logistic"], "keep_order": True}


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
    assert read_table(tmp_path / "o" / "candidate" / "release.parquet").column_names == ["a", "b", "u"]
    assert any("identity" in line for line in said)


def test_the_record_says_what_was_shared_when_and_under_which_title(data: Path, tmp_path: Path) -> None:
    record = run(
        data, sensitive=["s"], out=tmp_path / "o", method="noise", utility=["u"], settings=("scale=0.4",),
        title="Trial 7", budget=0.001, anyway=True, **FAST,
    )  # fmt: skip
    assert record.audit.title == "Trial 7"
    assert record.audit.created == record.created
    assert record.audit.release == f"sha256:{digest(tmp_path / 'o' / record.files['release'])}"
    assert record.audit.sensitive["s"].cause in ("leakage", "plants_missed")
    assert "scale" in record.method.changed
    assert "device" not in record.method.changed


def test_a_release_lies_beside_the_bounds_where_both_were_measured() -> None:
    possible, kept = records.bounds(), records.q(0.2)
    implied = ImpliedLeakage(utility="income", kept=kept, leakage=records.q(0.01))
    found = landing(records.audit(implied={"sex": implied}), possible)
    assert (found.leaked, round(found.lost, 4)) == (0.021, 0.0675)
    assert landing(records.audit(), possible) is None
    other = implied.model_copy(update={"utility": "other"})
    assert landing(records.audit(implied={"sex": other}), possible) is None


def test_two_sensitive_columns_are_both_hidden_and_judged_jointly(data: Path, tmp_path: Path) -> None:
    record = run(data, sensitive=["s", "u"], out=tmp_path / "o", method="leace", **FAST)
    assert set(record.audit.sensitive) == {"s", "u", "joint"}
    assert read_table(tmp_path / "o" / "candidate" / "release.parquet").column_names == ["a", "b"]


def test_a_representation_with_the_utility_beside_it(data: Path, tmp_path: Path) -> None:
    run(data, sensitive=["s"], out=tmp_path / "o", method="noise", utility=["u"], output="representation", **FAST)
    names = read_table(tmp_path / "o" / "candidate" / "release.parquet").column_names
    assert names[-1] == "u"
    assert not {"a", "b", "s"} & set(names)


def test_the_same_seed_and_key_give_the_same_release(data: Path, tmp_path: Path) -> None:
    run(data, sensitive=["s"], out=tmp_path / "o", method="noise", **FAST)
    key = tmp_path / "o" / "private" / "key"
    run(data, sensitive=["s"], out=tmp_path / "p", method="noise", noise_key=key, **FAST)
    run(data, sensitive=["s"], out=tmp_path / "q", method="noise", **FAST)
    one, two, three = (read_table(tmp_path / name / "candidate" / "release.parquet") for name in "opq")
    assert one.equals(two)
    assert not one.equals(three)


def test_data_that_the_method_refuses_leave_nothing_behind(data: Path, tmp_path: Path) -> None:
    table = read_table(data)
    write_table(data, table.append_column("copy", table.column("s")))
    with pytest.raises(DataError, match="copy"):
        run(data, sensitive=["s"], out=tmp_path / "o", method="identity", **FAST)
    assert not (tmp_path / "o").exists()


def test_wrong_options_are_found_before_anything_is_written(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="use_utility needs a column"):
        run(data, sensitive=["s"], out=tmp_path / "o", use_utility=True, **FAST)
    assert not (tmp_path / "o").exists()


@pytest.fixture
def pictures(tmp_path: Path) -> pa.Table:
    rng = np.random.default_rng(0)
    s, u = rng.integers(0, 2, 120), rng.integers(0, 2, 120)
    pixels = rng.integers(0, 100, (120, 8, 8))
    pixels[:, :4] += 80 * s[:, None, None]
    pixels[:, 4:] += 80 * u[:, None, None]
    return pa.table({"image": image_column(pixels.astype(np.uint8)), "s": s, "u": u})


def test_an_array_of_images(pictures: pa.Table, tmp_path: Path) -> None:
    write_table(tmp_path / "t.npz", pictures, array="scans")
    record = run(
        tmp_path / "t.npz", sensitive=["s"], utility=["u"], array="scans", out=tmp_path / "o", method="noise", **FAST
    )
    release = read_table(tmp_path / "o" / "candidate" / "release.npz", array="scans")
    assert release.column_names == ["image", "u"]
    assert release.schema.field("image").type == pictures.schema.field("image").type
    assert record.method.output == "images"
    assert record.audit.images is not None
    assert [(mean.attribute, mean.level) for mean in record.audit.images.classes] == [
        ("s", "0"), ("s", "1"), ("u", "0"), ("u", "1")
    ]  # fmt: skip
    page = (tmp_path / "o" / "private" / "samples.html").read_text()
    assert page.count("<img") == 24 * 3
    assert "Images on average" in (tmp_path / "o" / "candidate" / "report.html").read_text()
    # What is shared holds no single image: only means.
    shared = (tmp_path / "o" / "candidate" / "report.html").read_text() + record.model_dump_json()
    assert not [text for text in re.findall(r"base64,([A-Za-z0-9+/=]+)", page) if text in shared]


def test_a_folder_of_images_whose_names_tell(pictures: pa.Table, tmp_path: Path) -> None:
    """The names of the files hold S; the release has numbers, and the report says that they were left out."""
    folder = tmp_path / "scans"
    for part in ("0", "1"):
        (folder / part).mkdir(parents=True)
    files = [f"{s}/{i}.png" for i, s in enumerate(pictures.column("s").to_pylist())]
    for file, image in zip(files, image_array(pictures.column("image")), strict=True):
        Image.fromarray(image).save(folder / file)
    labels = pa.table({"file": files, "s": pictures.column("s"), "u": pictures.column("u")})
    write_table(tmp_path / "labels.csv", labels)
    settings = {"sensitive": ["s"], "utility": ["u"], "labels": tmp_path / "labels.csv", **FAST}
    Image.fromarray(np.zeros((8, 8), np.uint8)).save(folder / "stray.png")
    said: list[str] = []
    record = run(folder, out=tmp_path / "o", method="identity", log=said.append, **settings)
    assert "1 images of scans have no row in labels.csv and are left out" in said
    share = tmp_path / "o" / "candidate"
    again = read_table(share / "release", labels=share / "release" / "labels.csv")
    assert again.column_names == ["image", "file", "u"]
    assert again.column("image").equals(pictures.column("image"))
    assert again.column("file")[119].as_py() == "000119.png"
    assert record.data.dropped == ["file"]
    assert record.digests["release"] == digest(share / "release")
    assert (tmp_path / "o" / "private" / "samples.html").exists()
    run(folder, out=tmp_path / "p", method="noise", output="representation", **settings)
    assert "x0" in read_table(tmp_path / "p" / "candidate" / "release.npz").column_names


def test_what_lies_among_what_may_be_sent_is_said(data: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    options = {"sensitive": ["s"], "drop": ["u"], "out": tmp_path / "o", "method": "identity", **FAST}
    run(data, **options, log=lines.append)
    assert not [line for line in lines if "withhold did not write" in line]
    (tmp_path / "o/candidate/patients.xlsx").write_text("mine")
    run(data, **options, overwrite=True, log=lines.append)
    what = "'candidate/patients.xlsx', which withhold did not write: move that away before you send the folder"
    assert lines[-1].endswith(f"o also holds {what}")


def test_results_do_not_lie_in_the_folder_they_are_made_from(data: Path, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    data.rename(tmp_path / "parts" / "a.parquet")
    with pytest.raises(InvalidParameterError, match="Name a place outside"):
        run(tmp_path / "parts", sensitive=["s"], out=tmp_path / "parts" / "results", method="identity", **FAST)
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["a.parquet"]


def test_the_index_of_pandas_is_neither_fitted_nor_released(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 400)
    people = pd.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400), "s": s}, index=s + rng.random(400))
    people.to_parquet(tmp_path / "t.parquet")
    people.iloc[:200].reset_index(drop=True).to_parquet(tmp_path / "more.parquet")
    for name, options in (("one", {}), ("two", {"test": tmp_path / "more.parquet"})):
        record = run(tmp_path / "t.parquet", sensitive=["s"], out=tmp_path / name, method="identity",
                     effort="quick", attackers=("logistic",), **options)  # fmt: skip
        assert record.data.dropped == ([] if options else ["__index_level_0__"])
        released = read_table(tmp_path / name / "candidate" / "release.parquet")
        assert released.column_names == ["a", "b"]
        # With labels that follow S the release would fail at sight.
        assert record.audit.sensitive["s"].leakage_total.value < 0.05
