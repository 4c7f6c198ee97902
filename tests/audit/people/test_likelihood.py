import numpy as np
import pyarrow as pa
import pytest
from scipy.spatial.distance import cdist

from withhold.audit.people.likelihood import LIKELIHOOD, RATIO, area, likelihood_membership


def world(n=600, seed=0, d=6):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, pa.table({f"x{j}": X[:, j] for j in range(d)}), np.arange(n) < n // 2


def test_a_density_that_knows_nothing_of_its_rows_is_at_chance():
    inside = []
    for seed in range(40):
        X, table, member = world(seed=seed)
        found = likelihood_membership(-0.5 * (X**2).sum(axis=1), table, member, seed=seed)
        inside.append(found.auc.low <= 0.5 <= found.auc.high)
    assert np.mean(inside) > 0.85  # of 95 % intervals of the larger of two


def test_a_density_that_learned_rows_by_heart_is_found():
    X, table, member = world()
    kernel = np.exp(-cdist(X, X[member], "sqeuclidean") / (2 * 0.05)).mean(axis=1)
    found = likelihood_membership(np.log(kernel + 1e-300), table, member)
    assert found.auc.low > 0.95
    assert found.tpr_at_1pct_fpr > 0.9
    assert found.control.low < 0.5 < found.control.high


def test_what_makes_a_record_likely_anyway_is_taken_off():
    X, table, member = world(1200)
    rng = np.random.default_rng(1)
    score = -2.0 * (X**2).sum(axis=1) + 1.5 * member + rng.normal(size=len(X))
    found = likelihood_membership(score + 1.5 * (X**2).sum(axis=1), table, member)
    assert found.auc.attacker == RATIO
    assert found.attacks[RATIO].value > found.attacks[LIKELIHOOD].value + 0.1


def test_parts_that_differ_in_the_first_place_are_seen_in_the_control():
    X, _, member = world()
    X[member] *= 0.5
    found = likelihood_membership(
        -0.5 * (X**2).sum(axis=1), pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])}), member
    )
    assert found.auc.low > 0.5
    assert found.control.low > 0.5


def test_too_few_rows_and_order():
    _, table, member = world(60)
    assert likelihood_membership(np.zeros(60), table, member) is None
    perfect = area(np.arange(50.0) + 100, np.arange(50.0), 0.95)
    assert (perfect.value, perfect.high) == (1.0, 1.0)
    assert perfect.low == pytest.approx(1 - 1.96 * 0.01, abs=1e-3)
    assert area(np.zeros(30), np.zeros(30), 0.95).value == 0.5
