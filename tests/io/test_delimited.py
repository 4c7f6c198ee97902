import pyarrow as pa
import pyarrow.csv as pc
import pytest

from withhold.contracts.errors import DataError
from withhold.io import delimited as subject
from withhold.io.delimited import csv_batches, csv_schema, read_csv


@pytest.fixture
def csv(tmp_path):
    def write(text):
        path = tmp_path / "a.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def small_blocks(monkeypatch):
    """Many blocks from a small file, as a large file has; without them the first block holds everything."""
    monkeypatch.setattr(subject, "_BLOCK_BYTES", 256)


READERS = {
    "whole": read_csv,
    "batches": lambda path: pa.Table.from_batches(list(csv_batches(path, 7)), csv_schema(path)),
}


@pytest.fixture(params=READERS.values(), ids=READERS.keys())
def reader(request):
    return request.param


def test_types_follow_from_all_values_not_from_the_first_block(csv, reader, small_blocks):
    early, late = "1,1,1,true,2020-01-01,,1,", "2,2.5,x,maybe,2020-01-01 10:30:00,7,,"
    path = csv("i,f,s,b,d,late,gap,void\n" + f"{early}\n" * 50 + f"{late}\n" * 50)
    table = reader(path)
    expected = {
        "i": "int64",
        "f": "double",
        "s": "string",
        "b": "string",
        "d": "timestamp[s]",
        "late": "int64",
        "gap": "int64",
        "void": "null",
    }
    assert {field.name: str(field.type) for field in table.schema} == expected
    assert table.slice(0, 1).to_pylist()[0] | {"d": None} == {
        "i": 1, "f": 1.0, "s": "1", "b": "true", "d": None, "late": None, "gap": 1, "void": None,
    }  # fmt: skip
    first_block_only = pc.open_csv(path, pc.ReadOptions(block_size=256)).schema  # positive control
    assert str(first_block_only.field("f").type) == "int64"


def test_whole_numbers_beyond_64_bits_are_text(csv, reader, small_blocks):
    rows = [f"{10**24 + i},{1e24 + i},{18446744073709551000 + i},{i}" for i in range(60)]
    table = reader(csv("\n".join(["long,amount,hash,i", *rows, ",,,", "-7,1.5,8,9"])))
    assert {field.name: str(field.type) for field in table.schema} == {
        "long": "string", "amount": "double", "hash": "string", "i": "int64",
    }  # fmt: skip
    assert table.column("long").to_pylist()[58:] == [str(10**24 + 58), str(10**24 + 59), None, "-7"]
    assert table.column("hash").to_pylist()[1] == "18446744073709551001"
    mixed = reader(csv("long\n" + f"{10**24}\n" * 30 + "0.5\n"))  # positive control: amounts stay numbers
    assert str(mixed.schema.field("long").type) == "double"


def test_both_ways_of_reading_agree_on_every_mixture_of_types(csv, small_blocks):
    values = ["", "1", "1.5", "true", "2020-01-01", "12:30:00", "2020-01-01 10:00:00", "2020-01-01 10:00:00.5", "text"]
    for one in values:
        for other in values:
            path = csv("a,n\n" + f"{one},1\n" * 60 + f"{other},1\n" * 60)
            assert csv_schema(path) == read_csv(path).schema, (one, other)


@pytest.mark.parametrize("text", subject.NULL_TEXTS)
@pytest.mark.parametrize("quote", ["", '"'])
def test_missing_values_in_numbers_and_text(csv, reader, text, quote):
    table = reader(csv(f"a,b\n{quote}{text}{quote},{quote}{text}{quote}\n1,x\n"))
    assert table.to_pydict() == {"a": [None, 1], "b": [None, "x"]}


@pytest.mark.parametrize("text", ["?", "None", "none", "0", "-", "NAN"])
def test_other_texts_are_values(csv, reader, text):
    assert reader(csv(f"a\n{text}\nx\n")).column("a").to_pylist() == [text, "x"]


def test_an_empty_line_is_a_missing_value_in_a_table_of_one_column_only(csv, reader):
    assert reader(csv("a\n1\n\n3\n")).column("a").to_pylist() == [1, None, 3]
    assert reader(csv("a,b\n1,2\n\n3,4\n")).num_rows == 2


def test_quotes_line_breaks_separators_marks_and_windows_line_ends(csv, reader, small_blocks):
    body = '"x ""y"", z","line\nbreak"\r\n' * 40
    table = reader(csv("\ufeffname,note\r\n" + body))
    assert table.column_names == ["name", "note"]
    assert table.num_rows == 40
    assert table.slice(39).to_pylist() == [{"name": 'x "y", z', "note": "line\nbreak"}]


@pytest.mark.parametrize("row", ["1", "1,2,3"])
def test_a_ragged_row_is_numbered_and_not_shown(csv, reader, small_blocks, row):
    path = csv("age,city\n" + "31,Rome\n" * 100 + f"{row.replace('1', 'secret')}\n" + "31,Rome\n" * 100)
    with pytest.raises(DataError, match=r"2 values wide, as the header is. Got [13] in row 102") as caught:
        reader(path)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_another_separator_is_recognised(csv, reader, separator):
    with pytest.raises(DataError, match="must be separated by commas"):
        reader(csv(f"age{separator}city\n31{separator}Rome\n"))


@pytest.mark.parametrize("text", [b"age,city\n31,K\xf6ln\n", "age,city\n31,Rome\n".encode("utf-16")])
def test_another_encoding_is_refused(csv, reader, text):
    with pytest.raises(DataError, match="must be UTF-8 text"):
        reader(csv(text))


@pytest.mark.parametrize("text", ["", "\n", "\n\na,b\n1,2\n"])
def test_a_file_without_a_header_is_refused(csv, reader, text):
    with pytest.raises(DataError, match="must be a CSV file with a header"):
        reader(csv(text))


def test_a_header_alone_is_an_empty_table(csv):
    assert read_csv(csv("a,b\n")).num_rows == 0
    assert csv_schema(csv("a,b\n")).names == ["a", "b"]
    assert sum(b.num_rows for b in csv_batches(csv("a,b\n"), 5)) == 0


def test_a_row_longer_than_pyarrows_usual_block(csv, reader):
    long = "x" * 3_000_000
    assert reader(csv(f"a,b\n1,{long}\n")).column("b").to_pylist() == [long]
