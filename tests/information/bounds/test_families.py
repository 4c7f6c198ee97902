"""The linear programme over families against the same programme over single posteriors."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import entr

from withhold.information.bounds.families import Family, mix
from withhold.information.bounds.no_leakage import quantile_family

JOINT = np.array([[0.2, 0.1], [0.15, 0.05], [0.05, 0.45]])


def test_mixture_averages_to_the_joint_and_counts_right() -> None:
    found = mix(JOINT, quantile_family(JOINT), None)
    assert found is not None
    np.testing.assert_allclose(found.atoms.sum(axis=0), JOINT, atol=1e-9)
    assert (np.count_nonzero(found.atoms.sum(axis=1) > 0, axis=1) == 2).all()  # every z is possible under every s


def test_single_posteriors_give_the_same_optimum() -> None:
    """k = 0 by listing all maps from S to U, with families of both partitions on the other side."""
    reference = JOINT.sum(axis=0)
    maps = list(itertools.product(range(3), repeat=2))
    columns = np.array([[reference[s] * (g[s] == u) for u in range(3) for s in range(2)] for g in maps]).T
    cost = [entr(np.bincount(g, reference, 3)).sum() for g in maps]
    listed = linprog(cost, A_eq=columns, b_eq=JOINT.ravel(), bounds=(0, None)).fun
    together = Family(np.broadcast_to(reference, JOINT.shape), np.ones((1, 2), bool), np.ones(1), np.ones((1, 3), bool))
    found = mix(JOINT, [*quantile_family(JOINT), together], None)
    assert found is not None
    assert found.uncertainty == pytest.approx(listed, abs=1e-9)


def test_says_when_nothing_averages_to_the_joint() -> None:
    whole = Family(JOINT, np.ones((1, 2), bool), np.ones(1), np.eye(3, dtype=bool)[[0]])
    assert mix(JOINT, [whole], 1.0) is None


def test_the_limit_on_leakage_binds() -> None:
    told = [Family(JOINT, np.ones((1, 2), bool), np.ones(1), np.eye(3, dtype=bool)[[u]]) for u in range(3)]
    free, bound = mix(JOINT, [*told, *quantile_family(JOINT)], 1.0), mix(JOINT, [*told, *quantile_family(JOINT)], 0.05)
    assert free is not None
    assert bound is not None
    assert free.uncertainty == pytest.approx(0.0, abs=1e-9)
    assert bound.uncertainty > 0.1
    assert bound.slope >= 1.0
