"""A .csv is written as the file it came from: its separator and its decimal mark."""

import pandas as pd
import pyarrow as pa
import pytest

from withhold.io.reading import Reading
from withhold.io.tables import read_table, write_table

TABLE = pa.table({"name": ["a;b", "c"], "size": [1.5, None], "count": [3, 4], "share": pa.array([0.25, -1e-7])})


def test_semicolons_and_decimal_commas_come_back(tmp_path):
    write_table(tmp_path / "z.csv", TABLE, reading=Reading(sep=";", decimal=","))
    assert (tmp_path / "z.csv").read_text().splitlines()[0] == '"name";"size";"count";"share"'
    assert "1,5" in (tmp_path / "z.csv").read_text()
    pandas = pd.read_csv(tmp_path / "z.csv", sep=";", decimal=",")
    assert pandas["size"].tolist()[0] == 1.5
    assert pandas["share"].tolist() == [0.25, -1e-7]
    assert read_table(tmp_path / "z.csv").to_pydict() == TABLE.to_pydict()


@pytest.mark.parametrize(("name", "first"), [("z.csv", '"name","size"'), ("z.tsv", '"name"\t"size"')])
def test_without_a_word_commas_and_by_the_ending_tabs(tmp_path, name, first):
    write_table(tmp_path / name, TABLE.select(["name", "size"]))
    assert (tmp_path / name).read_text().splitlines()[0] == first


def test_a_decimal_comma_needs_another_separator(tmp_path):
    write_table(tmp_path / "z.csv", TABLE, reading=Reading(sep=",", decimal=","))
    assert read_table(tmp_path / "z.csv")["size"].to_pylist() == [1.5, None]
