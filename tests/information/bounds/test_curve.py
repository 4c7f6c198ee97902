"""The lower convex envelope of mechanisms, and the order in which budgets are worked on."""

import numpy as np
import pytest

from withhold.information.bounds.curve import Curve, between
from withhold.information.bounds.mechanism import Mechanism


def at(leak: float, left: float) -> Mechanism:
    return Mechanism(np.ones((1, 1, 1)), leak, left)


def test_between_takes_corners_of_the_envelope() -> None:
    known = [at(0.0, 1.0), at(0.5, 0.1), at(0.25, 0.9), at(1.0, 0.0)]  # the third lies above the chord
    low, high = between(known, 0.3)
    assert (low.leakage, high.leakage) == (0.0, 0.5)
    assert between(known, 0.5)[0].leakage == 0.5
    assert between(known, 2.0)[1].leakage == 1.0


def test_more_budgets_never_loosen_the_lines() -> None:
    joint = np.array([[0.3, 0.1], [0.1, 0.2], [0.05, 0.25]])
    curve = Curve.start(joint)
    before = curve.lower(0.02)[0]
    found = curve.upper([0.02], 1e-4)[0]
    after = curve.lower(0.02)[0]
    assert before <= after <= found.uncertainty
    assert found.uncertainty - after == pytest.approx(0.0, abs=1e-4)
    assert found.leakage <= 0.02 + 1e-12
