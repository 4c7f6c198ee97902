import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from withhold.data.columns.score import KNOTS, ScoreMap, end_values

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def fitted(values):
    return ScoreMap.fit(*np.unique(values, return_counts=True))


@QUICK
@given(
    st.lists(
        st.sampled_from([0.0, 1.0, 2.0]) | st.floats(-1e9, 1e9, allow_subnormal=False), min_size=5, max_size=300
    ).filter(lambda x: len(set(x)) > 1)
)
@example([0.0] * 8 + [1.0, 2.225073858507e-311])  # a slope between these would overflow
@example([-2048.0, -1.0] + [0.0] * 7 + [1.96e-278])  # several knots at the very end of the last bucket
@example([1.0, 1.0, 8.216229067271871e-102, -3.0, -2.220446049250313e-16])  # two values within rounding of the range
def test_the_map_increases_and_is_inverted(values):
    scored = fitted(np.array(values))
    assert (np.diff(scored.values) > 0).all()
    assert (np.diff(scored.scores) > 0).all()
    x = np.sort(np.array(values))
    s = scored.forward(x)
    scale, rounding = x[-1] - x[0], 8 * np.finfo(np.float64).eps
    assert (np.diff(s)[np.diff(x) > rounding * scale] > 0).all()
    assert (np.diff(s) >= -rounding).all()
    np.testing.assert_allclose(scored.inverse(s), x, rtol=1e-9, atol=1e-9 * scale)
    # between the knots too
    between = (x[1:] + x[:-1]) / 2
    np.testing.assert_allclose(scored.inverse(scored.forward(between)), between, rtol=1e-7, atol=1e-7 * scale)


def test_scores_of_a_continuous_column_are_normal():
    x = np.random.default_rng(0).lognormal(3, 2, 20_000)
    s = fitted(x).forward(x)
    assert abs(s.mean()) < 0.02
    assert s.std() == pytest.approx(1, abs=0.02)
    np.testing.assert_allclose(np.quantile(s, [0.05, 0.5, 0.95]), norm.ppf([0.05, 0.5, 0.95]), atol=0.03)


def test_an_atom_owns_its_share_of_scores():
    x = np.array([0.0] * 60 + list(np.linspace(1, 2, 40)))
    scored = fitted(x)
    assert scored.inverse(norm.ppf([0.01, 0.3, 0.59])).tolist() == [0.0, 0.0, 0.0]
    assert scored.inverse(norm.ppf([0.61]))[0] > 0
    just_above = scored.forward(np.array([1e-9]))[0]
    assert just_above == pytest.approx(norm.ppf(0.6), abs=1e-6)
    assert scored.forward(np.array([-5.0, 0.0]))[0] == scored.forward(np.array([0.0]))[0]


def test_knots_are_few_and_no_records_value():
    x = np.random.default_rng(0).standard_t(2, 50_000)
    scored = fitted(np.clip(x, *end_values(np.sort(x))))
    assert len(scored.values) <= KNOTS
    assert not set(scored.values) & set(x)
    below = [(x <= value).mean() for value in scored.values[1:-1]]
    np.testing.assert_allclose(scored.scores[1:-1], norm.ppf(below), atol=1e-3)  # the share of rows below each


def test_values_that_many_share_are_knots_as_they_are():
    x = np.random.default_rng(0).integers(20, 60, 4_000) / 4
    assert set(fitted(x).values) == set(x)
    few = fitted(np.append(x, [7.13, 8.77]))
    assert not {7.13, 8.77} & set(few.values)
    assert set(x) <= set(few.values)


@pytest.mark.parametrize(("n", "beyond"), [(10, 1), (39, 1), (60, 3), (200, 10), (10_000, 10)])
def test_ends_have_rows_beyond_them(n, beyond):
    x = np.arange(float(n))
    low, high = end_values(x)
    assert (x <= low).sum() == (x >= high).sum() == beyond
    assert not {low, high} & set(x)
    low, high = end_values(x, 1.0)  # all points of the grid are taken
    assert (x <= low).sum() == (x >= high).sum() == beyond


def test_ends_on_a_grid_lie_on_it_between_records():
    x = np.sort(np.random.default_rng(0).choice(100_000, 400, replace=False)).astype(float)
    low, high = end_values(x, 1.0)
    assert low == int(low)
    assert not {low, high} & set(x)
    assert (x <= low).sum() == (x >= high).sum() == 10
    cents = np.round(x / 100, 2)
    ends = end_values(cents, 0.01)
    assert np.round(ends, 2).tolist() == list(ends)
    assert not set(ends) & set(cents)
    assert end_values(np.array([0.0, 2.0]), 1.0) == (0.0, 2.0)  # nothing lies between two records and is not one


def test_the_largest_numbers_have_a_scale():
    values = np.array([-1.0, 0.5, 1.0]) * np.finfo(float).max  # the next power of two is no number
    scored = fitted(values)
    np.testing.assert_allclose(scored.inverse(scored.forward(values)), values, rtol=1e-12)
