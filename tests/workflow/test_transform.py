"""Tests of the transform of files; the command's tests have the cases."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, DroppedColumnsWarning, FileError, InvalidParameterError
from withhold.io.tables import read_table, write_table
from withhold.methods.controls import Noise
from withhold.workflow import transform
from withhold.workflow.request import TransformRequest


def transform_file(*files: Path, log=print, **options) -> dict:
    return transform.transform_file(TransformRequest(*files, **options), log)


def test_absent_files(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"^File not found: .*absent"):
        transform_file(tmp_path / "absent", tmp_path / "data.csv", tmp_path / "out.csv")


def test_identifiers_left_out_at_fit_are_neither_needed_nor_used(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    people = pa.table(
        {"id": [f"u{i}" for i in range(300)], "a": rng.normal(size=300), "b": rng.choice(list("xy"), 300)}
    )
    with pytest.warns(DroppedColumnsWarning, match="'id'"):
        fitted = Noise(noise_seed=1, random_state=0).fit(people, sensitive_features=rng.choice(["f", "m"], 300))
    assert "id" not in fitted.codec_.schema.names
    fitted.save(tmp_path / "s.withhold")
    others = people.set_column(0, "id", pa.array(people["id"].to_pylist()[::-1]))
    released = []
    for i, table in enumerate((people, others, people.drop_columns(["id"]))):
        write_table(tmp_path / f"{i}.parquet", table)
        transform_file(tmp_path / "s.withhold", tmp_path / f"{i}.parquet", tmp_path / f"z{i}.parquet")
        released.append(read_table(tmp_path / f"z{i}.parquet"))
    assert released[0].column_names == ["a", "b"]
    assert released[0].equals(released[1])
    assert released[0].equals(released[2])
    # Positive control: a feature is needed.
    write_table(tmp_path / "less.parquet", people.drop_columns(["a"]))
    with pytest.raises(DataError, match="'a'"):
        transform_file(tmp_path / "s.withhold", tmp_path / "less.parquet", tmp_path / "z.parquet")


def test_a_part_of_the_csv_that_was_fitted_is_read_as_the_whole_was(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    columns = {"icd9": ["250.00", "V10.1", "401.9"], "ward": ["12", "7", "B3"], "note": ["true", "false", "unsure"]}
    n = 300
    whole = pa.table({name: rng.choice(levels, n) for name, levels in columns.items()} | {"lab": rng.normal(size=n)})
    write_table(tmp_path / "all.csv", whole)
    table = read_table(tmp_path / "all.csv")
    Noise(noise_seed=1, scale=0.0, random_state=0).fit(table, sensitive_features=rng.choice(["f", "m"], n)).save(
        tmp_path / "s.withhold"
    )
    for name, levels in columns.items():
        part = whole.filter(
            pa.array([value != levels[1 if name == "icd9" else 2] for value in whole[name].to_pylist()])
        )
        (tmp_path / "part.csv").write_text(part.to_pandas().to_csv(index=False))
        assert not pa.types.is_string(read_table(tmp_path / "part.csv").schema.field(name).type)  # positive control
        transform_file(tmp_path / "s.withhold", tmp_path / "part.csv", tmp_path / "z.parquet", overwrite=True)
        assert read_table(tmp_path / "z.parquet")[name].to_pylist() == part[name].to_pylist()


@pytest.mark.parametrize("name", ["key", "ledger.key", "ledger.sqlite", "s.key", "s.withhold", "parts/z.parquet"])
def test_a_release_never_takes_the_place_of_a_secret_or_lies_in_its_own_source(tmp_path: Path, name: str) -> None:
    table = pa.table({"a": np.random.default_rng(0).normal(size=100)})
    Noise(noise_seed=1, random_state=0).fit(table, sensitive_features=["f", "m"] * 50).save(tmp_path / "s.withhold")
    (tmp_path / "parts").mkdir()
    write_table(tmp_path / "parts" / "a.parquet", table)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "link.parquet").symlink_to(tmp_path / name)
    for out in (tmp_path / name, tmp_path / "other" / "link.parquet"):
        with pytest.raises(InvalidParameterError, match="Name a"):
            transform_file(tmp_path / "s.withhold", tmp_path / "parts", out, overwrite=True)
    transform_file(tmp_path / "s.withhold", tmp_path / "parts", tmp_path / "parts.parquet")
