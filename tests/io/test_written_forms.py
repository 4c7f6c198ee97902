import numpy as np
import pyarrow as pa
import pytest

from withhold.io.csv_files import read_csv
from withhold.io.tables import write_table
from withhold.io.written_forms import written_forms


@pytest.fixture
def forms(tmp_path):
    def of(*cells):
        path = tmp_path / "a.csv"
        path.write_text("\n".join(["a,b", *(f'"{cell}",1' for cell in cells)]) + "\n")
        table = written_forms(path, read_csv(path).schema)
        return table.column("a as written").to_pylist() if table.num_columns else None

    return of


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (["40", "40.0"], ["9", "9.0"]),
        (["1.10", "1.1", "2.25"], ["90", "9", "9"]),
        (["+3", "3"], ["+9", "9"]),
        ([".5", "0.5"], ["", "9"]),
        (["1E5", "1e5"], ["9E", "9e"]),
        (["NA", "", "x"], ["missing as 'NA'", "missing as ''", ""]),
        (["null", "", "5"], ["missing as 'null'", "missing as ''", ""]),
        (["true", "True", "false"], ["true", "True", "false"]),
        (["2020-01-01", "2020-01-01 00:00:00"], ["9999-99-99", "9999-99-99 99:99:99"]),
    ],
)
def test_several_ways_of_writing_are_told_apart(forms, cells, shown):
    assert forms(*cells) == shown


@pytest.mark.parametrize(
    "cells",
    [
        ["1.5", "2.0", "-3.25", "1e-05"],  # the fewest decimals, with a point
        ["1", "2.5", "1e+16"],  # the fewest decimals
        ["1.50", "2.25", "3.00"],  # two decimals throughout
        ["007", "123", ""],  # three digits throughout
        ["0", "0.5", "-0.25"],
        ["NA", "5"],
        ["true", "False", ""],
        ["01", "one"],  # text is read as it is written
        ["01", "1", "234"],  # codes, read as text
        ["2020-01-01", "2021-12-31"],
    ],
)
def test_what_follows_from_the_value_is_one_way(forms, cells):
    assert forms(*cells) is None


def test_of_some_rows_only_their_ways_count(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n40,1\n40.0,1\n41,1\n42,NA\n")
    schema = read_csv(path).schema
    assert written_forms(path, schema, np.array([0, 1, 3])).to_pydict() == {"a as written": ["9", "9.0", "9"]}
    assert written_forms(path, schema, np.array([0, 2, 3])).num_columns == 0


def test_our_own_files_are_written_in_one_way(tmp_path):
    table = pa.table({"a": [40.0, 0.5, None, 1e-7], "b": [True, False, None, True], "c": ["x", None, "y", None]})
    write_table(tmp_path / "a.csv", table)
    assert written_forms(tmp_path / "a.csv", read_csv(tmp_path / "a.csv").schema).num_columns == 0
