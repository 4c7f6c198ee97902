import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.table_strategies import KINDS, arrays
from withhold.contracts.errors import DataError
from withhold.data.arrow_types import family, parse_type, value_type
from withhold.data.columns.storage import from_plain_list, integers, numbers, plain, restore, to_plain_list

QUICK = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(st.sampled_from(KINDS), st.data())
def test_numbers_and_restore_are_inverse(kind, data):
    column = pa.chunked_array([data.draw(arrays(kind, 9))])
    if family(kind) == "text":
        return
    values, missing = numbers(column, "x")
    want = plain(column)
    assert restore(values, missing, kind).equals(want.combine_chunks()) or (
        # a float64 holds 15 digits: decimals of 9 and the integers and times here are exact, -0.0 equals 0.0
        pa.types.is_floating(kind) and restore(values, missing, kind).to_pylist() == want.to_pylist()
    )


@QUICK
@given(st.sampled_from(KINDS), st.data())
def test_plain_lists_are_json_and_inverse(kind, data):
    array = plain(pa.chunked_array([data.draw(arrays(kind, 9))])).combine_chunks().drop_null()
    listed = to_plain_list(array)
    assert all(isinstance(value, str | int | float | bool) for value in listed)
    assert from_plain_list(listed, value_type(kind)).equals(array)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_types_survive_as_text(kind):
    assert parse_type(str(kind)) == kind


def test_the_largest_integers_and_an_origin():
    for kind, values in ((pa.int64(), [-(2**63), 2**63 - 1]), (pa.uint64(), [0, 2**64 - 1])):
        column = pa.chunked_array([pa.array(values, kind)])
        back = restore(*numbers(column, "x"), kind).to_pylist()
        assert back[0] == values[0]
        assert abs(back[1] - values[1]) <= 2**11  # the spacing of float64 there
    close = pa.chunked_array([pa.array([2**60 + 1, 2**60 + 2, None])])
    values, missing = numbers(close, "x", origin=2**60)
    assert restore(values, missing, pa.int64(), 2**60).to_pylist() == [2**60 + 1, 2**60 + 2, None]


def test_missing_is_written_as_it_was_and_values_stay_within_the_type():
    values, missing = np.array([1.0, np.nan]), np.array([False, True])
    assert np.isnan(restore(values, missing, pa.float32(), written="nan")[1].as_py())
    assert restore(values, missing, pa.float32())[1].as_py() is None
    assert restore(np.array([300.0, -5.0]), None, pa.uint8()).to_pylist() == [255, 0]
    assert np.isfinite(restore(np.array([1e300]), None, pa.float32())[0].as_py())


def test_infinities_are_refused_and_masks_given():
    with pytest.raises(DataError, match=r"'x' must be finite \(infinite values: 2\)"):
        numbers(pa.chunked_array([[1.0, float("inf"), float("-inf")]]), "x")
    assert integers(pa.chunked_array([[1, None]]))[1].tolist() == [False, True]
    assert integers(pa.chunked_array([[1, 2]]))[1] is None


def test_integers_beyond_the_exact_ones_stay_within_their_range():
    """As float64 the largest would be beyond itself, and a decoded time later than any that was seen."""
    whole = [-(2**63) + 1, -(2**60) - 255, 2**53, 2**60 + 255, 2**63 - 1]
    values, _ = numbers(pa.chunked_array([pa.array(whole, pa.int64())]), "x")
    back = restore(values, None, pa.int64()).to_pylist()
    assert all(abs(b) <= abs(w) and abs(w) - abs(b) <= 1024 for b, w in zip(back, whole, strict=True))
    assert float(whole[3]) > whole[3]
