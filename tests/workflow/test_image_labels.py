"""Which labels belong to which folder of images, and an audit of one folder against another."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from withhold.contracts.errors import DataError, FileError
from withhold.io.tables import write_table
from withhold.workflow.alignment import labels_of
from withhold.workflow.audit import audit_file
from withhold.workflow.request import AuditRequest

pytestmark = pytest.mark.usefixtures("brief_audit")

N = 80


def folder(path: Path, names: list[str], images: np.ndarray) -> Path:
    path.mkdir()
    for name, image in zip(names, images, strict=True):
        Image.fromarray(image).save(path / name)
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Originals, a release under the same names and one under numbers; labels of the originals outside."""
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, N)
    images = (rng.integers(100, size=(N, 6, 6)) + 80 * s[:, None, None]).astype(np.uint8)
    names = [f"scan{i:03}.png" for i in rng.permutation(N)]
    numbers = [f"{i:03}.png" for i in range(N)]
    labels = pa.table({"file": names, "s": s})
    write_table(tmp_path / "labels.csv", labels)
    found = {
        "original": folder(tmp_path / "original", names, images),
        "same": folder(tmp_path / "same", names, images // 2),
        "numbered": folder(tmp_path / "numbered", numbers, images // 2),
        "labels": tmp_path / "labels.csv",
    }
    write_table(tmp_path / "numbers.csv", pa.table({"file": numbers}))
    return found


def test_labels_go_to_the_folder_whose_images_they_name(files: dict[str, Path]) -> None:
    labels, numbered = files["labels"], files["numbered"]
    assert labels_of(files["original"], labels) == labels
    assert labels_of(files["original"], None) is None
    with pytest.raises(DataError, match="The folder 'numbered' has no "):
        labels_of(numbered, labels)
    own = numbered / "labels.csv"
    own.write_bytes((numbered.parent / "numbers.csv").read_bytes())
    assert labels_of(numbered, labels) == own
    assert labels_of(numbered, None) == own
    assert labels_of(labels, labels) is None  # a table has no labels


def audit(files: dict[str, Path], release: str, **options):
    options = {"original": files["original"], "labels": files["labels"], **options}
    request = AuditRequest(
        files[release], ("s",), budget=0.05, effort="quick", attackers=("pixels",), **options
    )  # fmt: skip
    return audit_file(request)


def test_a_release_of_the_same_names_is_matched_by_them(files: dict[str, Path]) -> None:
    record = audit(files, "same")
    assert record.verdict == "fail"
    assert record.n == N
    assert "alignment_unproven" not in [found.code for found in record.findings]
    assert "file" not in record.columns


def test_a_numbered_release_with_labels_of_its_own(files: dict[str, Path]) -> None:
    with pytest.raises(DataError, match=r"labels\.csv with a column 'file' into the folder"):
        audit(files, "numbered")
    (files["numbered"] / "labels.csv").write_bytes((files["labels"].parent / "numbers.csv").read_bytes())
    assert audit(files, "numbered").n == N
    # Without --labels each folder must have its own.
    with pytest.raises(FileError, match="--labels FILE"):
        audit(files, "numbered", labels=None)
