"""Lumping keeps the curve, lifting undoes it; merging columns joins what is alike."""

import numpy as np
import pytest

from withhold.information.bounds.classes import lump, merge_columns, merged
from withhold.information.bounds.mechanism import leakage, uncertainty


def test_lifting_keeps_both_numbers() -> None:
    joint = np.array([[0.05, 0.1], [0.15, 0.3], [0.2, 0.1], [0.0, 0.0], [0.06, 0.04]])
    found = lump(joint)
    assert found.row.tolist() == [0, 0, 1, -1, 2]
    channel = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 2)).transpose(2, 0, 1)
    atoms = channel * found.joint
    lifted = found.lift_atoms(atoms)
    np.testing.assert_allclose(lifted.sum(axis=0), joint, atol=1e-12)
    assert leakage(lifted) == pytest.approx(leakage(atoms), abs=1e-12)
    assert uncertainty(lifted) == pytest.approx(uncertainty(atoms), abs=1e-12)


def test_prices_are_those_of_the_class() -> None:
    joint = np.array([[0.1, 0.2], [0.2, 0.4], [0.1, 0.0]])
    assert lump(joint).lift_prices(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[1, 2], [1, 2], [3, 4]]


def test_merging_joins_equal_columns_first() -> None:
    joint = np.array([[0.1, 0.3, 0.1, 0.0], [0.1, 0.0, 0.1, 0.3]])
    group = merge_columns(joint, 3)
    assert group[0] == group[2]
    assert len(set(group.tolist())) == 3
    np.testing.assert_allclose(merged(joint, group).sum(), 1.0)
