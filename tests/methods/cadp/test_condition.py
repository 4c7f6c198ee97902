import numpy as np
import pandas as pd
import polars as pl
import pytest

from withhold.contracts.errors import DataError
from withhold.data.attributes import read_attributes
from withhold.methods.cadp.condition import Condition, with_codes


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, 7] * 10),
        np.array(["a", "b"] * 10),
        pd.Series([True, False] * 10),
        pd.Series(list("ab") * 10, dtype="category"),
    ],
    ids=["integers", "text", "booleans", "category"],
)
def test_classes_are_read_as_they_were_learned(values):
    label = read_attributes(values, role="y")[0]
    condition = Condition.learn(label, "CADP")
    assert np.array_equal(condition.codes(None, values, 20), label.codes)
    assert np.array_equal(condition.codes(None, values[:1], 1), label.codes[:1])  # one class alone
    again = Condition.from_bytes(condition.to_bytes(), "CADP")
    assert again == condition


@pytest.mark.parametrize("library", [pd, pl])
def test_a_column_of_the_name_is_found(library):
    condition = Condition("CADP", "of", ("u", "v"))
    table = library.DataFrame({"a": [1, 2], "of": ["v", "u"]})
    assert condition.codes(table, None, 2).tolist() == [1, 0]
    assert condition.codes(table, ["u", "u"], 2).tolist() == [0, 0]  # what is passed goes before


def test_refusals():
    condition = Condition("CADP", "of", ("u", "v"))
    for call, text in (
        (lambda: condition.codes(None, ["u"], 2), "y has 1 row, but X has 2"),
        (lambda: condition.codes(pd.DataFrame({"a": [1]}), None, 1), "the class of each record"),
    ):
        with pytest.raises(DataError, match=text):
            call()
    assert Condition("CADP").codes(None, None, 3).tolist() == [0, 0, 0]


def test_what_is_no_class_of_the_fit_is_the_usual_one():
    label = read_attributes(np.array(["a"] * 12 + ["b"] * 20), role="y")[0]
    condition = Condition.learn(label, "CADP")
    for values in (["c", "a"], [None, "a"], [3, "a"], pd.Series([np.nan, "a"]), pl.Series(["x", "a"])):
        assert condition.codes(None, values, 2).tolist() == [1, 0]
    mixed = pd.DataFrame({"y": ["a", 5], "other": [1, "x"]})
    assert condition.codes(mixed, None, 2).tolist() == [0, 1]
    numbers = Condition("CADP", "y", ("0", "1"), usual=1)
    assert numbers.codes(None, pd.Series([0, 1, None]), 3).tolist() == [0, 1, 1]  # floats, for the gap
    before = np.frombuffer(b'["y", ["0", "1"]]', np.uint8)
    assert Condition.from_bytes(before, "CADP") == Condition("CADP", "y", ("0", "1"))


def test_codes_survive_single_precision():
    H = with_codes(np.zeros((3, 2), np.float32), np.array([0, 9, 1000]))
    assert H[:, -1].astype(int).tolist() == [0, 9, 1000]
