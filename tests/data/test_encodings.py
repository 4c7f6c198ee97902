import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from withhold.contracts.errors import DataError
from withhold.data.arrow_types import encoded_again, plain_encodings

COLUMNS = {
    "views": pa.array(["a", None, "b", "b"], pa.string_view()),
    "bytes": pa.array([b"a", None, b"", b"b"], pa.binary_view()),
    "runs": pc.run_end_encode(pa.array([1, 1, None, 2])),
    "short runs": pc.run_end_encode(pa.array(["x", "x", "x", "y"]), run_end_type=pa.int16()),
    "runs of halves": pc.run_end_encode(pa.array(np.array([1, 1, 2, 2], np.float16))),
    "labels of views": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 0], pa.int8()), pa.array(["a", "b", "unused"], pa.string_view())
    ),
    "labels of halves": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 0], pa.int8()), pa.array(np.array([0.5, 2.5, 3], np.float16)), ordered=True
    ),
    "labels of nothing": pa.DictionaryArray.from_arrays(pa.nulls(4, pa.int8()), pa.nulls(0)),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_rows_can_be_taken_and_the_encoding_comes_back(name):
    table = pa.table({name: pa.chunked_array([COLUMNS[name], COLUMNS[name].slice(1, 2)])})
    plain = plain_encodings(table)
    plain = plain.unify_dictionaries().combine_chunks()
    assert plain.take(pa.array([5, 0]))[name].to_pylist() == [table[name].to_pylist()[row] for row in (5, 0)]
    back = encoded_again(plain)
    back.validate(full=True)
    assert back.schema.equals(table.schema, check_metadata=True)
    assert back[name].to_pylist() == table[name].to_pylist()


def test_more_rows_than_a_run_counts_come_back_in_pieces():
    n = np.iinfo(np.int16).max + 10
    runs = pa.chunked_array([pc.run_end_encode(pa.array(np.arange(9) // 3), run_end_type=pa.int16())])
    plain = plain_encodings(pa.table({"a": runs})).take(pa.array(np.arange(n) % 9))
    back = encoded_again(plain)["a"]
    assert (back.type, len(back), back.num_chunks) == (runs.type, n, 2)
    assert pc.run_end_decode(back).to_numpy().tolist() == (np.arange(n) % 9 // 3).tolist()


def test_other_tables_stay_as_they_are():
    table = pa.table({"a": [1], "b": [[1]], "c": pa.array(["x"]).dictionary_encode()})
    assert plain_encodings(table) is table
    assert encoded_again(table) is table


@pytest.mark.parametrize("kind", [pa.struct([("a", pa.string_view())]), pa.list_(pa.list_(pa.binary_view()))])
def test_views_inside_other_values_are_refused_by_name(kind):
    with pytest.raises(DataError, match=r"Column 'deep' of X is stored as .*view.* or drop it\."):
        plain_encodings(pa.table({"deep": pa.nulls(2, kind)}))
