import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError
from withhold.contracts.images import image_array, image_column
from withhold.data.any_values import finite_table, fitting_table
from withhold.data.codec import TableCodec


def columns(values):
    return TableCodec.fit(pa.table({"x": values, "varies": np.arange(len(values)) % 2}), keep=["x"]).columns[:1]


@pytest.mark.parametrize(
    ("fitted", "given", "expected"),
    [
        (np.arange(99.0), [np.inf, -np.inf, np.nan], [1e300, -1e300, None]),
        (pa.array(np.arange(99), pa.int8()), [1e9, 2.4, None], [127, 2, None]),
        (pa.array(np.arange(99), pa.int8()), ["7", "x", "-900"], [7, None, -128]),
        (
            pa.array([dt.date(2020, 1, 1 + day) for day in range(30)]),
            ["2020-01-05", "later"],
            [dt.date(2020, 1, 5), None],
        ),
        (["a", "b"] * 20, [1, 2], ["1", "2"]),
    ],
)
def test_values_are_brought_to_the_type_of_the_fit(fitted, given, expected):
    assert fitting_table(pa.table({"x": given}), columns(fitted))["x"].to_pylist() == expected


def test_types_may_be_refused():
    with pytest.raises(DataError):
        fitting_table(pa.table({"x": [dt.date(2020, 1, 1)]}), columns(np.arange(99.0)))


def test_infinities_are_far_away_and_pixels_near():
    table = pa.table({"half": pa.array(np.array([np.inf, 1], "float16")), "text": ["a", "b"]})
    assert finite_table(table)["half"].to_pylist() == [65504.0, 1.0]
    images = np.array([[[np.nan, np.inf]], [[0.5, 1e300]]])
    assert image_array(finite_table(pa.table({"i": image_column(images)}))["i"]).tolist() == [[[0, 1]], [[0.5, 1e15]]]
