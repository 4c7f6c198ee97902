"""Embeddings as lists in Parquet become columns where a fit reads them; an audit reads what is stored."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from withhold.contracts.errors import DataError
from withhold.io import lists
from withhold.io.lists import spread_lists
from withhold.io.reading import Reading
from withhold.io.tables import read_table, table_batches

KINDS = [pa.list_(pa.float32()), pa.list_(pa.float64(), 3), pa.large_list(pa.float16()), pa.list_(pa.int64())]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_lists_of_one_length(tmp_path, kind):
    values = np.arange(12).reshape(4, 3)
    rows = [list(map(kind.value_type.to_pandas_dtype(), row)) for row in values]
    table = pa.table({"s": ["f", "m", "f", "m"], "e": pa.array(rows, kind)})
    pq.write_table(table, tmp_path / "a.parquet")
    spread = read_table(tmp_path / "a.parquet", reading=Reading(spread=True))
    assert spread.column_names == ["s", "x0", "x1", "x2"]
    assert np.array_equal(np.column_stack([spread.column(f"x{j}").to_numpy() for j in range(3)]), values)
    batches = list(table_batches(tmp_path / "a.parquet", 3, reading=Reading(spread=True)))
    assert pa.Table.from_batches(batches).combine_chunks().equals(spread.combine_chunks())
    assert read_table(tmp_path / "a.parquet").schema.field("e").type == kind  # positive control


def test_names_and_lists_that_stay():
    several = pa.table({"a": [[1.0, 2.0]], "b": [[3.0]], "text": [["x"]]})
    assert spread_lists(several, "t").column_names == ["a_0", "a_1", "b_0", "text"]
    taken = pa.table({"x0": [1], "e": [[1.0]]})
    assert spread_lists(taken, "t").column_names == ["x0", "e_0"]
    ragged = pa.table({"e": [[1.0, 2.0], [3.0]]})
    assert spread_lists(ragged, "t") is ragged
    gaps = pa.table({"e": pa.array([[1.0, None], None])})
    assert spread_lists(gaps, "t").to_pydict() == {"x0": [1.0, None], "x1": [None, None]}


def test_lists_too_long_for_columns(monkeypatch):
    monkeypatch.setattr(lists, "_MOST_ENTRIES", 3)
    with pytest.raises(DataError, match="has lists of 4 numbers; at most 3 become columns"):
        spread_lists(pa.table({"e": [[1.0] * 4]}), "t.parquet")
