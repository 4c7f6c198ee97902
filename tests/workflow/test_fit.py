"""Tests of fitting to a file."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from withhold.contracts.errors import FileError, InvalidParameterError
from withhold.io.tables import read_table, write_table
from withhold.methods.loading import restore
from withhold.privacy.ledger import LedgerKey
from withhold.privacy.noise_key import NoiseKey
from withhold.workflow import transform
from withhold.workflow.fit import fit_file, key_path
from withhold.workflow.request import Request, TransformRequest


def transform_file(*files: Path, log=print, **options) -> dict:
    return transform.transform_file(TransformRequest(*files, **options), log)


def test_sanitiser_and_key_are_written_or_nothing(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", pa.table({"a": list(range(40)), "s": ["x", "y"] * 20}))
    request = Request(tmp_path / "t.csv", ("s",), method="identity")
    save = tmp_path / "s.withhold"
    assert fit_file(request, save).name == "identity"
    assert save.exists()
    assert key_path(save).exists()
    with pytest.raises(InvalidParameterError, match="overwrite=True"):
        fit_file(request, save)
    with pytest.raises(FileError):
        fit_file(request, tmp_path / "absent" / "s.withhold")
    assert not (tmp_path / "absent").exists()


def test_overwrite_replaces_the_key_too(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", pa.table({"a": list(range(40)), "s": ["x", "y"] * 20}))
    request = Request(tmp_path / "t.csv", ("s",), method="identity")
    save = tmp_path / "s.withhold"
    fit_file(request, save)
    before = NoiseKey.from_file(key_path(save))
    fit_file(request, save, overwrite=True)
    assert NoiseKey.from_file(key_path(save)) != before


@pytest.mark.parametrize("method", ["identity", "cadp"])
@pytest.mark.parametrize("save", ["ledger.sqlite", "ledger.withhold", "notes.withhold"])
def test_overwrite_replaces_no_ledger_and_no_key_of_something_else(tmp_path: Path, method: str, save: str) -> None:
    write_table(tmp_path / "t.csv", pa.table({"a": np.linspace(0, 1, 40), "s": ["x", "y"] * 20}))
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as ledger:
        ledger.execute("CREATE TABLE a (b)")
    LedgerKey.generate().save(tmp_path / "ledger.key")
    (tmp_path / "notes.key").write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    request = Request(tmp_path / "t.csv", ("s",) if method == "identity" else (), method=method)
    if method == "cadp" and save != "ledger.sqlite":  # its key is that of the ledger, which stays
        return
    with pytest.raises(FileError, match=r"no output may replace|holds something else"):
        fit_file(request, tmp_path / save, overwrite=True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_index_of_pandas_is_no_feature_and_transform_does_not_ask_for_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    labels = pd.Index(np.repeat(np.arange(20) / 2, 10), name="person")  # a float: no rule of identifiers would drop it
    people = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)}, index=labels)
    people.assign(s=rng.choice(["x", "y"], 200)).to_parquet(tmp_path / "t.parquet")
    people.reset_index(drop=True).to_parquet(tmp_path / "new.parquet")
    said: list[str] = []
    request = Request(tmp_path / "t.parquet", ("s",), method="identity")
    fit_file(request, tmp_path / "s.withhold", log=said.append)
    assert any("'person' is a pandas index" in line for line in said)
    for source in ("t.parquet", "new.parquet"):
        transform_file(tmp_path / "s.withhold", tmp_path / source, tmp_path / "z.parquet", overwrite=True)
        assert read_table(tmp_path / "z.parquet").column_names == ["a", "b"]
    # It may be kept as a column, or say whose records these are.
    fit_file(replace(request, keep=("person",)), tmp_path / "k.withhold")
    assert "person" in restore(tmp_path / "k.withhold").codec_.schema.names
    fit_file(replace(request, groups="person"), tmp_path / "g.withhold")
    assert "person" not in restore(tmp_path / "g.withhold").codec_.schema.names


def test_what_a_fit_leaves_out_or_rests_on_is_said(tmp_path: Path) -> None:
    names = [f"person {i}" for i in range(40)]
    write_table(tmp_path / "t.csv", pa.table({"name": names, "a": list(range(40)), "s": ["x", "y"] * 20}))
    said: list[str] = []
    fit_file(Request(tmp_path / "t.csv", ("s",), method="identity"), tmp_path / "s.withhold", log=said.append)
    assert any("(few_records)" in line for line in said)
    assert any("'name'" in line and "(identifier_dropped)" in line for line in said)


def test_columns_are_said_before_the_fit_and_once(tmp_path: Path) -> None:
    table = {"ward": ["A"] * 60, "doctor": ["Dr. Li", "Dr. Moss", "Dr. Weber"] * 20, "a": list(range(30)) * 2}
    write_table(tmp_path / "t.csv", pa.table({**table, "s": ["x", "y"] * 30}))
    said: list[str] = []
    fit_file(Request(tmp_path / "t.csv", ("s",), method="identity"), tmp_path / "s.withhold", log=said.append)
    start = next(place for place, line in enumerate(said) if line.startswith("fitting"))
    for code in ("constant_column", "free_text_dropped"):
        (place,) = [place for place, line in enumerate(said) if f"({code})" in line]
        assert place < start
    fit_file(Request(tmp_path / "t.csv", ("s",), method="identity", keep=("doctor",)), tmp_path / "k", log=said.append)
    assert any("'doctor'" in line and "(free_text_kept)" in line for line in said)


def test_subjects_that_nobody_named_are_pointed_out(tmp_path: Path) -> None:
    visits = pa.table({"Patient ID": [i // 2 for i in range(80)], "a": list(range(40)) * 2, "s": ["x", "y"] * 40})
    write_table(tmp_path / "t.csv", visits)
    said: list[str] = []
    request = Request(tmp_path / "t.csv", ("s",), method="identity")
    fit_file(request, tmp_path / "s.withhold", log=said.append)
    (line,) = [line for line in said if "40 subjects in 80 rows" in line]
    assert "Add --groups 'Patient ID' to keep" in line
    said.clear()
    fit_file(replace(request, groups="Patient ID"), tmp_path / "g.withhold", log=said.append)
    assert not any("subjects in" in line for line in said)
