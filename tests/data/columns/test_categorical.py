"""Levels, their pool and missing values: what encodes as what, and what comes back."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import NumericalError
from withhold.data.columns.categorical import CategoricalColumn

POOLED = CategoricalColumn(name="job", type="string", levels=["a", "b"], pooled=True, stand_in="rare", missing="null")
PLAIN = CategoricalColumn(name="job", type="string", levels=["a", "b"], usual=1)


def text(*values: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, pa.string())])


def test_one_feature_a_level_the_pool_and_missing() -> None:
    out = np.zeros((4, POOLED.width), dtype=np.float32)
    POOLED.encode(text("b", None, "unheard", "a"), out)
    assert out.tolist() == [[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0]]
    assert POOLED.decode(out).to_pylist() == ["b", None, "rare", "a"]


def test_without_a_pool_the_unheard_and_the_missing_are_the_usual_level() -> None:
    assert PLAIN.cells(text("a", None, "unheard")).tolist() == [0, 1, 1]
    assert PLAIN.width == PLAIN.cell_count == 2


def test_the_unheard_is_missing_where_the_column_has_missing_values() -> None:
    column = CategoricalColumn(name="job", type="string", levels=["a", "b"], usual=1, missing="null")
    assert column.from_cells(column.cells(text("a", None, "unheard")), None).to_pylist() == ["a", None, None]


def test_the_largest_feature_decides() -> None:
    assert PLAIN.decode(np.array([[0.2, 0.1], [-3.0, -2.0]])).to_pylist() == ["a", "b"]
    with pytest.raises(NumericalError, match="'job'"):
        PLAIN.decode(np.array([[0.2, np.nan]]))


def test_a_dictionary_keeps_its_categories_whatever_the_order_in_a_chunk() -> None:
    kind = pa.dictionary(pa.int8(), pa.string())
    column = CategoricalColumn(
        name="job", type=str(kind), levels=["a", "b"], categories=["c", "b", "a"], missing="null"
    )
    codes = pa.array([0, 1, None], pa.int8())
    chunks = [pa.DictionaryArray.from_arrays(codes, words) for words in (["a", "b"], ["b", "a"])]
    cells = column.cells(pa.chunked_array(chunks))
    assert cells.tolist() == [0, 1, 2, 1, 0, 2]
    back = column.from_cells(cells, None)
    assert back.type == kind
    assert back.dictionary.to_pylist() == ["c", "b", "a"]
    assert back.to_pylist() == ["a", "b", None, "b", "a", None]


def test_missing_floats_come_back_as_they_were_written() -> None:
    for missing, known in (("nan", False), ("null", True)):
        column = CategoricalColumn(name="grade", type="double", levels=[1.0, 2.0], missing=missing)
        back = column.from_cells(np.array([1, 2]), None)
        assert (back.null_count == 1) == known
        assert back.to_pylist()[0] == 2.0
        assert back.is_null(nan_is_null=True).to_pylist() == [False, True]
