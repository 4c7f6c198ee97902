import numpy as np
import pytest
from known_worlds.registry import WORLDS
from scipy.stats import norm

from exact_information import agrees, matrix, sample


@pytest.mark.parametrize(("name", "rho"), [("continuous", 0.5), ("continuous_small", 0.25)])
def test_correlation(name, rho):
    drawn = sample(name)
    s, z = drawn.sensitive["s"], matrix(drawn)[:, 4]
    agrees(name, norm.logpdf(s, rho * z, np.sqrt(1 - rho**2)) - norm.logpdf(s))


# A plain trapezoid rule over z: another quadrature than that of the truth.
NODES = np.linspace(-9, 9, 3601)
WEIGHTS = norm.pdf(NODES) * 0.005


def test_curve():
    drawn = sample("continuous_curve")
    s, z = drawn.sensitive["s"], matrix(drawn)[:, 2]
    grid = np.linspace(-7, 12, 800)
    density = norm.pdf(grid[:, None] - np.sqrt(2) * np.abs(NODES)) @ WEIGHTS
    agrees("continuous_curve", norm.logpdf(s - np.sqrt(2) * np.abs(z)) - np.interp(s, grid, np.log(density)))


def test_spread():
    drawn = sample("continuous_spread")
    s, z = drawn.sensitive["s"], matrix(drawn)[:, 1]
    grid = np.linspace(-9, 9, 901)
    scales = np.exp(0.7 * NODES)
    density = (norm.pdf(np.sinh(grid)[:, None] / scales) / scales) @ WEIGHTS
    log_p = np.interp(np.arcsinh(s), grid, np.log(np.maximum(density, 1e-300)))
    agrees("continuous_spread", norm.logpdf(s / np.exp(0.7 * z)) - 0.7 * z - log_p)


def test_noise_is_uncorrelated():
    drawn = sample("continuous_noise", n=20_000)
    assert np.abs(np.corrcoef(np.column_stack([matrix(drawn), drawn.sensitive["s"]]).T)[-1, :-1]).max() < 0.03
    assert WORLDS["continuous_noise"].truth == 0.0
