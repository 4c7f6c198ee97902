import pyarrow as pa
import pytest

from audit.findings.scenes import scene
from withhold.audit.findings.formulas import formula_cells
from withhold.audit.view.reading import read_columns
from withhold.io.tables import read_table, write_table


@pytest.mark.parametrize(
    "text", ["=1+1", "@SUM(A1)", "+A1", "-cmd|' /C calc'!A0", "\t=1", "\r=1", '=HYPERLINK("http://x")', "-2+3+A1"]
)
def test_text_that_a_spreadsheet_runs(text):
    for levels in ([text, "b"], pa.array([text, "b"]).dictionary_encode()):
        found = formula_cells(list(read_columns(pa.table({"note": levels, "x": [1.0, -2.0]}))))
        assert [(one.code, one.column) for one in found] == [("formula_cells", "note")]


@pytest.mark.parametrize("text", ["-3.2", "+1", "-", "<5", "a=b", "1-2", "-5 - -3", "'=1", "", "- 7 %"])
def test_text_that_it_shows(text):
    assert formula_cells(list(read_columns(pa.table({"note": [text, "b"]})))) == []


def test_a_heading():
    assert formula_cells(list(read_columns(pa.table({"=x": [1, 2]}))))


def test_such_cells_come_back_as_they_are(tmp_path):
    table = pa.table({"note": ["=1+1", "@a", "-3.2x", "+A1", "\tb"], "x": [-3.2, 1.0, 2.0, -0.5, 0.0]})
    write_table(tmp_path / "a.csv", table)
    assert read_table(tmp_path / "a.csv").equals(table)


def examples():
    return {"formula_cells": scene(pa.table({"note": ["=1+1", "b"] * 9}))}
