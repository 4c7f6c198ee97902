"""Worlds with a continuous S: a correlation, a curve, a spread that depends on the release, and noise."""

import numpy as np
from known_worlds.quadrature import mixture_information, normal_nodes
from known_worlds.world import Draw, Reals, Sample, World, columns
from scipy.stats import norm

CORRELATION, SMALL = 0.5, 0.25
CURVE, SPREAD = 1.0, 0.7


def _linear(correlation: float) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Sample:
        s = rng.standard_normal(n)
        z = rng.standard_normal((n, 6))
        z[:, 4] = correlation * s + np.sqrt(1 - correlation**2) * z[:, 4]
        return Sample(columns(z), {"s": s})

    return draw


def _curve(n: int, rng: np.random.Generator) -> Sample:
    z = rng.standard_normal((n, 6))
    return Sample(columns(z), {"s": CURVE * np.abs(z[:, 2]) * np.sqrt(2) + rng.standard_normal(n)})


def _spread(n: int, rng: np.random.Generator) -> Sample:
    z = rng.standard_normal((n, 6))
    return Sample(columns(z), {"s": np.exp(SPREAD * z[:, 1]) * rng.standard_normal(n)})


def curve_information() -> float:
    """Return h(S) - h(g) of S = sqrt(2) |z| + g by quadrature over z and S.

    Examples
    --------
    >>> 0.1 < curve_information() < 0.5
    True
    """
    # |z| is half-normal: the midpoint rule on its quantiles.
    half = norm.ppf(0.5 + (np.arange(4_000) + 0.5) / 8_000)
    grid = np.arange(-8.0, 16.0, 0.05)
    density: Reals = norm.pdf(grid[:, None] - CURVE * np.sqrt(2) * half[None, :]).mean(axis=1)
    held = density > 1e-300
    entropy = -float((density[held] * np.log(density[held])).sum()) * 0.05
    return entropy - 0.5 * float(np.log(2 * np.pi * np.e))


def spread_information() -> float:
    """Return I(Z; S) of S = exp(.7 z) g: z on Gauss-Hermite nodes, S = sinh(t) on a grid of t.

    Examples
    --------
    >>> 0.05 < spread_information() < 0.3
    True
    """
    nodes, weights = normal_nodes(100)
    t = np.arange(-14.0, 14.0, 0.01)
    scale = np.exp(SPREAD * nodes)[:, None]
    densities = norm.pdf(np.sinh(t)[None, :] / scale) / scale * np.cosh(t)[None, :]
    return mixture_information(weights, densities, 0.01)


def _correlation(name: str, rho: float, home: str | None) -> World:
    truth = -0.5 * float(np.log1p(-(rho**2)))
    words = f"S and one column of six are normal with correlation {rho:g}; -1/2 ln(1 - rho^2)."
    return World(name, truth, _linear(rho), words, entropy=np.inf, home=home, form="column")


CONTINUOUS = (
    _correlation("continuous", CORRELATION, "linear_gaussian"),
    _correlation("continuous_small", SMALL, None),
    World(
        "continuous_curve",
        curve_information(),
        _curve,
        "S = sqrt(2) |z| + g: no correlation; h(S) - h(g) by quadrature.",
        truth_error=1e-4,
        entropy=np.inf,
        home="boosted_gaussian",
    ),
    World(
        "continuous_spread",
        spread_information(),
        _spread,
        "S = exp(.7 z) g: the release tells only how far S may be from 0; quadrature.",
        truth_error=1e-4,
        entropy=np.inf,
        home="quantile",
    ),
    World(
        "continuous_noise",
        0.0,
        _linear(0.0),
        "A continuous S and noise. Truth 0.",
        0.0,
        entropy=np.inf,
    ),
)
