import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from withhold.contracts.errors import DataError, FileError, InvalidParameterError, WithholdError
from withhold.io.tables import count_rows, read_table, row_count, table_batches, write_table

FRAME = pd.DataFrame(
    {
        "age": pd.array([31, None, 45], dtype="Int64"),
        "pay": [1.5, np.nan, -2.25],
        "city": pd.Categorical(["b", None, "b"], categories=["a", "b"], ordered=True),
        "name": ["é", "", 'q"u,o\nte'],
        "seen": pd.to_datetime(["2020-01-02", "2021-03-04", None]),
        "ok": [True, False, True],
        "small": np.array([1, 2, 3], np.int8),
        "half": np.array([0.5, 1, 2], np.float32),
    },
)
# Parquet itself has no dictionaries of large_string (pandas 3's); it returns dictionaries of string.
CITY = pa.dictionary(pa.int8(), pa.string(), ordered=True)
TABLE = pa.Table.from_pandas(FRAME)
TABLE = TABLE.cast(TABLE.schema.set(2, pa.field("city", CITY)))


@pytest.mark.parametrize("suffix", [".parquet", ".pq", ".feather", ".arrow", ".PARQUET"])
def test_typed_formats_keep_every_dtype_and_the_metadata_of_pandas(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    write_table(path, TABLE)
    again = read_table(path)
    assert again.schema.equals(TABLE.schema, check_metadata=True)
    assert again.equals(TABLE)
    pd.testing.assert_frame_equal(again.to_pandas(), TABLE.to_pandas())


def test_csv_keeps_values_and_plain_types(tmp_path):
    write_table(tmp_path / "a.csv", TABLE)
    again = read_table(tmp_path / "a.csv").to_pydict()
    assert again["age"] == [31, None, 45]
    assert again["pay"] == [1.5, None, -2.25]
    assert again["city"] == ["b", None, "b"]
    assert again["name"] == ["é", None, 'q"u,o\nte']  # an empty text is a missing one in CSV, as for pandas
    assert again["seen"] == [dt.datetime(2020, 1, 2), dt.datetime(2021, 3, 4), None]
    assert again["ok"] == [True, False, True]


def test_csv_of_pandas_and_polars_are_read_alike(tmp_path):
    FRAME.to_csv(tmp_path / "pandas.csv", index=False)
    pl.from_pandas(FRAME).write_csv(tmp_path / "polars.csv")
    for name in ("age", "pay", "city", "ok", "small", "half"):
        ours = read_table(tmp_path / "pandas.csv").column(name).to_pylist()
        assert ours == read_table(tmp_path / "polars.csv").column(name).to_pylist()
        assert ours == pa.table(TABLE).column(name).to_pylist() or name == "pay"


def test_files_of_polars_are_read(tmp_path):
    frame = pl.DataFrame({"a": [1, 2], "c": ["u", "v"]}).with_columns(pl.col("c").cast(pl.Categorical))
    frame.write_ipc(tmp_path / "a.feather")
    frame.write_parquet(tmp_path / "a.parquet")
    for suffix in (".feather", ".parquet"):
        assert pl.from_arrow(read_table(tmp_path / f"a{suffix}")).cast({"c": pl.String}).rows() == [(1, "u"), (2, "v")]


def test_a_streamed_arrow_file_is_read(tmp_path):
    with pa.ipc.new_stream(str(tmp_path / "s.arrow"), TABLE.schema) as writer:
        writer.write_table(TABLE)
    assert read_table(tmp_path / "s.arrow").equals(TABLE)
    assert [b.num_rows for b in table_batches(tmp_path / "s.arrow", 2)] == [2, 1]


@pytest.fixture
def many():
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "x": rng.normal(size=1000).astype(np.float32),
            "c": pa.array(rng.choice(list("abc"), 1000)).dictionary_encode(),
            "i": np.arange(1000),
        }
    )


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv", ".npz"])
@pytest.mark.parametrize("rows", [1000, 999, 64, 5000])
def test_batches_have_the_asked_size_and_hold_the_whole_table_in_order(tmp_path, many, suffix, rows):
    path = tmp_path / f"a{suffix}"
    if suffix == ".parquet":
        pq.write_table(many, path, row_group_size=130)  # does not divide the batches
    else:
        write_table(path, many)
    batches = list(table_batches(path, rows))
    assert [b.num_rows for b in batches] == [min(rows, 1000 - start) for start in range(0, 1000, rows)]
    whole = pa.Table.from_batches(batches).unify_dictionaries()
    assert whole.column("i").to_pylist() == list(range(1000))
    assert whole.column("c").to_pylist() == many.column("c").to_pylist()
    np.testing.assert_array_equal(whole.column("x").to_numpy().astype(np.float32), many.column("x").to_numpy())
    assert whole.schema.equals(read_table(path).schema)


def test_a_folder_of_parts_is_read_in_order_of_names(tmp_path, many):
    for number, name in ((1, "part-1.parquet"), (0, "part-0.parquet")):
        write_table(tmp_path / name, many.slice(500 * number, 500))
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-2.parquet.crc").touch()
    assert read_table(tmp_path).column("i").to_pylist() == list(range(1000))
    assert row_count(tmp_path) == 1000
    assert [b.num_rows for b in table_batches(tmp_path, 300)] == [300, 300, 300, 100]


def test_parts_with_another_schema_are_named(tmp_path, many):
    write_table(tmp_path / "a.parquet", many)
    write_table(tmp_path / "b.parquet", many.set_column(0, "x", pa.nulls(1000, pa.float64())))
    for read in (read_table, lambda p: list(table_batches(p, 10))):
        with pytest.raises(DataError, match=r"'b.parquet' has another schema than 'a.parquet' \(x: double"):
            read(tmp_path)


def test_row_count_is_known_without_reading_for_parquet_only(tmp_path, many):
    write_table(tmp_path / "a.parquet", many)
    write_table(tmp_path / "a.csv", many)
    assert row_count(tmp_path / "a.parquet") == 1000
    assert row_count(tmp_path / "a.csv") is None


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.feather", "a.npz"])
def test_rows_are_counted_in_every_format(tmp_path, name):
    table = pa.table({"x": np.arange(300.0), "y": np.arange(300)})
    write_table(tmp_path / name, table)
    assert count_rows(tmp_path / name) == 300


def test_a_record_of_several_lines_is_one_and_an_empty_line_is_none(tmp_path):
    (tmp_path / "a.csv").write_text('a,b\n1,"two\nlines"\n\n2,x\n')
    (tmp_path / "one.csv").write_text("a\n1\n\n2\n")  # of one column an empty line is a missing value
    for name, rows in (("a.csv", 2), ("one.csv", 3)):
        assert count_rows(tmp_path / name) == rows == read_table(tmp_path / name).num_rows


READERS = {
    "read_table": read_table,
    "table_batches": lambda path: list(table_batches(path, 10)),
    "row_count": row_count,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
@pytest.mark.parametrize("name", ["absent.parquet", "a.docx", "noname", "folder", "nested"])
def test_what_is_no_table_is_a_file_error(tmp_path, reader, name):
    (tmp_path / "a.docx").write_bytes(b"x")
    (tmp_path / "noname").write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "nested" / "year=2020").mkdir(parents=True)
    with pytest.raises(FileError, match=rf"'.*{name}'") as caught:
        reader(tmp_path / name)
    assert caught.value.exit_code == 3


def test_images_are_a_table_only_with_labels(tmp_path):
    (tmp_path / "1.png").write_bytes(b"x")
    with pytest.raises(FileError, match="--labels FILE"):
        read_table(tmp_path)


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".npz", ".csv"])
def test_garbage_and_empty_files_are_data_errors(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    for garbage in (b"", b"\x00\xff\xfe\x80" * 300):
        path.write_bytes(garbage)
        for reader in (read_table, lambda p: list(table_batches(p, 10))):
            with pytest.raises(DataError, match=rf"^'.*a\{suffix}' (is not|has no) "):
                reader(path)


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".npz"])
def test_files_cut_short_anywhere_are_data_errors(tmp_path, many, suffix):
    path = tmp_path / f"a{suffix}"
    write_table(path, many)
    raw = path.read_bytes()
    for length in range(1, len(raw), max(1, len(raw) // 60)):
        path.write_bytes(raw[:length])
        for reader in (read_table, lambda p: list(table_batches(p, 10))):
            with pytest.raises(DataError, match="is not a readable"):
                reader(path)


@pytest.mark.parametrize("suffix", [".parquet", ".npz"])
def test_changed_bytes_are_found_or_harmless_where_the_format_has_checksums(tmp_path, many, suffix):
    path = tmp_path / f"a{suffix}"
    write_table(path, many)
    raw = path.read_bytes()
    found = 0
    for place in np.random.default_rng(0).integers(0, len(raw), 150):
        changed = bytearray(raw)
        changed[place] ^= 0x55
        path.write_bytes(changed)
        try:
            table = read_table(path)
        except WithholdError:
            found += 1
        else:
            assert table.column(0).equals(many.column(0)) or table.column_names != many.column_names
    assert found > 100


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv"])
def test_two_columns_of_one_name_are_refused(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["age", "age"])
    if suffix == ".parquet":
        pq.write_table(table, path)
    elif suffix == ".csv":
        pc.write_csv(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)
    for reader in (read_table, lambda p: list(table_batches(p, 10))):
        with pytest.raises(DataError, match=r"has 2 columns named 'age'"):
            reader(path)
    with pytest.raises(DataError, match="2 columns named"):
        write_table(path, table)


def test_an_unreadable_file_is_a_file_error(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    write_table(tmp_path / "a.csv", TABLE)
    monkeypatch.setattr("withhold.io.tables.read_csv", refuse)
    with pytest.raises(FileError, match=r"Cannot read '.*a\.csv': Permission denied\."):
        read_table(tmp_path / "a.csv")


def test_options_for_other_kinds_of_files_are_refused(tmp_path):
    write_table(tmp_path / "a.csv", TABLE)
    with pytest.raises(InvalidParameterError, match=r"--array .* only applies to"):
        read_table(tmp_path / "a.csv", array="x")
    with pytest.raises(InvalidParameterError, match="only applies to a folder of images"):
        read_table(tmp_path / "a.csv", labels="labels.csv")
    with pytest.raises(InvalidParameterError, match="rows must be at least 1"):
        list(table_batches(tmp_path / "a.csv", 0))


@pytest.mark.data
@pytest.mark.parametrize("name", ["adult", "german_credit", "compas_two_years", "diabetes_130_hospitals"])
def test_real_tables_survive_the_way_through_csv_and_feather(research_table, tmp_path, name):
    write_table(tmp_path / "a.parquet", research_table(name))
    table = read_table(tmp_path / "a.parquet")
    write_table(tmp_path / "a.feather", table)
    assert read_table(tmp_path / "a.feather").equals(table)
    write_table(tmp_path / "a.csv", table)
    again = read_table(tmp_path / "a.csv")
    assert again.num_rows == table.num_rows
    assert again.column_names == table.column_names
    for column, before in zip(again.columns, table.columns, strict=True):
        assert column.null_count >= before.null_count
        assert pa.types.is_integer(column.type) == pa.types.is_integer(before.type) or before.null_count
