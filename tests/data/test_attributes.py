import datetime as dt
import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.data.attributes import check_declared, read_attributes
from withhold.data.frames import to_frame

FRAME = to_frame(
    pd.DataFrame(
        {
            "sex": ["f", "m", "f", None],
            "age": [30, 40, 50, 60],
            "weight": [60.5, np.nan, 80.0, 71.0],
            "smokes": pd.Categorical(["no", "no", "yes", "no"]),
        }
    )
)


def test_integers_up_to_twenty_values_are_classes_and_with_more_must_be_declared():
    assert read_attributes(np.arange(20) % 20)[0].n_classes == 20
    with pytest.raises(DataError, match=r"must be declared: it has .*sensitive_kinds=\{'age': 'continuous'\}"):
        read_attributes(pd.Series(np.arange(21), name="age"))
    assert read_attributes(np.arange(21), kinds={"y": "continuous"}, role="y")[0].kind == "continuous"
    assert read_attributes(np.arange(21), kinds={"y": "categorical"}, role="y")[0].n_classes == 21


@pytest.mark.parametrize(
    ("values", "kind", "levels"),
    [
        (["b", "a", "b"], "categorical", ("a", "b")),
        ([True, False, None], "categorical", ("False", "True")),
        (np.array([7, 3, 7], dtype="uint8"), "categorical", ("3", "7")),
        (torch.tensor([1, 0, 1]), "categorical", ("0", "1")),
        (pl.Series("s", ["x", None, "y"], dtype=pl.Categorical), "categorical", ("x", "y")),
        (pd.Series(pd.Categorical([2, 1, 2])), "categorical", ("1", "2")),
        (pa.array(["u", "v", None]), "categorical", ("u", "v")),
        ([1.0, 2.0, 1.0], "continuous", ()),
        (np.array([0.5, 1.5, np.nan], dtype="float32"), "continuous", ()),
        ([dt.date(2020, 1, 1), dt.date(2020, 1, 3), None], "continuous", ()),
    ],
)
def test_kinds_of_any_library(values, kind, levels):
    (attribute,) = read_attributes(values)
    assert (attribute.kind, attribute.levels) == (kind, levels)
    assert len(attribute) == 3


def test_codes_follow_sorted_levels_and_missing_is_unknown():
    (sex,) = read_attributes("sex", FRAME)
    assert sex.codes.tolist() == [0, 1, 0, -1]
    assert sex.known.tolist() == [True, True, True, False]
    (weight,) = read_attributes("weight", FRAME)
    assert weight.known.tolist() == [True, False, True, True]
    assert weight.values[0] == 60.5
    assert weight.codes.tolist() == [-1] * 4


def test_missing_of_every_kind_is_missing():
    for missing in (None, float("nan"), pd.NA, pd.NaT):
        (attribute,) = read_attributes(pd.Series(["a", missing, "b"], dtype=object))
        assert attribute.codes.tolist() == [0, -1, 1]
    (attribute,) = read_attributes(pa.array([1.0, float("nan"), 2.0]))
    assert attribute.known.tolist() == [True, False, True]


@pytest.mark.parametrize(
    "copy",
    [
        ["f", "m", "f", None],
        np.array([30.0, 40.0, 50.0, 60.0]),
        pd.Series([30, 40, 50, 60], dtype="int8"),
        pl.Series([60.5, None, 80.0, 71.0]),
        pd.Series(["no", "no", "yes", "no"]),
    ],
)
def test_an_array_equal_to_a_column_is_refused_by_name(copy):
    name = {30.0: "age", "f": "sex", 60.5: "weight", "no": "smokes"}[next(iter(copy))]
    with pytest.raises(DataError, match=f"equal to column '{name}' of X.*sensitive_features='{name}'"):
        read_attributes(copy, FRAME, kinds={"sensitive_features": "categorical"})
    changed = list(copy)
    changed[1], changed[2] = changed[2], changed[1]  # the same values in another order are another attribute
    read_attributes(changed, FRAME, kinds={"sensitive_features": "categorical"})


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("sx", "There is no column 'sx' for `sensitive_features`. Did you mean 'sex'?"),
        (["age", "nothing"], "'nothing'"),
        ([1, 2, 3], "has 3 rows and X has 4"),
        ([1, 1, 1, 1], "at least two different known values (got 1 in 4 rows)"),
        ([None] * 4, "(got 0 in 4 rows)"),
        ([1.0, np.inf, 2.0, 3.0], "finite"),
    ],
)
def test_what_cannot_be_hidden_is_refused(spec, words):
    with pytest.raises(DataError, match=re.escape(words)):
        read_attributes(spec, FRAME)


def test_bad_declarations_are_refused():
    with pytest.raises(InvalidParameterError, match="'categorical' or 'continuous'"):
        read_attributes("age", FRAME, kinds={"age": "number"})
    with pytest.raises(DataError, match="declared continuous"):
        read_attributes("sex", FRAME, kinds={"sex": "continuous"})
    with pytest.raises(InvalidParameterError, match="no named columns"):
        read_attributes("sex")


def test_strings_are_names_when_they_name_columns_and_labels_otherwise():
    assert read_attributes(["sex", "smokes"], FRAME).names == ("sex", "smokes")
    assert read_attributes(["a", "b", "a", "b"], FRAME)[0].levels == ("a", "b")


def test_joint_is_the_product_of_what_occurs():
    both = read_attributes(["sex", "smokes"], FRAME)
    joint = both.joint()
    assert joint.levels == ("f × no", "f × yes", "m × no")
    assert joint.codes.tolist() == [0, 2, 1, -1]
    assert joint.entropy() == pytest.approx(math.log(3))
    assert read_attributes("sex", FRAME).joint().levels == ("f", "m")


def test_joint_stops_at_fifty_cells_and_at_continuous_attributes():
    rng = np.random.default_rng(0)
    parts = pd.DataFrame({"a": rng.integers(0, 10, 500), "b": rng.integers(0, 5, 500), "c": rng.integers(0, 6, 500)})
    assert read_attributes(parts[["a", "b"]]).joint().n_classes == 50
    assert read_attributes(parts[["a", "c"]]).joint() is None
    assert read_attributes(["sex", "weight"], FRAME).joint() is None


def test_entropy_and_rows():
    (attribute,) = read_attributes(["a"] * 3 + ["b"])
    assert attribute.entropy() == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
    few = attribute.take(np.array([0, 1]))
    assert few.entropy() == 0.0
    assert few.levels == ("a", "b")
    with pytest.raises(InvalidParameterError, match="only a categorical attribute has an entropy"):
        read_attributes([0.5, 1.5])[0].entropy()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.ones(6, int), "at least two different known values (got 1 in 6 rows)"),
        (np.arange(60), "must be declared: it has 60 different whole numbers"),
        ([1.0, np.inf] * 3, "must be finite (got infinities)"),
        ([1, "a"] * 3, "mixes types"),
        (np.arange(6) * 1j, "holds complex numbers (complex128)"),
        (np.array([b"f", b"m"] * 3), "is of type binary; an attribute needs text, numbers"),
        (pa.array([[1, 2]] * 6), "is of type list<item: int64>; an attribute needs text, numbers"),
    ],
)
def test_an_array_without_a_name_is_called_once(values, words):
    with pytest.raises(DataError, match=re.escape(words)) as caught:
        read_attributes(values)
    assert str(caught.value).startswith("`sensitive_features` ")


def test_a_named_column_is_called_by_its_name():
    with pytest.raises(DataError, match=r"^Column 'sex' of `sensitive_features` must have at least two"):
        read_attributes(pa.table({"sex": np.ones(6)}))


def test_equal_labels_that_happen_to_be_column_names_are_values():
    frame = to_frame(pd.DataFrame({"a": np.arange(6.0), "b": np.arange(6.0)}))
    assert read_attributes(["a", "b"] * 3, frame=frame)[0].levels == ("a", "b")
    assert read_attributes(["a", "a"], frame=frame).names == ("a",)


def test_an_index_of_dates_is_read_as_values():
    assert read_attributes(pd.date_range("2020", periods=4))[0].kind == "continuous"
    assert read_attributes(pa.array(["x", "y", None], pa.string_view()))[0].levels == ("x", "y")


def test_a_declared_kind_must_name_an_attribute() -> None:
    read = read_attributes(pa.table({"age": [31.0, 42.5, 27.0]}))
    check_declared({"age": "categorical"}, read, None)
    with pytest.raises(InvalidParameterError, match=r"names 'agee', which is no attribute\. The attributes are: 'age'"):
        check_declared({"agee": "categorical"}, read)


@pytest.mark.parametrize(
    "values",
    [
        np.array(["f", "m", np.nan] * 4),
        pd.Series(["f", "m", "<NA>"] * 4),
        pa.chunked_array([["f", "m", "NaN"] * 4]),
        pd.Series(["f", "m", "NaT"] * 4, dtype="category"),
    ],
)
def test_a_text_that_a_missing_value_became_is_missing(values) -> None:
    read = read_attributes(values)[0]
    assert read.levels == ("f", "m")
    assert read.codes.tolist()[:3] == [0, 1, -1]


def test_a_text_that_only_looks_missing_is_a_class() -> None:
    assert read_attributes(["None", "NA", "Nan", ""])[0].levels == ("", "NA", "Nan", "None")
    assert read_attributes(pd.DataFrame({"u": ["nan", "no", "nan", "yes"]}))[0].known.tolist() == [False, True] * 2
