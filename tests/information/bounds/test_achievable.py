"""Releases of a finite X: within budget, better than erasure, never below the certified curve."""

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.information.bounds.achievable import achievable_releases
from withhold.information.bounds.frontier import frontier
from withhold.information.bounds.lemmas import erasure_upper_bound
from withhold.information.measures.shannon import mutual_information


@pytest.mark.parametrize("seed", [0, 1])
def test_between_the_certified_curve_and_erasure(seed: int) -> None:
    joint = np.random.default_rng(seed).dirichlet(np.full(24, 0.4)).reshape(6, 2, 2)
    u_x, s_x = mutual_information(joint.sum(axis=2)), mutual_information(joint.sum(axis=1))
    budgets = [0.0, 0.3 * s_x, 0.7 * s_x]
    least = frontier(joint.sum(axis=0), budgets, utility_information=u_x).lower_bound
    erased = erasure_upper_bound(budgets, u_x, s_x)
    for k, low, high, one in zip(budgets, least, erased, achievable_releases(joint, budgets), strict=True):
        np.testing.assert_allclose(one.channel.sum(axis=0), 1.0, atol=1e-9)
        leak = mutual_information(one.channel @ joint.sum(axis=1))
        loss = u_x - mutual_information(one.channel @ joint.sum(axis=2))
        assert leak <= k + 1e-9
        assert low - 1e-9 <= loss <= high + 1e-9
        assert loss == pytest.approx(one.uncertainty - (frontier(joint.sum(axis=0), [0.0]).entropy_u - u_x), abs=1e-9)
    assert loss < high - 1e-3


def test_meets_the_exact_curve_where_x_tells_everything() -> None:
    joint = np.zeros((4, 2, 2))
    joint[[0, 1, 2, 3], [0, 0, 1, 1], [0, 1, 0, 1]] = [0.45, 0.05, 0.05, 0.45]
    free, spent = achievable_releases(joint, [0.0, 0.1])
    assert free.uncertainty == pytest.approx(0.8 * np.log(2), abs=1e-9)
    assert spent.uncertainty == pytest.approx(np.log(2) - 0.351902, abs=0.01)


def test_refuses_a_table() -> None:
    with pytest.raises(InvalidParameterError, match="three"):
        achievable_releases(np.eye(2) / 2, [0.0])
