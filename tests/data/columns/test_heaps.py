import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from withhold.data.columns.grid import between, shared_rows, whole_between

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE)
def test_a_number_between_two_is_strictly_between_or_none(a, b):
    low, high = min(a, b), max(a, b)
    value = float(between(low, high))
    assert np.isnan(value) or low < value < high
    assert np.isfinite(value) or high / 2 - low / 2 < 1e-290 or np.nextafter(low, high) >= high


def test_it_is_round():
    x = np.sort(np.random.default_rng(0).normal(size=2_000))
    mantissa = np.frexp(between(x[:-1], x[1:]))[0] * 2.0**24
    assert (mantissa == np.rint(mantissa)).mean() > 0.99  # of 53 binary digits of the records
    assert (np.frexp(x)[0] * 2.0**24 != np.rint(np.frexp(x)[0] * 2.0**24)).all()


@pytest.mark.parametrize(("low", "high", "unit", "phase"), [(3.0, 90.0, 1.0, 0.0), (86_400.5, 9e5 + 0.5, 86_400, 0.5)])
def test_whole_numbers_lie_on_the_grid(low, high, unit, phase):
    value = whole_between(low, high, unit, phase)
    assert low < value < high
    assert (value - phase) % unit == 0


def test_few_rows_share_a_twentieth():
    assert [shared_rows(n) for n in (2, 30, 60, 199, 200, 10_000)] == [2, 2, 3, 9, 10, 10]
