"""The information of one column, against known values."""

import numpy as np
import pytest

from withhold.data.attributes import read_attributes
from withhold.methods.leace.limits import discrete_columns, information, read_discrete_columns


def test_discrete_columns_have_a_common_value():
    rng = np.random.default_rng(0)
    H = np.column_stack([rng.normal(size=400), rng.random(400) < 0.01, np.ones(400), rng.integers(10, size=400)])
    assert discrete_columns(H).tolist() == [1]


def test_information_of_a_known_channel():
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=20_000)
    flipped = np.where(rng.random(20_000) < 0.1, 1 - s, s)
    truth = np.log(2) + 0.1 * np.log(0.1) + 0.9 * np.log(0.9)
    assert information(flipped.astype(float), s) == pytest.approx(truth, abs=0.01)
    assert information(rng.normal(size=20_000), s) < 0.002


def test_noise_raises_nothing_and_a_copy_does():
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=3_000)
    rare = (rng.random((3_000, 20)) < 0.02).astype(float)
    attribute = read_attributes(s)[0]
    names = [f"c{j}" for j in range(20)]
    assert read_discrete_columns(rare, rare + rng.normal(size=rare.shape), attribute, names) == []
    leaking = rare.copy()
    leaking[:, 4] += 0.1 * s
    assert read_discrete_columns(rare, leaking, attribute, names)[0].column == "c4"


def test_continuous_attribute():
    rng = np.random.default_rng(0)
    age, rare = rng.normal(size=3_000), (rng.random((3_000, 2)) < 0.02).astype(float)
    found = read_discrete_columns(rare, rare + [[0, 1]] * age[:, None], read_attributes(age)[0], ["a", "b"])
    assert found[0].column == "b"
