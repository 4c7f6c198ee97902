import numpy as np
import pytest
from known_worlds.quadrature import (
    binary_entropy,
    channel_information,
    distance_for,
    flip_information,
    mixture_information,
    normal_nodes,
    shift_information,
)
from scipy.integrate import quad
from scipy.stats import norm


@pytest.mark.parametrize("distance", [0.1, 0.7, 2.0, 5.0])
def test_a_shift_against_adaptive_integration_of_another_form(distance):
    """I = ln 2 - E log(1 + exp(-d (x - d/2))), x ~ N(d, 1): the form that signal detection uses."""

    def loss(x):
        return norm.pdf(x - distance) * np.logaddexp(0, -distance * (x - distance / 2))

    expected = np.log(2) - quad(loss, -10, 15, limit=200)[0]
    assert shift_information(distance) == pytest.approx(expected, abs=1e-8)


def test_a_small_shift_is_an_eighth_of_its_square():
    assert shift_information(0.02) == pytest.approx(0.02**2 / 8, rel=1e-3)


def test_a_far_shift_tells_everything_of_unequal_classes():
    shares = (0.7, 0.2, 0.1)
    assert shift_information(60.0, shares) == pytest.approx(-sum(p * np.log(p) for p in shares), abs=1e-9)


def test_distance_undoes_information():
    assert shift_information(distance_for(0.15, (0.4, 0.3, 0.2, 0.1)), (0.4, 0.3, 0.2, 0.1)) == pytest.approx(0.15)


def test_a_table_against_its_entropies():
    joint = np.random.default_rng(0).dirichlet(np.ones(12)).reshape(3, 4)

    def entropy(p):
        return -(p * np.log(p)).sum()

    expected = entropy(joint.sum(1)) + entropy(joint.sum(0)) - entropy(joint)
    assert channel_information(joint) == pytest.approx(expected)
    assert mixture_information(joint.sum(1), joint / joint.sum(1, keepdims=True), 1.0) == pytest.approx(expected)


def test_a_flip_is_the_binary_symmetric_channel():
    joint = 0.5 * np.array([[0.8, 0.2], [0.2, 0.8]])
    assert flip_information(0.2) == pytest.approx(channel_information(joint))
    assert binary_entropy(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]


def test_nodes_integrate_moments():
    nodes, weights = normal_nodes(20)
    assert (weights * nodes**4).sum() == pytest.approx(3.0)
