import numpy as np
import pytest

from withhold.data.columns.score import MOST_STEPS, Piecewise


@pytest.mark.parametrize("spread", [0.5, 3.0, 12.0])
def test_it_is_linear_interpolation(spread):
    """Also where one bucket holds many knots (a spread of e^12), so that a search takes over."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.lognormal(0, spread, 129))
    y = np.sort(rng.standard_normal(129))
    function = Piecewise(x, y)
    assert function._searched == (spread > 1) or function._steps <= MOST_STEPS
    at = np.concatenate([x, rng.lognormal(0, spread, 40_000), [-1.0, 0.0, 1e300]])
    np.testing.assert_allclose(function(at), np.interp(at, x, y), rtol=1e-9, atol=1e-9)


def test_both_ways_of_evaluation_are_taken():
    narrow, wide = np.linspace(0, 1, 129), np.concatenate([np.linspace(0, 1e-9, 128), [1.0]])
    assert not Piecewise(narrow, narrow)._searched
    assert Piecewise(wide, narrow)._searched


def test_knots_that_nearly_coincide_make_a_jump_and_no_overflow():
    function = Piecewise(np.array([0.0, 1e-310, 1.0]), np.array([0.0, 1.0, 2.0]))
    assert function(np.array([0.0, 1e-310, 0.5, 1.0])).tolist() == pytest.approx([0.0, 1.0, 1.5, 2.0])


def test_jumps_are_continuous_from_the_right_and_never_crossed_from_the_left():
    function = Piecewise(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0, 6.0]))
    below = np.nextafter(1.0, 0.0)
    assert function(np.array([below, 1.0])).tolist() == pytest.approx([1.0, 5.0])
    assert function(np.array([np.nan])).tolist() == [0.0]
    assert function(np.empty(0)).shape == (0,)
