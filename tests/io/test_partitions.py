"""Folders of parts below folders named by values are one table."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from withhold.contracts.errors import DataError, FileError
from withhold.io.tables import count_rows, digest, read_table, table_batches

VALUES = {"year": [2023, 2023, 2024], "site": ["a b", "c", "c"], "n": [1, 2, 3]}


@pytest.mark.parametrize("names", [["year"], ["year", "site"]])
def test_hive_folders(tmp_path, names):
    pq.write_to_dataset(pa.table(VALUES), tmp_path / "d", partition_cols=names)
    table = read_table(tmp_path / "d")
    assert sorted(zip(*(table.column(name).to_pylist() for name in VALUES), strict=True)) == sorted(
        zip(*VALUES.values(), strict=True)
    )
    assert table.schema.field("year").type == pa.int64()
    batches = list(table_batches(tmp_path / "d", 2))
    assert [batch.num_rows for batch in batches] == [2, 1]
    assert pa.Table.from_batches(batches).to_pydict() == table.to_pydict()
    assert count_rows(tmp_path / "d") == 3
    assert len(digest(tmp_path / "d")) == 64


def test_values_of_folders_that_are_text_or_missing(tmp_path):
    for folder, n in (("zip=02116", 1), ("zip=90210", 2), ("zip=__HIVE_DEFAULT_PARTITION__", 3)):
        (tmp_path / folder).mkdir()
        pq.write_table(pa.table({"n": [n]}), tmp_path / folder / "0.parquet")
    assert read_table(tmp_path).to_pydict() == {"n": [1, 2, 3], "zip": ["02116", "90210", None]}


def test_parts_of_other_columns_and_strangers(tmp_path):
    for folder in ("a=1", "b=1"):
        (tmp_path / folder).mkdir()
        pq.write_table(pa.table({"n": [1]}), tmp_path / folder / "0.parquet")
    with pytest.raises(DataError, match="has another schema"):
        read_table(tmp_path)
    (tmp_path / "notes").mkdir()
    with pytest.raises(FileError, match="name folders of partitions like year=2024"):
        read_table(tmp_path)
