"""The paper's search is never better than the certified curve, and two values of Z are not enough."""

import numpy as np
import pytest
from bounds.restricted import restricted_cardinality

from withhold.information.bounds.frontier import frontier

SYMMETRIC = np.array([[0.45, 0.05], [0.05, 0.45]])


@pytest.mark.parametrize("values", [2, 4])
def test_above_the_certified_curve_and_within_budget_once_repaired(values: int) -> None:
    certified = frontier(SYMMETRIC, [0.0, 0.1]).lower_bound
    for one, least in zip(restricted_cardinality(SYMMETRIC, [0.0, 0.1], values, steps=1500), certified, strict=True):
        assert one.repaired.leakage <= one.budget + 1e-12
        assert one.repaired.uncertainty >= least - 1e-9


def test_two_values_fall_short_of_the_symmetric_source() -> None:
    """|Z| = 2 reaches I(U;Z) = .272 at k = .1, where .351902 is possible."""
    found = restricted_cardinality(SYMMETRIC, [0.1], 2, steps=3000)[0]
    assert np.log(2) - found.repaired.uncertainty < 0.30
