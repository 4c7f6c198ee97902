import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import torch
from hypothesis import HealthCheck, given, settings

from data.table_strategies import tables
from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.data.frames import from_arrow, to_frame
from withhold.methods.leace.leace import LEACE

QUICK = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(tables())
def test_arrow_is_taken_as_it_is(table):
    assert to_frame(table).table is table
    assert to_frame(table).native() is table


@QUICK
@given(tables())
def test_polars_comes_back_as_it_was(table):
    frame = pl.from_arrow(table.select([c for c in table.column_names if table[c].type != pa.float16()]))
    read = to_frame(frame)
    assert read.container == "polars"
    assert read.native().equals(frame)
    assert read.native().schema == frame.schema


@QUICK
@given(tables())
def test_pandas_comes_back_as_it_was(table):
    frame = table.to_pandas()
    read = to_frame(frame)
    assert read.container == "pandas"
    pd.testing.assert_frame_equal(read.native(), frame)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float32", "float64", "bool"])
def test_arrays_and_tensors_keep_their_dtype(dtype):
    array = np.arange(6).reshape(3, 2).astype(dtype)
    assert to_frame(array).native().dtype == dtype
    np.testing.assert_array_equal(to_frame(array).native(), array)
    tensor = torch.from_numpy(array)
    assert to_frame(tensor).native().equal(tensor)


def test_other_inputs():
    assert to_frame(pl.LazyFrame({"a": [1]})).container == "polars"
    assert to_frame(pa.record_batch({"a": pa.array([1])})).table.num_rows == 1
    frame = to_frame(pd.DataFrame({"a": [1]}))
    assert to_frame(frame) is frame
    assert to_frame(pd.DataFrame(index=range(3))).n_rows == 3
    assert from_arrow(to_frame(np.empty((3, 0))).table, "numpy").shape == (3, 0)


def test_row_labels_come_back_where_they_fit():
    frame = to_frame(pd.DataFrame({"a": [1, 2]}, index=["x", "y"]))
    assert frame.native().index.tolist() == ["x", "y"]
    assert frame.native(frame.table.slice(0, 1)).index.tolist() == [0]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.zeros(3), "2-d array"),
        (np.zeros((2, 2), dtype=complex), "real numbers"),
        ([[1, 2]], "X is a list"),
        ({"a": [1]}, "X is a dict"),
        (None, "X is a NoneType"),
        (scipy.sparse.csr_array(np.eye(2)), "toarray"),
    ],
)
def test_what_is_no_table_is_refused(bad, words):
    with pytest.raises(InvalidTypeError, match=words):
        to_frame(bad)


@pytest.mark.parametrize(
    ("tensor", "remedy"),
    [
        (torch.ones(2, 2).to(torch.float8_e4m3fn), r"x\.float\(\)"),
        (torch.ones(2, 4, 4).to(torch.float8_e4m3fn), r"x\.float\(\)"),
        (torch.eye(2).to_sparse(), r"x\.to_dense\(\)"),
    ],
)
def test_tensors_that_are_no_arrays_say_what_to_type(tensor, remedy):
    with pytest.raises(InvalidTypeError, match=f"^X is a .*Pass {remedy}\\.$"):
        to_frame(tensor)
    with pytest.raises(InvalidTypeError, match=f"Pass {remedy}"):
        LEACE().fit(tensor, sensitive_features=[0, 1])


@pytest.mark.parametrize("shape", [(40, 3), (40, 4, 4)])
def test_embeddings_in_bfloat16_are_read_as_they_are(shape):
    values = torch.randn(shape, generator=torch.Generator().manual_seed(0)).to(torch.bfloat16)
    frame = to_frame(values)
    assert torch.equal(frame.native(), values.float())
    if len(shape) == 2:
        s = [0, 1] * 20
        released = LEACE().fit(values, sensitive_features=s).transform(values)
        assert torch.equal(released, LEACE().fit(values.float(), sensitive_features=s).transform(values.float()))


def test_columns_that_pandas_holds_as_arrow_alone():
    union = pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([1, 2])])
    frame = pd.DataFrame({"a": pd.Series(union, dtype=pd.ArrowDtype(union.type))})
    assert to_frame(frame).table["a"].type == union.type


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Two columns of X are called 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), "Two columns of X are called 'a'"),
        (pd.DataFrame([[1, 2]]), r"got 0, int"),
        (pd.DataFrame({"a": [1, "x"]}), "Column 'a' of X mixes types"),
        (pd.DataFrame({"ok": [1, 2], "b": [1.5, "x"]}), "Column 'b'"),
        (pd.DataFrame({"a": [{1}, 2]}), "Column 'a'"),
        (np.array([[1, "a"], ["x", "b"]], dtype=object), "Column 'x0'"),
    ],
)
def test_bad_columns_are_refused_by_name(bad, words):
    with pytest.raises(DataError, match=words):
        to_frame(bad)


@pytest.mark.parametrize(
    "array",
    [
        pd.arrays.SparseArray([0, 0, 5]),
        pd.arrays.SparseArray([0.0, 0.0, 5.0], fill_value=0.0),
        pd.arrays.SparseArray([1.5, np.nan, 5.0], dtype=pd.SparseDtype("float32", np.nan)),
        pd.arrays.SparseArray([True, False, False], fill_value=False),
        pd.arrays.SparseArray([7, 7, 5], dtype=pd.SparseDtype("uint8", 7)),
    ],
)
def test_sparse_columns_come_back_sparse(array):
    frame = pd.DataFrame({"a": array})
    read = to_frame(frame)
    np.testing.assert_array_equal(read.table.column("a").to_numpy(), frame["a"].sparse.to_dense().to_numpy())
    pd.testing.assert_frame_equal(read.native(), frame)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pd.DataFrame({"c": pd.cut(np.arange(4.0), 2)}), "Column 'c' of X has categories of type interval"),
        (pl.DataFrame({"c": pl.Series([1, 2], dtype=pl.Int128)}), "Column 'c' of X is of type Int128"),
        (pd.DataFrame({"c": [1j, 2]}), "Column 'c' of X holds complex numbers"),
        (
            pd.DataFrame({"c": pd.arrays.SparseArray(np.array([0, 1], "M8[ns]"))}),
            r"'c' of X is sparse .*frame\['c'\].sparse.to_dense\(\)\.",
        ),
        (np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]]), "X must be an array without a mask"),
        (pd.DataFrame([[1, 2]]), r"frame.columns = frame.columns.astype\(str\)"),
    ],
)
def test_what_has_no_form_is_said_in_words(X, words):
    with pytest.raises(DataError, match=words):
        to_frame(X)
