"""A record's value never decides if a batch is released: whole releases, by container and kind of record."""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch

from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.contracts.images import image_column
from withhold.methods.cadp.cadp import CADP

TINY = {"rounds": 5, "hidden": 8, "directions": 2, "random_state": 0}
ODD = [1e300, -1e300, np.inf, -np.inf, np.nan]


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "real": rng.normal(size=n),
            "single": rng.normal(size=n).astype("float32"),
            "whole": rng.integers(20, 60, n).astype("int16"),
            "flag": rng.random(n) < 0.5,
            "town": rng.choice(list("xyz"), n),
            "grade": pd.Categorical(rng.choice(["lo", "hi"], n)),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )


@pytest.fixture(scope="module")
def of_tables():
    return CADP(**TINY).fit(table(200), ["a", "b"] * 100)


@pytest.fixture(scope="module")
def of_arrays():
    return CADP(**TINY).fit(np.random.default_rng(0).normal([0, 5, 0], size=(200, 3)), np.arange(200) % 2)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *((name, value) for name in ("real", "single") for value in ODD),
        *(("whole", value) for value in (3.5, 1e300, np.nan, -np.inf, 10**30, "old")),
        *(("flag", value) for value in (None, 7, "maybe")),
        *(("town", value) for value in ("nowhere", None, 5, "")),
        *(("grade", value) for value in ("middle", None, 3)),
        *(("day", value) for value in (None, "some day", dt.datetime(9999, 1, 1), dt.date(1, 1, 1))),
        ("real", "unknown"),
    ],
    ids=str,
)
@pytest.mark.parametrize("library", ["pandas", "pyarrow", "polars"])
def test_any_value_of_a_table_is_released(of_tables, column, value, library):
    frame = table(20, seed=1)
    values = [*frame[column].astype(object)[:19], value]
    if library != "pandas" and len({type(v) for v in values if v is not None}) > 1 and isinstance(value, str | dt.date):
        pytest.skip("columns of these libraries are of one type")
    if library == "pandas":
        given = frame.assign(**{column: pd.Series(values, dtype=object)})
        given = given if column in ("town", "grade", "day", "flag") else given.infer_objects()
    else:
        try:
            odd = pa.array(values, from_pandas=False)
        except (pa.ArrowException, OverflowError):
            pytest.skip("no column of Arrow holds it")
        given = pa.Table.from_pandas(frame).set_column(frame.columns.get_loc(column), column, odd)
        given = pl.from_arrow(given) if library == "polars" else given
    released = of_tables.transform(given, ["a"] * 20)
    assert len(released) == 20


@pytest.mark.parametrize("value", [*ODD, "none", None])
def test_any_value_of_an_array_is_released_within_limits(of_arrays, value):
    X = np.random.default_rng(1).normal(size=(10, 3)).astype(object)
    X[3, 1] = value
    made = X if value in ("none", None) else X.astype(float)
    for given in (made, pd.DataFrame(made), made.tolist(), *([torch.tensor(made)] if made.dtype != object else [])):
        released = np.asarray(of_arrays.transform(given, [0] * 10))
        assert released.shape == (10, 3)
        assert np.isfinite(released).all()


def test_types_and_shapes_are_public_and_may_be_refused(of_arrays, of_tables):
    for given in (np.zeros((3, 2)), np.zeros((3, 3), complex), np.zeros(3)):
        with pytest.raises((DataError, InvalidTypeError)):
            of_arrays.transform(given, [0] * 3)
    with pytest.raises(DataError, match="town"):
        of_tables.transform(table(5).drop(columns="town"), ["a"] * 5)
    with pytest.raises(DataError, match="day"):
        of_tables.transform(table(5).assign(day=1.5), ["a"] * 5)


def test_masked_values_are_missing(of_arrays):
    X = np.ma.masked_array(np.zeros((5, 3)), mask=np.eye(5, 3, dtype=bool))
    assert of_arrays.transform(X, [0] * 5).shape == (5, 3)


def test_any_pixel_is_released():
    rng = np.random.default_rng(0)
    images = rng.random((60, 4, 4)).astype("float32")
    method = CADP(rounds=3, hidden=8, channels=4, directions=2, random_state=0).fit(images)
    odd = rng.random((5, 4, 4))
    odd[range(5), 0, 0] = ODD
    single = odd.clip(-3e38, 3e38).astype("float32")
    for given in (odd, single, torch.tensor(odd), torch.tensor(single)):
        released = np.asarray(method.transform(given))
        assert released.shape == (5, 4, 4)
        assert 0 <= released.min() <= released.max() <= 1
    column = image_column(single)
    known = [*column.storage.to_pylist()[:4], None]
    gap = pa.ExtensionArray.from_storage(column.type, pa.array(known, column.storage.type))
    assert method.transform(pa.table({"image": gap})).num_rows == 5
    windows = rng.normal(size=(60, 8, 2)) * 30
    signals = CADP(rounds=3, hidden=8, channels=4, directions=2, random_state=0).fit(windows)
    windows[:5, 0, 0] = ODD
    assert np.isfinite(signals.transform(windows[:5] + 1)).all()


@pytest.mark.parametrize("y", [["a", "c"], ["a", None], [1, "b"], pd.Series(["b", np.nan]), np.array(["q", "r"])])
def test_any_class_is_released(of_tables, y):
    released, shown = of_tables.release(table(2, seed=3), y)
    assert len(released) == 2
    assert set(shown) <= {"a", "b"}


def test_what_is_beyond_comes_out_as_the_limit_would(of_tables):
    frame = table(40, seed=1)
    far, end = (of_tables.latents(frame.assign(real=value), ["a"] * 40) for value in (1e300, 50.0))
    np.testing.assert_array_equal(far, end)
    assert not np.array_equal(far, of_tables.latents(frame.assign(real=0.0), ["a"] * 40))  # it does matter elsewhere


def test_no_warning_hangs_on_a_single_record(of_tables):
    frame = table(60, seed=2)
    frame.loc[5, "real"] = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of_tables.transform(frame, ["a"] * 60)
        of_tables.transform(frame.assign(town="elsewhere", real=9e9), ["a"] * 60)
