import numpy as np
import pandas as pd
import pytest

from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.methods.estimator.classifier import _as_bytes, _from_bytes, read_labels


@pytest.mark.parametrize("y", [["b", "a", "b"], [3, 1, 3], [True, False, True], [2.0, 1.0, 2.0]])
def test_classes_keep_their_type_and_survive_the_artifact(y):
    attributes, classes = read_labels(np.zeros((3, 1)), np.array(y), "ERM")
    assert classes[attributes[0].codes].tolist() == y
    again = _from_bytes(_as_bytes(classes))
    assert again.tolist() == classes.tolist()
    assert again.dtype == classes.dtype


def test_many_integers_are_classes_and_a_name_is_a_column():
    table = pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40) // 2 + 5})
    attributes, classes = read_labels(table, "y", "ERM")
    assert attributes[0].n_classes == 20
    assert read_labels(table, table["y"].to_numpy() * 2, "ERM")[1].tolist() == (2 * classes).tolist()
    with pytest.raises(DataError, match="Did you mean 'y'"):
        read_labels(table, "yy", "ERM")


def test_missing_labels_are_no_class():
    attributes, classes = read_labels(np.zeros((4, 1)), pd.Series(["b", None, "a", "b"]), "ERM")
    assert attributes[0].codes.tolist() == [1, -1, 0, 1]
    assert classes.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("y", "why"),
    [
        (None, "requires y to be passed"),
        (np.array([0.1, 0.2, 0.3]), "Unknown label type"),
        (np.array([1.0, np.inf, 2.0]), "infinity"),
        (np.array([1, 1, 1]), "one class"),
        (pd.DataFrame({"a": [1, 2, 1], "b": [1, 2, 2]}), "one y"),
        (np.zeros((3, 2)), "1d array"),
    ],
)
def test_what_is_no_label_is_refused(y, why):
    with pytest.raises(DataError, match=why):
        read_labels(np.zeros((3, 1)), y, "ERM")


def test_labels_that_cannot_be_written_are_refused():
    with pytest.raises(InvalidTypeError, match=r"date cannot be saved. Convert them to strings"):
        _as_bytes(np.array(["2020-01-01"], dtype="datetime64[D]"))
