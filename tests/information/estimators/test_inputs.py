import numpy as np
import pandas as pd
import pytest

from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.information.estimators.inputs import read_pair


def test_kinds():
    assert read_pair([0.1, 0.2], [1.0, 2.0]).kind == "continuous"
    assert read_pair([0.1, 0.2], ["x", "y"]).kind == "mixed"
    assert read_pair([True, False], np.array(["x", "y"], dtype=object)).kind == "discrete"
    assert read_pair(np.arange(40) % 20, np.arange(40.0)).kind == "mixed"
    assert read_pair(pd.Series(["x", "y"], dtype="category"), [1, 2]).kind == "discrete"


def test_columns_are_standardised_by_the_rows_named():
    pair = read_pair(np.array([[0.0, 5.0], [2.0, 5.0], [99.0, 5.0]]), ["x", "y", "z"])
    assert pair.a.columns(np.array([0, 1])).tolist() == [[-1.0, 0.0], [1.0, 0.0], [98.0, 0.0]]
    assert pair.b.columns(np.array([0])).tolist() == np.eye(3).tolist()


def test_several_columns_of_classes_are_one_class_jointly():
    pair = read_pair(np.array([[0, 1], [1, 0], [0, 1]]), [0, 1, 1])
    assert pair.a.joint_codes().tolist() == [0, 1, 0]
    assert pair.a.columns(np.arange(3)).shape == (3, 4)


@pytest.mark.parametrize(
    ("bad", "error", "match"),
    [
        (np.arange(40), DataError, "at most 20 values"),
        (np.zeros((40, 2, 2)), DataError, "shape"),
        (np.full(40, np.inf), DataError, "infinity"),
        (np.array(["x", None] * 20, dtype=object), DataError, "None"),
        (np.zeros(40, dtype=complex), InvalidTypeError, "complex"),
        (np.zeros((40, 0)), DataError, "shape"),
    ],
)
def test_what_cannot_be_read(bad, error, match):
    with pytest.raises(error, match=match):
        read_pair(bad, np.zeros(40))
