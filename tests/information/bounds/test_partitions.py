"""Partitions cover, are disjoint, and are as many as Bell says."""

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.information.bounds.envelope import set_partitions


@pytest.mark.parametrize(("n", "bell"), [(1, 1), (3, 5), (4, 15), (6, 203)])
def test_partitions(n: int, bell: int) -> None:
    listed = set_partitions(n)
    assert len(listed) == bell
    seen = set()
    for number in range(bell):
        blocks = listed.subsets[listed.of(number)]
        assert (blocks.sum(axis=0) == 1).all()
        seen.add(frozenset(map(bytes, blocks)))
    assert len(seen) == bell
    np.testing.assert_array_equal(np.bincount(listed.owner), [len(listed.of(i)) for i in range(bell)])


@pytest.mark.parametrize("n", [0, 9])
def test_refuses_what_cannot_be_listed(n: int) -> None:
    with pytest.raises(InvalidParameterError, match="Bell"):
        set_partitions(n)
