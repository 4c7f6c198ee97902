import numpy as np
import pytest
from known_worlds import gaussian
from known_worlds.quadrature import distance_for
from known_worlds.registry import WORLDS
from scipy.stats import norm

from exact_information import agrees, log_ratio, matrix, sample


@pytest.mark.parametrize(("name", "size"), [("shift", 0.10), ("shift_small", 0.03)])
def test_shift(name, size):
    drawn = sample(name)
    z, d = matrix(drawn)[:, 3], distance_for(size)
    agrees(name, log_ratio(np.column_stack([norm.logpdf(z), norm.logpdf(z - d)]), drawn.sensitive["s"]))


@pytest.mark.parametrize(("name", "size"), [("dense", 0.10), ("dense_small", 0.04)])
def test_dense(name, size):
    drawn = sample(name)
    z = matrix(drawn)
    centre = distance_for(size) * gaussian.DIRECTION
    densities = [norm.logpdf(z).sum(axis=1), norm.logpdf(z - centre).sum(axis=1)]
    agrees(name, log_ratio(np.column_stack(densities), drawn.sensitive["s"]))


@pytest.mark.parametrize(("name", "size"), [("interaction", 0.10), ("interaction_small", 0.05)])
def test_interaction(name, size):
    drawn = sample(name)
    z, d = matrix(drawn), distance_for(size)
    code = z[:, 20] * np.sign(z[:, 4])
    s = drawn.sensitive["s"]
    agrees(name, log_ratio(np.column_stack([norm.logpdf(code + d / 2), norm.logpdf(code - d / 2)]), s))
    # Neither column alone tells anything.
    assert abs(np.corrcoef(z[:, 20], s)[0, 1]) < 0.01
    assert abs(np.corrcoef(z[:, 20] ** 2, s)[0, 1]) < 0.01


def test_four_classes():
    drawn = sample("four_classes")
    z, d, shares = matrix(drawn)[:, 0], distance_for(0.15, gaussian.FOUR), gaussian.FOUR
    agrees("four_classes", log_ratio(norm.logpdf(z[:, None] - d * np.arange(4)), drawn.sensitive["s"], shares))


def test_scale():
    drawn = sample("scale")
    z = matrix(drawn)[:, :4]
    densities = [norm.logpdf(z).sum(axis=1), norm.logpdf(z, scale=1.5).sum(axis=1)]
    agrees("scale", log_ratio(np.column_stack(densities), drawn.sensitive["s"]))


def test_rotation():
    drawn = sample("rotation")
    first, second = matrix(drawn)[:, :2].T
    densities = [norm.logpdf(second, loc=rho * first, scale=0.8) for rho in (-0.6, 0.6)]
    agrees("rotation", log_ratio(np.column_stack(densities), drawn.sensitive["s"]))


def test_the_referee_can_disagree():
    drawn = sample("shift")
    z, d = matrix(drawn)[:, 4], distance_for(0.10)
    with pytest.raises(AssertionError):
        agrees("shift", log_ratio(np.column_stack([norm.logpdf(z), norm.logpdf(z - d)]), drawn.sensitive["s"]))


def test_a_rotation_without_correlation_tells_nothing_and_a_full_one_much():
    assert gaussian.rotation_information(0.0) == pytest.approx(0.0, abs=1e-12)
    assert gaussian.rotation_information(0.95) > 2 * WORLDS["rotation"].truth
