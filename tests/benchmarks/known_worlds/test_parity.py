import numpy as np
import pytest
from known_worlds import parity
from scipy.special import expit

from exact_information import agrees, log_ratio, matrix, sample


def binary(p, s):
    return log_ratio(np.log(np.column_stack([1 - p, p])), s)


@pytest.mark.parametrize(
    ("name", "flip", "ways"), [("xor_axes", 0.2, 2), ("xor_axes_small", 0.37, 2), ("parity3", 0.1, 3)]
)
def test_parity_on_axes(name, flip, ways):
    drawn = sample(name)
    positive = (np.sign(matrix(drawn)[:, :ways]).prod(axis=1)) > 0
    agrees(name, binary(np.where(positive, 1 - flip, flip), drawn.sensitive["s"]))


def test_any_two_columns_of_three_way_parity_tell_nothing():
    drawn = sample("parity3")
    z, s = np.sign(matrix(drawn)), drawn.sensitive["s"]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert abs(np.corrcoef(z[:, i] * z[:, j], s)[0, 1]) < 0.01
    assert abs(np.corrcoef(z[:, 0] * z[:, 1] * z[:, 2], s)[0, 1]) > 0.7


def test_rotated():
    drawn = sample("xor_rotated")
    u, v = (matrix(drawn) @ parity.ROTATION.T)[:, :2].T
    p = expit(4 * np.sign(u * v) * np.sqrt(np.abs(u * v)))
    agrees("xor_rotated", binary(p, drawn.sensitive["s"]))


def test_bands():
    drawn = sample("bands")
    odd = np.floor(8 * matrix(drawn)[:, 5]).astype(int) % 2 == 1
    agrees("bands", binary(np.where(odd, 0.9, 0.1), drawn.sensitive["s"]))


@pytest.mark.parametrize("factors", [1, 2, 3])
def test_products_of_normals_against_draws(factors):
    nodes, weights = parity.log_product_density(factors)
    product = np.abs(np.random.default_rng(0).standard_normal((400_000, factors)).prod(axis=1))
    for power in (0.5, 1.0):
        assert (weights * np.exp(power * nodes)).sum() == pytest.approx((product**power).mean(), rel=0.01)
    assert (weights * np.exp(2 * nodes)).sum() == pytest.approx(1.0, abs=1e-4)
