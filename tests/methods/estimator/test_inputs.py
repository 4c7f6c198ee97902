"""Reading what users pass: names, arrays, roles."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch

from withhold.contracts.errors import DataError, InvalidParameterError, InvalidTypeError
from withhold.data.frames import to_frame
from withhold.methods.estimator.inputs import is_frame, read_features, read_fit_inputs

DATA = pd.DataFrame(
    {"a": [1.5, 2.0, 3.0, 4.0], "s": list("xyxy"), "t": [0, 1, 1, 0], "u": list("mnnm"), "g": [7, 7, 8, 8]}
)


def read(X, s, y=None, groups=None, **options):
    settings = {"method": "M", "kinds": None, "coded": is_frame(X), "accept_sparse": False, **options}
    return read_fit_inputs(X, y, s, groups, **settings)


def test_names_leave_the_features():
    inputs = read(DATA, ["s", "t"], "u", "g")
    assert inputs.features.table.column_names == ["a"]
    assert inputs.sensitive.names == ("s", "t")
    assert inputs.utilities.names == ("u",)
    assert inputs.groups.tolist() == [0, 0, 1, 1]
    assert inputs.removed == ("s", "t", "u", "g")


def test_values_leave_the_features_alone():
    inputs = read(DATA[["a", "t"]], DATA["s"].to_numpy(), y=DATA["u"], groups=np.array(["p", "q", "q", "p"]))
    assert inputs.features.table.column_names == ["a", "t"]
    assert inputs.groups.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("frame", [DATA, pl.from_pandas(DATA), pa.table(DATA)], ids=["pandas", "polars", "pyarrow"])
def test_every_library(frame):
    assert is_frame(frame)
    assert read(frame, "s").features.table.column_names == ["a", "t", "u", "g"]


def test_a_recoded_series_of_a_column_s_name_is_no_feature():
    """It equals no column, so only its name tells that it is one."""
    inputs = read(DATA, DATA["s"].str.upper(), y=DATA["u"].str.upper(), groups=DATA["g"] + 1)
    assert inputs.features.table.column_names == ["a", "t"]


def test_as_many_names_as_rows():
    data = DATA[:2].assign(s=["x", "y"], t=[0, 1])
    assert read(data, ["s", "t"]).features.table.column_names == ["a", "u", "g"]


def test_a_lazy_frame():
    assert read(pl.from_pandas(DATA).lazy(), "s").features.table.column_names == ["a", "t", "u", "g"]


def test_arrays_and_tensors_are_no_frames():
    X = DATA[["a", "t"]].to_numpy()
    assert not is_frame(X)
    assert not is_frame(torch.zeros(2, 2))
    assert read(torch.from_numpy(X), DATA["s"]).features.container == "torch"
    assert read(X.astype("float32"), DATA["s"]).features.array.dtype == np.float32
    assert read(X.astype("int16"), DATA["s"]).features.array.dtype == np.float64


def test_sparse_says_what_to_do():
    X = sp.csr_array(np.eye(4))
    with pytest.raises(InvalidTypeError, match="LEACE"):
        read(X, DATA["s"])
    assert read(X, DATA["s"], accept_sparse=True).features.container == "sparse"


@pytest.mark.parametrize(
    ("X", "s", "groups", "words"),
    [
        (DATA, None, None, "M needs sensitive_features, the attribute to hide"),
        (DATA, "sex", None, "sex"),
        (DATA, "s", "house", "house"),
        (DATA[["a"]].to_numpy(), ["x", "y", "x"], None, "has 3 rows, but X has 4"),
        (DATA[["a"]].to_numpy(), DATA["s"], np.arange(3), "has 3 rows, but X has 4"),
        (DATA[["a", "t"]].to_numpy(), DATA["t"].to_numpy(), None, "Column 1 of X equals"),
        (DATA, DATA["s"].rename("other"), None, "'s'"),
        (DATA[["s"]], "s", None, "nothing is left"),
        (DATA[:1], "s", None, "1 sample"),
        (np.array([[np.nan], [1.0]]), ["x", "y"], None, "NaN"),
        (np.zeros((2, 2, 2)), ["x", "y"], None, "dim 3"),
        (np.array([["p"], ["q"]]), ["x", "y"], None, "numeric"),
    ],
)
def test_errors(X, s, groups, words):
    with pytest.raises(DataError, match=words):
        read(X, s, groups=groups)


def test_a_declared_kind_belongs_to_an_attribute_that_is_given():
    assert read(DATA, "s", kinds={"s": "categorical"}).sensitive.names == ("s",)
    with pytest.raises(InvalidParameterError, match="names 'u'"):
        read(DATA, "s", kinds={"u": "categorical"})
    assert read(DATA, "s", "u", kinds={"u": "categorical"}).utilities.names == ("u",)


def test_a_frame_as_a_matrix():
    features = read_features(DATA[["a", "t"]], coded=False, accept_sparse=False, method="M")
    assert features.array.tolist() == [[1.5, 0], [2, 1], [3, 1], [4, 0]]


@pytest.mark.parametrize(
    "twice",
    [
        pd.DataFrame([[1.0, 2.0, 3.0]] * 4, columns=["a", "b", "a"]),
        pa.table([[1.0] * 4, [2.0] * 4, [3.0] * 4], names=["a", "b", "a"]),
        pa.record_batch([pa.array([1.0] * 4)] * 3, names=["a", "b", "a"]),
    ],
    ids=["pandas", "pyarrow", "batch"],
)
def test_repeated_columns_are_named(twice):
    with pytest.raises(DataError, match="are called 'a'"):
        read_features(twice, coded=is_frame(twice), accept_sparse=False, method="LEACE")


@pytest.mark.parametrize("coded", [True, False])
def test_images_are_refused_in_words(coded: bool) -> None:
    images = torch.zeros(4, 3, 5, 5)
    with pytest.raises((DataError, InvalidTypeError), match=r"dim 4|images"):
        read_features(images, coded=coded, accept_sparse=False, method="M")
    with pytest.raises(InvalidTypeError, match=r"column 'image' holds records of shape \(\d+, \d+, \d+\)"):
        read_features(to_frame(images).table, coded=True, accept_sparse=False, method="M")


def test_the_index_of_pandas_in_an_arrow_table_is_no_feature():
    frame = pd.DataFrame({"a": [0.1, 0.2, 0.3], "s": [0, 1, 0]}, index=[5.5, 7.5, 9.5])
    read = read_fit_inputs(
        pa.Table.from_pandas(frame), None, "s", None, method="M", kinds=None, coded=True, accept_sparse=False
    )
    assert read.features.table.column_names == ["a"]
    assert "__index_level_0__" in read.removed


@pytest.mark.parametrize("X", [np.zeros((6, 100, 3)), np.zeros((6, 100, 3), np.int16), torch.zeros(6, 100, 3)])
def test_windows_of_a_signal_are_not_called_images(X) -> None:
    with pytest.raises((DataError, InvalidTypeError), match=r"have a shape|with a shape") as caught:
        read_features(X, coded=False, accept_sparse=False, method="M", images=X.dtype == np.int16)
    assert "image" not in str(caught.value)


def test_a_column_without_a_name_is_a_feature_like_others():
    frame = pd.DataFrame({"": [0.1, 0.2, 0.3], "b": [1.0, 2.0, 4.0]})
    read = read_fit_inputs(
        frame, None, [0, 1, 0], np.arange(3), method="M", kinds=None, coded=True, accept_sparse=False
    )
    assert read.features.table.column_names == ["", "b"]


@pytest.mark.parametrize("X", [np.full((3, 2), 41.5 + 1j), np.full(3, 41.5), [["a", "b"], [41.5]]])
def test_no_record_stands_in_a_message(X):
    with pytest.raises((DataError, InvalidTypeError)) as caught:
        read_features(X, coded=False, accept_sparse=False, method="M")
    assert "41.5" not in str(caught.value)


def test_values_under_a_mask_are_not_read():
    X = np.ma.masked_array([[1.0, 99.0], [2.0, 3.0]], mask=[[False, True], [False, False]])
    with pytest.raises(DataError, match="without a mask"):
        read_features(X, coded=False, accept_sparse=False, method="M")
