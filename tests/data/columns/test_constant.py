"""One value, sometimes missing, or nothing at all: type and missing values come back as they were."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.data.columns.constant import ConstantColumn


def back(column: ConstantColumn, values: pa.ChunkedArray) -> pa.Array:
    out = np.zeros((len(values), column.width), dtype=np.float32)
    column.encode(values, out)
    decoded = column.decode(out)
    assert decoded.equals(column.from_cells(column.cells(values), None)) or column.missing == "nan"
    return decoded


def test_a_flag_only_where_the_value_can_be_missing() -> None:
    assert ConstantColumn(name="a", type="int64", value=7).width == 0
    flagged = ConstantColumn(name="a", type="int64", value=7, missing="null")
    assert (flagged.width, flagged.cell_count) == (1, 2)
    assert back(flagged, pa.chunked_array([[7, None, 7]])).to_pylist() == [7, None, 7]
    # The type and the value are the column's, not those of the rows it is given.
    assert back(ConstantColumn(name="a", type="int8", value=7), pa.chunked_array([[3, 4]])).type == pa.int8()
    assert back(ConstantColumn(name="a", type="int8", value=7), pa.chunked_array([[3, 4]])).to_pylist() == [7, 7]


def test_nan_stays_nan() -> None:
    column = ConstantColumn(name="a", type="double", value=0.5, missing="nan")
    decoded = back(column, pa.chunked_array([[0.5, float("nan")]]))
    assert decoded.null_count == 0
    assert np.isnan(decoded.to_numpy()).tolist() == [False, True]


def test_half_floats_are_counted_and_stay_nan() -> None:
    values = pa.chunked_array([pa.array(np.array([0.5, np.nan, 2.0], np.float16), from_pandas=False)])
    column, tally = ConstantColumn(name="a", type="halffloat", value=0.5, missing="nan"), None
    tally = column.tally()
    out = np.zeros((3, 1), dtype=np.float32)
    column.encode(values, out, tally)
    assert (tally.rows, tally.missing, tally.unseen, tally.cells.tolist()) == (3, 1, 1, [1])
    decoded = column.decode(out)
    assert decoded.type == pa.float16()
    assert np.isnan(decoded.to_numpy(zero_copy_only=False)).tolist() == [False, True, False]


@pytest.mark.parametrize("kind", ["string", "null", "double"])
def test_nothing_known(kind: str) -> None:
    column = ConstantColumn(name="a", type=kind, missing="null")
    decoded = back(column, pa.chunked_array([pa.nulls(3, column.arrow_type)]))
    assert decoded.type == column.arrow_type
    assert decoded.null_count == 3


def test_a_dictionary_keeps_categories_that_never_occur() -> None:
    kind = pa.dictionary(pa.int32(), pa.string())
    column = ConstantColumn(name="a", type=str(kind), value="b", missing="null", categories=["a", "b"])
    values = pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int32()), ["b"])])
    decoded = back(column, values)
    assert decoded.to_pylist() == ["b", None]
    assert decoded.dictionary.to_pylist() == ["a", "b"]
