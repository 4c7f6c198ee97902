import math

import numpy as np
import pytest

from withhold.contracts.errors import DataError
from withhold.data.attributes import read_attributes
from withhold.methods.mi_backprop.decorrelation import decorrelating_weights, known_rows, label_ratios, look_ahead

pytestmark = pytest.mark.usefixtures("short_readings")


def coupled(n=2000, share=0.8, seed=0):
    """Label and attribute of two values that agree with probability `share`: I(Y; C) = log 2 - H_b(share)."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    c = np.where(rng.random(n) < share, y, 1 - y)
    return read_attributes(y)[0], read_attributes(c.astype(str)), y, c


def told(share):
    return math.log(2) + share * math.log(share) + (1 - share) * math.log(1 - share)


def test_what_the_attribute_tells_and_when_a_constant_wins():
    labels, sensitive, *_ = coupled()
    ahead = look_ahead(labels, sensitive, 0, decorrelate=False)
    assert ahead.told == pytest.approx(told(0.8), abs=0.04)
    assert ahead.collapse_lambda == pytest.approx(math.log(2) / told(0.8), rel=0.25)
    assert ahead.weights is None
    labels, sensitive, *_ = coupled(share=0.5)
    assert look_ahead(labels, sensitive, 0, decorrelate=False).collapse_lambda == math.inf


def test_weighted_rows_are_independent():
    """p(c) / p(c | y) = .5 / .8 and .5 / .2; the would learn from the equivalent of of these is 64 %."""
    labels, sensitive, y, c = coupled()
    found = decorrelating_weights(labels, sensitive, 0)
    joint = np.array([[found.weights[(y == i) & (c == j)].sum() for j in (0, 1)] for i in (0, 1)]) / len(y)
    assert np.abs(joint - 0.25).max() < 0.04  # 200 rows of each rare kind: .02
    assert found.effective / len(y) == pytest.approx(0.64, abs=0.03)
    assert found.covered == pytest.approx(1.0, abs=0.05)
    assert np.abs(np.histogram2d(y, c, bins=2)[0] / len(y) - 0.25).max() > 0.1  # without weights they are not


def test_continuous_attributes_are_weighted_too():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=2000)
    c = y + rng.normal(size=2000)
    found = decorrelating_weights(read_attributes(y)[0], read_attributes(c), 0)
    means = [np.average(c[y == k], weights=found.weights[y == k]) for k in (0, 1)]
    assert abs(means[1] - means[0]) < 0.25 < c[y == 1].mean() - c[y == 0].mean()


def test_too_few_rows_in_effect_are_refused():
    """Ten classes, an attribute that is the class in 99 of 100 rows: a few rows would stand for nearly all."""
    y = np.random.default_rng(0).integers(10, size=2000)
    c = np.where(np.arange(2000) < 20, (y + 1) % 10, y)
    with pytest.raises(DataError, match="would learn from the equivalent of"):
        decorrelating_weights(read_attributes(y)[0], read_attributes(c.astype(str)), 0, ceiling=1e4)


def test_rows_with_missing_values_are_left_out():
    labels, sensitive, *_ = coupled(600)
    holed = read_attributes(np.where(np.arange(600) < 100, None, sensitive[0].codes.astype(str).astype(object)))
    assert known_rows(labels, holed).tolist() == list(range(100, 600))
    assert (decorrelating_weights(labels, holed, 0).weights[:100] == 0).all()
    assert label_ratios(labels, holed, known_rows(labels, holed), 0).mean() > 0.1
