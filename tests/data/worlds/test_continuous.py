import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from data.worlds.exact import agrees, matrix, sample
from withhold.data.worlds.registry import WORLDS


@pytest.mark.parametrize(("name", "rho"), [("continuous", 0.5), ("continuous_small", 0.25)])
def test_correlation(name, rho):
    drawn = sample(name)
    s, z = drawn.sensitive["s"], matrix(drawn)[:, 4]
    agrees(name, norm.logpdf(s, rho * z, np.sqrt(1 - rho**2)) - norm.logpdf(s))


def marginal(grid, density):
    """log p(s) at any s, by interpolation on a fine grid."""
    return lambda s: np.interp(s, grid, np.log(density))


def test_curve():
    drawn = sample("continuous_curve")
    s, z = drawn.sensitive["s"], matrix(drawn)[:, 2]
    grid = np.linspace(-7, 12, 2000)
    density = [quad(lambda a, x=x: 2 * norm.pdf(a) * norm.pdf(x - np.sqrt(2) * a), 0, 9)[0] for x in grid[::4]]
    log_p = marginal(grid[::4], np.maximum(density, 1e-300))
    agrees("continuous_curve", norm.logpdf(s - np.sqrt(2) * np.abs(z)) - log_p(s))


def test_spread():
    drawn = sample("continuous_spread")
    s, z = drawn.sensitive["s"], matrix(drawn)[:, 1]
    t = np.linspace(-9, 9, 901)
    density = [
        quad(lambda a, x=x: norm.pdf(a) * norm.pdf(x / np.exp(0.7 * a)) / np.exp(0.7 * a), -9, 9)[0] for x in np.sinh(t)
    ]
    log_p = marginal(t, np.maximum(density, 1e-300))
    scale = np.exp(0.7 * z)
    agrees("continuous_spread", norm.logpdf(s / scale) - np.log(scale) - log_p(np.arcsinh(s)))


def test_noise_is_uncorrelated():
    drawn = sample("continuous_noise", n=20_000)
    assert np.abs(np.corrcoef(np.column_stack([matrix(drawn), drawn.sensitive["s"]]).T)[-1, :-1]).max() < 0.03
    assert WORLDS["continuous_noise"].truth == 0.0
