import math

import pytest

from withhold.training.budget import OVERSHOOT, BudgetMultiplier


def settle(leakage_at, rounds=600, **kwargs):
    """Play against a leakage that falls with the multiplier; return both at the end."""
    price = BudgetMultiplier(0.02, aim=0.65, **kwargs)
    for _ in range(rounds):
        price.update(leakage_at(price.value))
    return price.value, leakage_at(price.value)


def test_meets_the_target_whatever_the_scale_of_the_response():
    for scale in (0.1, 1.0, 10.0):
        value, leakage = settle(lambda v, s=scale: 0.05 / (1 + v / s), rounds=3000)
        assert abs(leakage - 0.013) < 0.001, (scale, value)


def test_falls_while_there_is_room():
    value, _ = settle(lambda v: 0.0)
    assert value < 1e-3


def test_state_round_trip_is_exact():
    first, second = BudgetMultiplier(0.02), BudgetMultiplier(0.02)
    for leak in (0.3, 0.02, 0.011):
        first.update(leak)
    second.load_state_dict(first.state_dict())
    assert [first.update(0.017) for _ in range(5)] == [second.update(0.017) for _ in range(5)]


def test_the_ceiling_holds_and_is_left_at_once():
    price = BudgetMultiplier(0.02, aim=0.5, gain=0.1, most=10.0)
    for _ in range(500):
        price.update(0.6)
    assert price.value == pytest.approx(10.0)
    for _ in range(120):  # the average needs eighty of these to come down
        price.update(0.0)
    assert price.value < 5.0


def test_a_budget_that_is_missed_for_a_very_long_time_leaves_a_finite_multiplier():
    price = BudgetMultiplier(0.02)
    for _ in range(12_000):
        price.update(0.6)
    assert 1e6 < price.value < 1e10
    unbounded = BudgetMultiplier(0.02, most=math.inf)
    unbounded.integral = 12_000 * unbounded.gain * OVERSHOOT
    with pytest.raises(OverflowError):  # what the bound is for
        unbounded.update(0.6)
