import numpy as np
import pytest

from withhold.information.estimators.discrete import DiscreteInformation
from withhold.information.measures.counts import information_interval


def test_it_is_the_table_s_information():
    rng = np.random.default_rng(0)
    a = rng.integers(4, size=(200, 2))
    b = np.where(rng.random(200) < 0.5, a[:, 0], rng.integers(4, size=200)).astype(str)
    codes = 4 * a[:, 0] + a[:, 1]
    table = np.zeros((16, 4))
    np.add.at(table, (codes, b.astype(int)), 1)
    found, expected = DiscreteInformation().fit(a, b).estimate(), information_interval(table)
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    assert found.low < 0.313 < found.high
