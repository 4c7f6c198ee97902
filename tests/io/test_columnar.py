import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from withhold.contracts.errors import DataError
from withhold.io.columnar import columnar_batches, columnar_rows, columnar_schema, read_columnar

TABLE = pa.table({"a": np.arange(1000), "b": pa.array(["u", "v"] * 500).dictionary_encode()})


def written(path, table):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


@pytest.fixture(params=[".parquet", ".feather"])
def path(tmp_path, request):
    path = tmp_path / f"a{request.param}"
    if request.param == ".parquet":
        pq.write_table(TABLE, path, row_group_size=300)
    else:
        with pa.ipc.new_file(str(path), TABLE.schema) as writer:
            writer.write_table(TABLE, max_chunksize=300)
    return path


def test_whole_and_batches_and_schema_agree(path):
    assert read_columnar(path).equals(TABLE)
    batches = list(columnar_batches(path, 128))
    assert max(b.num_rows for b in batches) <= 128
    assert pa.Table.from_batches(batches).equals(TABLE)
    assert columnar_schema(path).equals(TABLE.schema)


def test_rows_are_known_for_parquet(path):
    assert columnar_rows(path) == (1000 if path.suffix == ".parquet" else None)


def test_names_of_the_other_format_do_not_help(path):
    other = path.with_suffix(".feather" if path.suffix == ".parquet" else ".parquet")
    path.rename(other)
    with pytest.raises(DataError, match="is not a readable"):
        read_columnar(other)


def test_wrong_offsets_in_an_arrow_file_are_found_not_followed(tmp_path):
    path = tmp_path / "a.feather"
    schema = pa.schema({"s": pa.string()})
    with pa.ipc.new_file(str(path), schema) as writer:
        writer.write_table(pa.table({"s": ["a", "bcdefgh"]}))
    raw = bytearray(path.read_bytes())
    good = np.array([0, 1, 8], np.int32).tobytes()
    assert raw.count(good) == 1
    path.write_bytes(raw.replace(good, np.array([0, 2_000_000_000, 8], np.int32).tobytes()))
    for read in (read_columnar, lambda p: list(columnar_batches(p, 10))):
        with pytest.raises(DataError, match="is not a readable"):
            read(path)


def test_memory_does_not_grow_with_the_row_group(tmp_path):
    pool = pa.default_memory_pool()
    table = pa.table({f"x{j}": np.random.default_rng(j).normal(size=200_000) for j in range(16)})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=200_000, use_dictionary=False)
    size = table.nbytes
    del table
    before = pool.bytes_allocated()
    peak = max(pool.bytes_allocated() - before for _ in columnar_batches(tmp_path / "a.parquet", 4096))
    assert peak < size / 2


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_text_that_is_not_utf8_is_refused_by_column(suffix, tmp_path):
    path = tmp_path / f"a.{suffix}"
    written(path, pa.table({"n": [1, 2], "drink": pa.array([b"th\xe9", b"x"]).view(pa.string())}))
    for read in (lambda: read_columnar(path), lambda: list(columnar_batches(path, 1))):
        with pytest.raises(DataError, match=r"Column 'drink' of '.*' holds text that is not UTF-8"):
            read()


def test_dictionaries_of_lists_are_read_as_lists(tmp_path):
    path, n = tmp_path / "a.arrow", 3
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([[1], [2, 3]]))
    written(path, pa.table({"a": coded}))
    assert read_columnar(path).to_pydict() == {"a": [[1], [2, 3], [1]]}
    assert columnar_schema(path) == read_columnar(path).schema
    assert sum(batch.num_rows for batch in columnar_batches(path, 2)) == n
