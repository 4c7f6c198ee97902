import math

import numpy as np
import pytest
from scipy.stats import norm

from withhold.data.attributes import read_attributes
from withhold.data.equal_mass import equal_mass
from withhold.methods.mi_backprop.information_rows import (
    class_marginal,
    held_out_information,
    maximum_information,
)

pytestmark = pytest.mark.usefixtures("short_readings")


def test_the_maximum_is_the_entropy_of_all_attributes_together():
    both = read_attributes(np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 3))
    assert maximum_information(both) == pytest.approx(math.log(4))
    twice = read_attributes(np.array([["a", "a"], ["b", "b"]] * 3))
    assert maximum_information(twice) == pytest.approx(math.log(2))
    assert maximum_information(read_attributes(np.linspace(0, 1, 9))) == math.inf


def test_a_reading_finds_what_is_there_and_nothing_else():
    rng = np.random.default_rng(0)
    a, b = rng.integers(2, size=900), rng.integers(26, size=900)
    sensitive = read_attributes(np.stack([a, b], axis=1).astype(str))  # 52 cells: read one by one
    Z = np.stack([3 * a + rng.normal(size=900), rng.normal(size=900)], axis=1)
    found = held_out_information(Z, sensitive, 0)
    assert 0.4 < found.value < math.log(2)
    assert held_out_information(rng.normal(size=(900, 2)), sensitive, 0).value < 0.03
    assert held_out_information(Z[:20], sensitive.take(np.arange(20)), 0) is None


def test_a_continuous_attribute_is_read_in_bins():
    rng = np.random.default_rng(0)
    values = rng.normal(size=900)
    found = held_out_information(values[:, None] + 0.1 * rng.normal(size=(900, 1)), read_attributes(values), 0)
    assert found.value > 0.8
    assert np.bincount(equal_mass(values)).tolist() == pytest.approx([112.5] * 8, abs=1)


def test_marginals_within_classes():
    values, classes = np.array([0.0, 2.0, 5.0, 7.0, np.nan]), np.array([0, 0, 1, 1, -1])
    found = class_marginal(values, classes, 0)
    assert found[:4] == pytest.approx([norm.logpdf(1.0)] * 4)
    assert found[4] == 0.0
