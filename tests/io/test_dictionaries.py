import numpy as np
import pyarrow as pa
import pytest

from withhold.io.columnar import unified, unified_table
from withhold.io.tables import table_batches, write_table

LEVELS = [
    pa.array(["a", "b", "c"]),
    pa.array(["a", "b", "c"], pa.string_view()),
    pa.array(np.array([0.5, 1.5, 2.5], np.float16)),
    pa.array([True, False]),
    pa.nulls(0),
]


@pytest.mark.parametrize("levels", LEVELS, ids=lambda levels: str(levels.type))
def test_values_stay_and_the_dictionary_is_one(levels, tmp_path):
    kind = pa.dictionary(pa.int8(), levels.type, ordered=True)
    codes = pa.array([0, None, 1] if len(levels) else [None] * 3, pa.int8())
    turned = pa.array(levels.to_pylist()[::-1], levels.type)
    chunks = [pa.DictionaryArray.from_arrays(codes, part, ordered=True) for part in (levels, turned)]
    column = pa.chunked_array(chunks, kind)
    whole = unified(column)
    assert whole.type == kind
    assert whole.to_pylist() == column.to_pylist()
    assert whole.chunk(0).dictionary.equals(whole.chunk(1).dictionary)
    table = unified_table(pa.table({"a": column, "b": range(6)})).combine_chunks()
    assert table["a"].to_pylist() == column.to_pylist()
    write_table(tmp_path / "a.arrow", pa.table({"a": column}))
    (batch,) = table_batches(tmp_path / "a.arrow", 10)
    assert batch.column("a").to_pylist() == column.to_pylist()
