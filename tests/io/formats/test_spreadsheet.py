"""Excel workbooks: typed by their cells, one sheet, and whatever else they hold is named or refused."""

import zipfile
from datetime import date, datetime, time
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, FileError, InvalidParameterError
from withhold.io import growth
from withhold.io.formats import spreadsheet
from withhold.io.formats.registry import left_out
from withhold.io.reading import Reading
from withhold.io.tables import count_rows, read_table, table_batches, write_table


def workbook(path: Path, **sheets: list[list[object]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


ROWS = [
    ["sex", "zip", "n", "lab", "seen", "at", "ok", "void"],
    ["f", "02116", 1, 1.5, datetime(2024, 5, 1), datetime(2024, 5, 1, 8, 30), True, None],
    ["m", 90210, 2, "NA", datetime(2024, 12, 31), date(2024, 5, 2), False, None],
    [None, "01002", None, 2, None, None, None, None],
]


def test_cells_become_columns(tmp_path):
    path = workbook(tmp_path / "a.xlsx", people=ROWS)
    table = read_table(path)
    assert {field.name: str(field.type) for field in table.schema} == {
        "sex": "string", "zip": "string", "n": "int64", "lab": "double", "seen": "date32[day]",
        "at": "timestamp[us]", "ok": "bool", "void": "null",
    }  # fmt: skip
    assert table.column("zip").to_pylist() == ["02116", "90210", "01002"]
    assert table.column("at").to_pylist()[1] == datetime.combine(date(2024, 5, 2), time())
    assert count_rows(path) == 3
    assert pa.Table.from_batches(list(table_batches(path, 2))).to_pydict() == table.to_pydict()


def test_what_is_said_of_missing_values_and_text(tmp_path):
    path = workbook(tmp_path / "a.xlsx", people=[["a", "b"], [1, 1], [".", 999], [3, 2]])
    assert str(read_table(path).schema.field("a").type) == "string"  # positive control
    table = read_table(path, reading=Reading(missing=(".", "999"), text=("b",)))
    assert table.to_pydict() == {"a": [1, None, 3], "b": ["1", None, "2"]}


def test_one_of_several_sheets(tmp_path):
    path = workbook(tmp_path / "a.xlsx", data=[["a"], [1]], people=[["sex"], ["f"]], empty=[])
    with pytest.raises(DataError, match=r"several sheets: 'data', 'people'\. Name one with array='NAME'"):
        read_table(path)
    with pytest.raises(InvalidParameterError, match="has no sheet 'pepole'"):
        read_table(path, array="pepole")
    assert read_table(path, array="people").to_pydict() == {"sex": ["f"]}
    assert left_out(path, "people") == ["the sheet 'data'"]


def test_a_hidden_sheet_and_a_comment_are_seen(tmp_path):
    path = workbook(tmp_path / "a.xlsx", data=[["a"], [1]], hidden=[["sex"], ["f"]])
    book = openpyxl.load_workbook(path)
    book["hidden"].sheet_state = "hidden"
    book["data"]["A2"].comment = openpyxl.comments.Comment("this is Ann", "clerk")
    book.save(path)
    assert left_out(path, "data") == ["the sheet 'hidden'", "comments"]
    assert left_out(workbook(tmp_path / "b.xlsx", data=[["a"], [1]]), None) == []  # positive control


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["Patients of ward 7"], [], ["a", "b"], [1, 2]], "holds values beside its named columns"),
        ([[None, "b"], [1, 2]], "must name every column"),
        ([["a", "a"], [1, 2]], "2 columns named 'a'"),
        ([], "has no sheet with values"),
    ],
)
def test_sheets_that_are_no_table(tmp_path, rows, words):
    with pytest.raises(DataError, match=words):
        read_table(workbook(tmp_path / "a.xlsx", data=rows))


def test_empty_rows_at_the_end_are_none(tmp_path):
    path = workbook(tmp_path / "a.xlsx", data=[["a"], [1], [None], [2], [None], [None]])
    assert read_table(path).column("a").to_pylist() == [1, None, 2]


def test_damaged_files(tmp_path):
    whole = workbook(tmp_path / "a.xlsx", people=ROWS).read_bytes()
    for content in (b"", b"a,b\n1,2\n", whole[: len(whole) // 2], whole[:200] + b"x" * 50 + whole[250:]):
        (tmp_path / "b.xlsx").write_bytes(content)
        with pytest.raises(DataError, match="is not a readable"):
            read_table(tmp_path / "b.xlsx")


def test_an_archive_that_fills_memories(tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "ALWAYS_BYTES", 1 << 16)
    path = workbook(tmp_path / "a.xlsx", people=ROWS)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet9.xml", b"0" * 20_000_000)
    with pytest.raises(DataError, match="grows to more than 300 times its size"):
        read_table(path)


def test_a_sheet_of_a_forged_size(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheet, "_MOST_CELLS", 10_000)
    book = openpyxl.Workbook()
    book.active["A1"], book.active["A2"], book.active["A1048576"] = "a", 1, 2
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(DataError, match="has more than 10,000 cells, empty ones counted"):
        read_table(tmp_path / "a.xlsx")


def test_workbooks_are_not_written(tmp_path):
    with pytest.raises(FileError, match=r"\.xlsx files are read, not written\. Name 'a\.csv' instead"):
        write_table(tmp_path / "a.xlsx", pa.table({"a": [1]}))
