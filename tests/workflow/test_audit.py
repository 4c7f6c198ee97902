"""Tests of the audit of files from Python; the command's tests have the cases."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from withhold.contracts.audit_record import AuditRecord
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.io.tables import write_table
from withhold.workflow.audit import audit_file
from withhold.workflow.request import AuditRequest

pytestmark = pytest.mark.usefixtures("brief_audit")


def test_several_sensitive_columns_from_another_file_by_key(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    s, t = rng.integers(0, 2, (2, 160))
    keys = rng.permutation(160)
    write_table(tmp_path / "r.csv", pa.table({"id": keys, "a": s + 0.1 * rng.standard_normal(160)}))
    order = rng.permutation(160)
    write_table(tmp_path / "s.csv", pa.table({"id": keys[order], "s": s[order], "t": t[order]}))
    request = AuditRequest(
        tmp_path / "r.csv",
        ("s", "t"),
        sensitive_from=tmp_path / "s.csv",
        key="id",
        budget_advantage=0.1,
        effort="quick",
        attackers=("logistic",),
    )
    record = audit_file(request)
    assert record.verdict == "fail"
    assert record.sensitive["s"].balanced_accuracy is not None
    assert record.sensitive["s"].balanced_accuracy > 0.9
    assert record.budget is not None
    assert 0 < record.budget < 0.03


def test_options_that_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="split and splits both say"):
        AuditRequest(tmp_path / "r.csv", ("s",), split="part", splits=tmp_path / "x")
    with pytest.raises(InvalidParameterError, match="key matches the rows"):
        AuditRequest(tmp_path / "r.csv", ("s",), key="id")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of 1,200 people in which nothing but a copy tells s."""
    rng = np.random.default_rng(1)
    s, x = rng.integers(0, 2, 1200), rng.standard_normal((2, 1200))
    order = rng.permutation(1200)
    release = pa.table({"a": x[0] + 0.1 * rng.standard_normal(1200), "b": x[1]})
    beside = pa.table({"s": s, "x0": x[0], "x1": x[1]})
    files = {
        "release": release,
        "with_s": release.append_column("s", pa.array(s)),
        "with_copy": release.append_column("ward", pa.array(np.where(s == 1, "east", "west"))),
        "original": beside.select(["x0", "x1"]),
        "labels": beside,
        "labels_alone": beside.select(["s"]),
        "labels_shuffled": beside.take(pa.array(order)),
    }
    for name, table in files.items():
        write_table(tmp_path / f"{name}.parquet", table)
    return tmp_path


def audited(folder: Path, release: str, **options: str) -> AuditRecord:
    files = {name: folder / f"{file}.parquet" for name, file in options.items()}
    panel = ("logistic", "boosting", "pairs", "qda")
    return audit_file(
        AuditRequest(folder / f"{release}.parquet", ("s",), budget=0.3, effort="quick", attackers=panel, **files)
    )


def codes(record: AuditRecord) -> set[str]:
    return {finding.code for finding in record.findings}


@pytest.mark.parametrize("labels", ["labels_shuffled", "labels_alone"])
def test_another_aligned_file_does_not_prove_the_order_of_s(folder: Path, labels: str) -> None:
    record = audited(folder, "release", original="original", sensitive_from=labels)
    assert record.verdict == "inconclusive"
    assert "alignment_unproven" in codes(record)


def test_the_columns_beside_s_prove_its_order(folder: Path) -> None:
    for record in (audited(folder, "release", sensitive_from="labels"), audited(folder, "release", original="labels")):
        assert record.verdict == "pass"
        assert "alignment_unproven" not in codes(record)


def test_s_in_the_release_is_aligned_but_never_passes(folder: Path) -> None:
    record = audited(folder, "with_s", original="original")
    assert record.verdict == "inconclusive"
    assert "contains_s" in codes(record)
    assert "alignment_unproven" not in codes(record)


def test_a_recoded_copy_of_s_fails_by_name(folder: Path) -> None:
    record = audited(folder, "with_copy", sensitive_from="labels")
    assert record.verdict == "fail"
    named = {finding.code for finding in record.findings if finding.column == "ward"}
    assert {"contains_s", "column_determines_s"} <= named
    assert "'ward'" in record.statement


def test_a_copy_among_columns_set_aside_fails_too(folder: Path) -> None:
    request = AuditRequest(
        folder / "with_copy.parquet",
        ("s",),
        sensitive_from=folder / "labels.parquet",
        drop=("ward",),
        budget=0.3,
        effort="quick",
        attackers=("logistic",),
    )
    record = audit_file(request)
    assert record.verdict == "fail"
    assert {"contains_s", "columns_set_aside"} <= codes(record)


def test_images_beside_their_originals_are_compared_on_average(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    s, u = rng.integers(0, 2, (2, 160))
    before = (rng.integers(0, 100, (160, 6, 6)) + 60 * s[:, None, None]).astype(np.uint8)
    np.savez(tmp_path / "in.npz", scans=before, s=s, u=u)
    np.savez(tmp_path / "out.npz", scans=before + 51)
    request = AuditRequest(
        tmp_path / "out.npz", ("s",), ("u",), original=tmp_path / "in.npz", array="scans", effort="quick",
        attackers=("logistic",),
    )  # fmt: skip
    found = audit_file(request).images
    assert found is not None
    assert found.change == pytest.approx(0.2)
    assert [(mean.attribute, mean.n) for mean in found.classes] == [
        ("s", (s == 0).sum()), ("s", (s == 1).sum()), ("u", (u == 0).sum()), ("u", (u == 1).sum())
    ]  # fmt: skip


def test_row_labels_in_a_release_are_attacked_and_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 600)
    frame = pd.DataFrame({"a": rng.normal(size=600)}, index=rng.permutation(300).repeat(2) + 1000 * s)
    frame.to_parquet(tmp_path / "r.parquet")
    labels = pd.DataFrame({"s": s.astype(str), "a": frame["a"]})
    labels.to_parquet(tmp_path / "s.parquet")
    request = AuditRequest(tmp_path / "r.parquet", ("s",), sensitive_from=tmp_path / "s.parquet", budget=0.05,
                           effort="quick", attackers=("boosting",))  # fmt: skip
    record = audit_file(request)
    assert record.verdict == "fail"
    assert "row_labels" in [found.code for found in record.findings]
    # Positive control: without them nothing is there to be found.
    frame.reset_index(drop=True).to_parquet(tmp_path / "r.parquet")
    record = audit_file(request)
    assert record.sensitive["s"].leakage_total.value < 0.05
    assert "row_labels" not in [found.code for found in record.findings]


def test_the_labels_of_originals_are_no_column_that_could_be_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    original = pd.DataFrame({"a": rng.normal(size=300), "s": rng.integers(0, 2, 300)}, index=np.arange(300) / 7)
    original.to_parquet(tmp_path / "o.parquet")
    original[["a"]].reset_index(drop=True).to_parquet(tmp_path / "r.parquet")
    request = AuditRequest(tmp_path / "r.parquet", ("s",), original=tmp_path / "o.parquet", effort="quick",
                           attackers=("logistic",))  # fmt: skip
    assert list(audit_file(request).columns) == ["a"]


def test_a_declared_kind_of_no_column_is_refused(folder: Path) -> None:
    request = AuditRequest(folder / "with_s.parquet", ("s",), continuous=("aa",), effort="quick")
    with pytest.raises(DataError, match="Did you mean 'a'"):
        audit_file(request)


def test_how_a_text_file_is_written_is_attacked(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    ill, age = rng.integers(2, size=300), rng.integers(20, 80, size=300)
    pd.DataFrame({"ill": np.where(ill == 1, "yes", "no")}).to_csv(tmp_path / "who.csv", index=False)
    found = {}
    for name, clinic in (("merged", ill), ("shuffled", rng.permutation(ill))):
        lines = [f"{a if c else float(a)}" for a, c in zip(age, clinic, strict=True)]
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["age", *lines]) + "\n")
        found[name] = audit_file(
            AuditRequest(path, ("ill",), sensitive_from=tmp_path / "who.csv", effort="quick", attackers=("boosting",))
        )
    told = {name: record.sensitive["ill"] for name, record in found.items()}
    assert set(told["merged"].surfaces) == {"merged.csv as text"}
    assert told["merged"].leakage.value < 0.05, "the values themselves tell nothing"
    assert told["merged"].leakage_total.value > 0.5
    assert told["shuffled"].leakage_total.value < 0.1
    assert any("'age as written' is a copy" in finding.text for finding in found["merged"].findings)
    assert "merged.csv as text" in " ".join(found["merged"].threat_model)


def test_notes_in_image_files_are_attacked(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    s, folder = rng.integers(2, size=80), tmp_path / "scans"
    folder.mkdir()
    for i, site in enumerate(s):
        notes = PngInfo()
        notes.add_text("site", "north" if site else "south")
        Image.fromarray(rng.integers(0, 255, (8, 8), np.uint8)).save(folder / f"{i:02d}.png", pnginfo=notes)
    labels = pd.DataFrame({"file": [f"{i:02d}.png" for i in range(80)], "ill": np.where(s == 1, "yes", "no")})
    labels.to_csv(tmp_path / "labels.csv", index=False)
    request = AuditRequest(folder, ("ill",), labels=tmp_path / "labels.csv", effort="quick", attackers=("logistic",))
    record = audit_file(request)
    told = record.sensitive["ill"]
    labels.to_csv(folder / "labels.csv", index=False)
    inside = audit_file(replace(request, labels=folder / "labels.csv"))
    named = [["in 'ill'" in finding.text for finding in one.findings] for one in (record, inside)]
    assert [any(each) for each in named] == [False, True], "a table of labels outside the folder is not handed over"
    assert told.leakage.value < 0.1, "pixels tell nothing"
    assert told.leakage_total.value > 0.4
    assert set(told.surfaces) == {"notes in the files of scans"}


def test_an_array_that_nobody_attacks_is_refused(tmp_path: Path) -> None:
    """The masks are S: without the refusal the audit would read the images alone, and pass."""
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 160)
    images, masks = rng.integers(0, 100, (160, 6, 6)).astype(np.uint8), np.repeat(s, 4).reshape(160, 2, 2)
    np.savez(tmp_path / "images.npz", scans=images, s=s)
    for name, more in (("masks", masks), ("column", s[:, None]), ("row", s[None])):
        np.savez(tmp_path / f"{name}.npz", scans=images, s=s, **{name: more})
        with pytest.raises(DataError, match=f"'{name}' of shape"):
            audit_file(AuditRequest(tmp_path / f"{name}.npz", ("s",), (), array="scans", effort="quick"))
    also = AuditRequest(
        tmp_path / "images.npz", ("s",), (), also=(tmp_path / "masks.npz",), array="scans", effort="quick"
    )  # fmt: skip
    with pytest.raises(DataError, match="'masks' of shape"):
        audit_file(also)


def test_codes_of_a_csv_match_their_text_in_parquet(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 160)
    keys = [f"{key:06d}" for key in rng.permutation(160)]
    lines = [f"{key},{value + 0.1 * rng.normal()}" for key, value in zip(keys, s, strict=True)]
    (tmp_path / "r.csv").write_text("\n".join(["id,a", *lines]))
    order = rng.permutation(160)
    write_table(tmp_path / "s.parquet", pa.table({"id": [keys[i] for i in order], "s": s[order]}))
    record = audit_file(
        AuditRequest(
            tmp_path / "r.csv",
            ("s",),
            sensitive_from=tmp_path / "s.parquet",
            key="id",
            budget=0.1,
            effort="quick",
            attackers=("logistic",),
        )
    )
    assert record.verdict == "fail"
