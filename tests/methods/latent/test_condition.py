import numpy as np
import pandas as pd
import polars as pl
import pytest

from withhold.contracts.errors import DataError
from withhold.data.attributes import read_attributes
from withhold.methods.latent.condition import Condition, with_codes


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
        (lambda: condition.codes(None, ["u", None], 2), "Got 'None'"),
        (lambda: condition.codes(None, ["u"], 2), "class for each of 2 records"),
        (lambda: condition.codes(pd.DataFrame({"a": [1]}), None, 1), "the class of each record"),
    ):
        with pytest.raises(DataError, match=text):
            call()
    assert Condition("CADP").codes(None, None, 3).tolist() == [0, 0, 0]


def test_codes_survive_single_precision():
    H = with_codes(np.zeros((3, 2), np.float32), np.array([0, 9, 1000]))
    assert H[:, -1].astype(int).tolist() == [0, 9, 1000]
