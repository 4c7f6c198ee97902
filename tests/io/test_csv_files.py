import pyarrow as pa
import pyarrow.csv as pc
import pytest

from withhold.contracts.errors import DataError
from withhold.io import csv_files as subject
from withhold.io.csv_files import csv_batches, csv_schema, read_csv


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
    with pytest.raises(DataError, match=r"has [13] values in row 102 .* but 2 in the header") as caught:
        reader(path)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n", "\n\na,b\n1,2\n"])
def test_a_file_without_a_header_is_refused(csv, reader, text):
    with pytest.raises(DataError, match="has no header"):
        reader(csv(text))


def test_a_header_alone_is_an_empty_table(csv):
    assert read_csv(csv("a,b\n")).num_rows == 0
    assert csv_schema(csv("a,b\n")).names == ["a", "b"]
    assert sum(b.num_rows for b in csv_batches(csv("a,b\n"), 5)) == 0


def test_a_row_longer_than_pyarrows_usual_block(csv, reader):
    long = "x" * 3_000_000
    assert reader(csv(f"a,b\n1,{long}\n")).column("b").to_pylist() == [long]


CODES = [["02116", "90210", "10001"], ["250.00", "007.1", "401.9"], ["000012", "17", "4"], ["-01", "-7", "0"]]


@pytest.mark.parametrize("codes", CODES)
def test_a_leading_zero_in_any_row_makes_the_column_text(csv, reader, small_blocks, codes):
    padded = next(code for code in codes if code.lstrip("-").startswith("0") and code != "0")
    others = [code for code in codes if code != padded]
    table = reader(csv("id,code\n" + "\n".join(f"{i},{c}" for i, c in enumerate([*others * 60, padded]))))
    assert table.column("code").to_pylist() == [*others * 60, padded]
    assert str(table.schema.field("id").type) == "int64"
    without = reader(csv("code\n" + "\n".join(others * 60)))  # positive control
    assert pa.types.is_integer(without.schema.field(0).type) or pa.types.is_floating(without.schema.field(0).type)


@pytest.mark.parametrize("text", ["0", "0.05", "-0.5", "0e3", "00:30:00", "2020-01-01"])
def test_zeros_that_are_no_padding(csv, reader, text):
    assert not pa.types.is_string(reader(csv(f"a,b\n{text},x\n")).schema.field("a").type)


TYPED = {
    "whole": read_csv,
    "batches": lambda path, types: pa.Table.from_batches(list(csv_batches(path, 7, types)), csv_schema(path, types)),
}


@pytest.mark.parametrize("read", TYPED.values(), ids=TYPED.keys())
def test_known_types_hold_as_far_as_the_values_allow(csv, read, small_blocks):
    types = {
        "ward": pa.string(),
        "icd9": pa.large_string(),
        "note": pa.string(),
        "lab": pa.float32(),
        "day": pa.timestamp("s"),
        "zip": pa.int64(),
        "unfit": pa.int8(),
        "half": pa.float16(),
        "absent": pa.string(),
    }
    row = "12,250.00,true,1,2020-01-01,02116,{},5,7\n"
    path = csv("ward,icd9,note,lab,day,zip,unfit,half,new\n" + row.format(1) * 50 + row.format("0.5") * 50)
    found = {field.name: str(field.type) for field in read(path, types).schema}
    assert found == {
        "ward": "string", "icd9": "large_string", "note": "string", "lab": "float", "day": "timestamp[s]",
        "zip": "int64", "unfit": "double", "half": "int64", "new": "int64",
    }  # fmt: skip
    assert read(path, types).slice(0, 1).to_pylist()[0]["icd9"] == "250.00"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_quoted_line_break_in_the_header(csv, reader, end):
    table = reader(csv(f'"height{end}(cm)","say ""x"", y",height 5"{end}170.5,f,1{end}180.1,m,2{end}'))
    assert table.column_names == [f"height{end}(cm)", 'say "x", y', 'height 5"']
    assert table.num_rows == 2


def test_a_header_that_never_ends(csv, reader):
    with pytest.raises(DataError, match="readable CSV"):
        reader(csv('a,"b\n' + "1,2\n" * 100_000))
