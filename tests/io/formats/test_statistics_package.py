"""SPSS, Stata and SAS files: labels, whole numbers, declared missing values; damaged and forged files are refused."""

from datetime import date

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from withhold.contracts.errors import DataError
from withhold.io import growth
from withhold.io.reading import Reading
from withhold.io.tables import read_table

FRAME = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 9.0, None, 1.0],
        "grade": [1.0, 2.0, 1.0, 7.0, None],
        "town": ["Köln", "", "Ulm", "Ulm", "Ulm"],
        "n": [1.0, 2.0, 3.0, None, 5.0],
        "lab": [1.5, 2.5, None, 4.0, 5.0],
        "seen": [date(2024, 5, 1), date(2024, 12, 31), None, date(2024, 5, 1), date(2024, 5, 1)],
    }
)
LABELS = {"sex": {1: "male", 2: "female", 9: "refused"}, "grade": {1: "good"}}


@pytest.mark.parametrize("name", ["a.sav", "a.zsav"])
def test_spss(tmp_path, name):
    path = tmp_path / name
    options = {"compress": True} if name.endswith("zsav") else {}
    pyreadstat.write_sav(
        FRAME, path, variable_value_labels=LABELS, missing_ranges={"sex": [9]}, file_label="ward 7", **options
    )
    table = read_table(path, reading=Reading(codes=False))
    assert table.to_pydict() == {
        "sex": ["male", "female", None, None, "male"],
        "grade": [1, 2, 1, 7, None],
        "town": ["Köln", None, "Ulm", "Ulm", "Ulm"],
        "n": [1, 2, 3, None, 5],
        "lab": FRAME["lab"].astype(object).where(FRAME["lab"].notna(), None).tolist(),
        "seen": FRAME["seen"].tolist(),
    }
    assert [str(table.schema.field(name).type) for name in ("n", "lab", "seen")] == ["int64", "double", "date32[day]"]
    assert table.column("sex").chunk(0).dictionary.to_pylist() == ["male", "female", "refused"]
    as_stored = read_table(path)  # whoever has the file sees who refused
    assert as_stored.column("sex").to_pylist()[2] == "refused"
    assert as_stored.schema.metadata == {b"file label": b"ward 7"}


def test_stata(tmp_path):
    frame = pd.DataFrame({"sex": [1, 2, 1], "n": [1, 2, 300], "lab": [1.5, None, 2.0], "town": ["a", "", "c"]})
    pyreadstat.write_dta(frame, tmp_path / "a.dta", variable_value_labels={"sex": {1: "m", 2: "f"}})
    table = read_table(tmp_path / "a.dta")
    assert table.to_pydict() == {
        "sex": ["m", "f", "m"], "n": [1, 2, 300], "lab": [1.5, None, 2.0], "town": ["a", None, "c"],
    }  # fmt: skip


def test_sas_transport(tmp_path):
    pyreadstat.write_xport(FRAME[["n", "lab", "town"]], tmp_path / "a.xpt", file_format_version=8)
    table = read_table(tmp_path / "a.xpt")
    assert table.column("n").to_pylist() == [1, 2, 3, None, 5]
    assert table.column("town").to_pylist()[:3] == ["Köln", None, "Ulm"]


def test_labels_that_two_codes_share(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    pyreadstat.write_sav(frame, tmp_path / "a.sav", variable_value_labels={"a": {1: "yes", 2: "no", 3: "no"}})
    assert read_table(tmp_path / "a.sav").column("a").to_pylist() == ["yes", "no (2)", "no (3)"]


@pytest.mark.parametrize("name", ["a.sav", "a.dta", "a.sas7bdat", "a.xpt", "a.por"])
def test_damaged_files(tmp_path, name):
    for content in (b"", b"a,b\n1,2\n", bytes(range(256)) * 9):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match="is not a readable"):
            read_table(tmp_path / name)


def test_a_stated_size_that_fills_memories(tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "ALWAYS_BYTES", 1 << 10)
    frame = pd.DataFrame({f"v{j}": [1.0] * 20_000 for j in range(30)})
    pyreadstat.write_sav(frame, tmp_path / "a.sav", compress=True)
    with pytest.raises(DataError, match="grows to more than 300 times its size"):
        read_table(tmp_path / "a.sav")
    plain = pd.DataFrame({"v": range(500)})
    pyreadstat.write_sav(plain, tmp_path / "b.sav")
    assert read_table(tmp_path / "b.sav").schema.field("v").type == pa.int64()
