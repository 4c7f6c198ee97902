"""How text files are written is proven by their cells, or said by the caller; every way of reading agrees."""

import gzip
import re
from pathlib import Path

import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.io import growth, text_files
from withhold.io.csv_files import csv_rows, find_reading, read_csv, read_texts
from withhold.io.reading import Reading
from withhold.io.tables import TableWriter, read_table, table_batches
from withhold.io.written_forms import written_forms


def file(folder: Path, content: str | bytes, name: str = "a.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(content.encode(encoding) if isinstance(content, str) else content)
    return path


GERMAN = 'Größe;Gewicht;Ort\n"1,5";70,25;Köln\n2,25;80,5;"Ulm; Donau"\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le-mark", "utf-32"])
def test_a_table_of_a_german_spreadsheet(tmp_path, read, encoding):
    content = GERMAN.encode(encoding) if encoding != "utf-16-le-mark" else b"\xff\xfe" + GERMAN.encode("utf-16-le")
    path = file(tmp_path, content)
    expected = {"Größe": [1.5, 2.25], "Gewicht": [70.25, 80.5], "Ort": ["Köln", "Ulm; Donau"]}
    assert read(path).to_pydict() == expected
    assert csv_rows(path) == 2
    settled, words = find_reading(path)
    assert (settled.sep, settled.decimal) == (";", ",")
    assert "separated by ';' and with decimal commas (Größe, Gewicht)" in words
    assert read(path, reading=settled).to_pydict() == expected


@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
@pytest.mark.parametrize("break_in_header", [False, True])
def test_separators(tmp_path, read, separator, break_in_header):
    first = '"age\nin years"' if break_in_header else "age"
    path = file(tmp_path, separator.join([first, "city", "note"]) + "\n" + f"31{separator}Rome{separator}a b\n" * 20)
    assert read(path).num_columns == 3
    assert read(path).column(0).to_pylist() == [31] * 20
    assert bool(find_reading(path)[1]) == (separator != ",")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1;2,3;4\n5;6,7;8\n", ["a", "b"]),  # semicolons in the cells of a comma file
        ("pay;note\n1,5;yes, often\n2,5;no\n3,5;no\n", ["pay", "note"]),
        ("one\n1\n2\n", ["one"]),
        ("one\n1,5\n2,5\n", None),  # ragged with commas, one column without
    ],
)
def test_separators_that_could_be_others(tmp_path, read, text, names):
    path = file(tmp_path, text)
    if names is None:
        with pytest.raises(DataError, match="has 2 values in row 2"):
            read(path)
    else:
        assert read(path).column_names == names


def test_a_separator_that_nothing_proves_is_asked_for(tmp_path, read):
    path = file(tmp_path, "a;b;c\n1;2\n1;2\n1;2\n1;2;3\n")
    with pytest.raises(DataError, match=r"header of several names \('a;b;c'\).*Name it with Reading\(sep=';'\)"):
        read(path)
    with pytest.raises(DataError, match="has 2 values in row 2"):
        read(path, reading=Reading(sep=";"))


@pytest.mark.parametrize("text", ["a;b,c\n1;2,3\n4;5,6\n", "n,1\tm,2\n1,5\t2,5\n2,5\t3,5\n"])
def test_two_separators_that_fit_are_asked_about(tmp_path, read, text):
    path = file(tmp_path, text)
    with pytest.raises(DataError, match="as many values in every row by ',' as by") as caught:
        read(path)
    other = "tab" if "tab" in str(caught.value) else ";"
    assert read(path, reading=Reading(sep=other)).num_columns == 2
    assert read(path, reading=Reading(sep=",")).num_columns > 1


def test_one_column_whose_name_holds_a_separator(tmp_path, read):
    assert read(file(tmp_path, '"a,b"\n1\n2\n')).column_names == ["a,b"]
    path = file(tmp_path, "a;b\n1\n2\n")
    with pytest.raises(DataError, match="header of several names"):
        read(path)
    assert read(path, reading=Reading(sep=",")).column_names == ["a;b"]


def test_a_ragged_row_of_a_semicolon_file_is_numbered(tmp_path, read):
    path = file(tmp_path, "a;b\n" + "1;2\n" * 50 + "1;2;3\n" + "1;2\n" * 50)
    with pytest.raises(DataError, match=r"has 3 values in row 52 .* quote values that hold ';'\."):
        read(path)


def test_the_line_of_spreadsheets_that_names_the_separator(tmp_path, read):
    path = file(tmp_path, "sep=;\r\na;b\r\n1,5;2\r\n")
    assert read(path).to_pydict() == {"a": [1.5], "b": [2]}
    assert csv_rows(path) == 1


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["0,5", "1,25", "3"], "double"),
        (["1,250", "2,500", ""], "double"),  # between semicolons a comma is no thousand
        (["1.250,5", "2.500,0"], "string"),
        (["1,5", "2,5x"], "string"),
        (["12", "7"], "int64"),
        (["-1,5e3", "+,25"], "double"),
    ],
)
def test_decimal_commas_between_semicolons(tmp_path, read, cells, kind):
    path = file(tmp_path, "v;w\n" + "".join(f"{cell};x\n" for cell in cells))
    assert str(read(path).schema.field("v").type) == kind


@pytest.mark.parametrize(
    ("cells", "kind"),
    [(['"0,5"', '"12,25"'], "double"), (['"1,250"', '"2,500"'], "string"), (['"1,250"', '"0,125"'], "double")],
)
def test_decimal_commas_in_quotes_are_told_from_thousands(tmp_path, read, cells, kind):
    path = file(tmp_path, "v,w\n" + "".join(f"{cell},x\n" for cell in cells))
    assert str(read(path).schema.field("v").type) == kind


def test_numbers_that_may_be_thousands_are_said_to_be_text(tmp_path):
    path = file(tmp_path, 'pay,w\n"1,250",x\n"12,500",y\n')
    assert "'pay' of a.csv holds numbers such as 1,250 and is read as text; --decimal ," in find_reading(path)[1]
    assert find_reading(path, Reading(decimal="."))[1] == ""
    assert find_reading(file(tmp_path, 'pay,w\n"a,250",x\n'))[1] == ""  # positive control


def test_codes_with_points_stay_text_beside_decimal_commas(tmp_path, read):
    table = read(file(tmp_path, "icd;lab\n250.00;1,5\n401.9;2,5\n"))
    assert table.to_pydict() == {"icd": ["250.00", "401.9"], "lab": [1.5, 2.5]}


def test_points_between_commas_outweigh_quoted_commas(tmp_path, read):
    table = read(file(tmp_path, 'answers,lab\n"1,3",0.5\n"2,4",1.5\n'))
    assert table.to_pydict() == {"answers": ["1,3", "2,4"], "lab": [0.5, 1.5]}


def test_a_part_of_a_fitted_file_is_read_like_the_whole(tmp_path, read):
    types = {"lab": pa.float64(), "ward": pa.string()}
    path = file(tmp_path, 'lab,ward\n"1,250",12\n"2,500",7\n')
    assert read(path, types).to_pydict() == {"lab": [1.25, 2.5], "ward": ["12", "7"]}
    assert read(path).to_pydict()["lab"] == ["1,250", "2,500"]  # positive control


FOREIGN = [("Łódź,Wrocław\n1,2\n", "cp1250"), ("Москва,год\n1,2\n", "cp1251"), ("Müller,größer\n1,2\n", "cp850")]


@pytest.mark.parametrize(("text", "encoding"), FOREIGN, ids=[encoding for _, encoding in FOREIGN])
def test_other_encodings_are_not_guessed(tmp_path, read, text, encoding):
    path = file(tmp_path, text, encoding=encoding)
    with pytest.raises(DataError, match=r"is not UTF-8 text.*Reading\(encoding=\.\.\.\)"):
        read(path)
    assert read(path, reading=Reading(encoding=encoding)).column_names == text.split("\n")[0].split(",")


def test_an_encoding_that_shows_at_the_end_only(tmp_path, read, monkeypatch):
    monkeypatch.setattr(text_files, "_PIECE_BYTES", 64)
    path = file(tmp_path, "city,n\n" + "Rome,1\n" * 500 + "Köln,2\n", encoding="cp1252")
    assert read(path).column("city").to_pylist()[-1] == "Köln"
    both = file(tmp_path, ("Köln,1\n" * 40).join(["city,n\n", ""]))  # letters that pieces cut in two
    assert read(both).column("city").to_pylist() == ["Köln"] * 40


@pytest.mark.parametrize("content", [b"a,b\n1,\x00\xff\n", bytes(range(256)) * 4, b"PK\x03\x04\x00\xff\xfe\x81"])
def test_what_is_no_text(tmp_path, read, content):
    with pytest.raises(DataError, match="is not UTF-8 text"):
        read(file(tmp_path, content))


def test_an_encoding_that_is_said_and_does_not_fit(tmp_path, read):
    with pytest.raises(DataError, match="is not utf-8 text"):
        read(file(tmp_path, "city\nKöln\n", encoding="cp1252"), reading=Reading(encoding="utf-8"))


def test_missing_values_that_are_said(tmp_path, read):
    path = file(tmp_path, "a,b\n1.5,x\n.,.\n999,999\n")
    table = read(path, reading=Reading(missing=("999", ".")))
    assert table.to_pydict() == {"a": [1.5, None, None], "b": ["x", None, None]}
    assert read(path).to_pydict()["a"] == ["1.5", ".", "999"]  # positive control


def test_text_that_is_said(tmp_path, read):
    path = file(tmp_path, "zip,lab\n90210,1\n10001,2\n")
    assert read(path, reading=Reading(text=("zip",))).to_pydict() == {"zip": ["90210", "10001"], "lab": [1, 2]}
    assert read(path, {"zip": pa.int64()}, Reading(text=("zip",))).to_pydict()["zip"] == ["90210", "10001"]
    assert read(path).to_pydict()["zip"] == [90210, 10001]  # positive control


@pytest.mark.parametrize("name", ["a.csv.gz", "a.tsv", "a.tsv.gz", "2024.05.csv.gz"])
def test_what_is_written_is_read(tmp_path, name):
    table = pa.table({"a": ["x,y", "z\tw", None], "b": [1.5, 2.5, None]})
    with TableWriter(tmp_path / name, table.schema) as writer:
        writer.write(table)
    assert read_table(tmp_path / name).equals(table)
    assert find_reading(tmp_path / name)[1] == ""
    batches = list(table_batches(tmp_path / name, 2))
    assert [batch.num_rows for batch in batches] == [2, 1]
    content = (tmp_path / name).read_bytes()
    assert (content[:2] == b"\x1f\x8b") == name.endswith(".gz")
    assert (b"\t" in (gzip.decompress(content) if name.endswith(".gz") else content).split(b"\n")[0]) == (
        ".tsv" in name
    )


def test_a_compressed_file_that_fills_memories(tmp_path, read, monkeypatch):
    monkeypatch.setattr(growth, "ALWAYS_BYTES", 1 << 16)
    bomb = file(tmp_path, gzip.compress(b"a,b\n" + b"0,0\n" * 500_000), "bomb.csv.gz")
    with pytest.raises(DataError, match="grows to more than 300 times its size"):
        read(bomb)
    with pytest.raises(DataError, match="grows to more than 300 times its size"):
        read(bomb, reading=Reading(sep=",", decimal=".", encoding="utf-8"))
    usual = file(
        tmp_path, gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i * i, i) for i in range(50_000))), "u.csv.gz"
    )
    assert read(usual).num_rows == 50_000


@pytest.mark.parametrize(
    "content",
    [b"a,b\n1,2\n", gzip.compress(b"a,b\n" + b"1,2\n" * 999, mtime=0)[:-20]],
    ids=["plain", "cut"],
)
def test_a_damaged_compressed_file(tmp_path, read, content):
    with pytest.raises(DataError, match="is not a readable gzip file"):
        read(file(tmp_path, content, "a.csv.gz"))


def test_texts_and_ways_of_writing_follow_the_dialect(tmp_path):
    path = file(tmp_path, "lab;day\n1,50;x\n2,5;y\n3;x\n")
    reading, _ = find_reading(path)
    assert read_texts(path, ["lab"], reading=reading).to_pydict() == {"lab": ["1,50", "2,5", "3"]}
    forms = written_forms(path, read_csv(path).schema, reading=reading)
    assert forms.column("lab as written").to_pylist() == ["90", "9", "9"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"sep": ";;"}, "sep takes one character such as ';' or tab (got ';;')."),
        ({"sep": "x"}, "sep takes one character"),
        ({"decimal": "'"}, "decimal must be ',' or '.'"),
        ({"encoding": "base64"}, "Unknown encoding 'base64'."),
        ({"dates": (("day", "%d.%m."),)}, "The form '%d.%m.' of 'day' names no year."),
        ({"dates": (("day", "%Y"),), "text": ("day",)}, "'day' cannot be both text and a date."),
    ],
)
def test_what_cannot_be_meant(said, words):
    with pytest.raises(InvalidParameterError, match=re.escape(words)):
        Reading(**said)
