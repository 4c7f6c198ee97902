"""Repair and time-sharing average both numbers exactly."""

import numpy as np
import pytest

from withhold.information.bounds.mechanism import Mechanism, leakage, telling, uncertainty

JOINT = np.array([[0.4, 0.1], [0.1, 0.4]])


def test_repair_meets_the_budget_and_the_channel_agrees() -> None:
    silent = Mechanism.of(JOINT[None], JOINT)
    repaired = telling(JOINT).repaired(0.05, silent)
    assert repaired.leakage == pytest.approx(0.05, abs=1e-12)
    assert leakage(repaired.channel * JOINT) == pytest.approx(repaired.leakage, abs=1e-12)
    assert uncertainty(repaired.channel * JOINT) == pytest.approx(repaired.uncertainty, abs=1e-12)


def test_what_is_within_budget_is_left_alone() -> None:
    told = telling(JOINT)
    assert told.repaired(1.0, told) is told


def test_atoms_are_renormalised() -> None:
    off = Mechanism.of(1.01 * JOINT[None], JOINT)
    np.testing.assert_array_equal(off.channel, np.ones((1, 2, 2)))
