"""Gaussian worlds: S shifts, scales or rotates a normal vector."""

import numpy as np
from known_worlds.quadrature import (
    distance_for,
    mixture_information,
    normal_nodes,
    shift_information,
)
from known_worlds.world import Draw, Form, Reals, Sample, World, coin, columns
from scipy.stats import chi2

# The same direction and rotation in every draw, so that the truth is one number.
FIXED = np.random.default_rng(20_240_101)
DIRECTION = FIXED.standard_normal(16)
DIRECTION /= np.linalg.norm(DIRECTION)
SCALES, SCALED = (1.0, 1.5), 4
CORRELATION = 0.6
FOUR = (0.4, 0.3, 0.2, 0.1)


def _column(distance: float) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Sample:
        s = coin(n, rng)
        z = rng.standard_normal((n, 8))
        z[:, 3] += distance * s
        return Sample(columns(z), {"s": s})

    return draw


def _dense(distance: float) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Sample:
        s = coin(n, rng)
        return Sample(columns(rng.standard_normal((n, 16)) + distance * s[:, None] * DIRECTION), {"s": s})

    return draw


def _interaction(distance: float) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Sample:
        s = coin(n, rng)
        z = rng.standard_normal((n, 24))
        z[:, 20] = (z[:, 20] + distance * (s - 0.5)) * np.sign(z[:, 4])
        return Sample(columns(z), {"s": s})

    return draw


def _four_classes(n: int, rng: np.random.Generator) -> Sample:
    s = rng.choice(4, n, p=FOUR)
    z = rng.standard_normal((n, 8))
    z[:, 0] += distance_for(0.15, FOUR) * s
    return Sample(columns(z), {"s": s})


def _scale(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    z = rng.standard_normal((n, 8))
    z[:, :SCALED] *= np.array(SCALES)[s][:, None]
    return Sample(columns(z), {"s": s})


def _rotation(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    z = rng.standard_normal((n, 8))
    rho = CORRELATION * (2 * s - 1)
    z[:, 1] = rho * z[:, 0] + np.sqrt(1 - CORRELATION**2) * z[:, 1]
    return Sample(columns(z), {"s": s})


def scale_information(scales: tuple[float, float], dimensions: int) -> float:
    """Return I(S; sigma_S g), g normal in d dimensions; |z|^2 ~ sigma_S^2 chi^2_d is sufficient.

    Examples
    --------
    >>> scale_information((1.0, 1.0), 3)
    0.0
    """
    # On the logarithm of |z|^2 the densities are smooth and decay on both sides.
    grid = np.arange(-30.0, 8.0, 0.005)
    square = np.exp(grid)
    densities = np.array([chi2.pdf(square / s**2, dimensions) / s**2 * square for s in scales])
    return mixture_information((0.5, 0.5), densities, 0.005)


def rotation_information(correlation: float) -> float:
    """Return I(S; z1, z2) of normals correlated by +-rho: ln 2 - E h(p), log-odds 2 rho z1 z2 / (1 - rho^2).

    Examples
    --------
    >>> round(rotation_information(0.0), 9)
    0.0
    """
    # E over z1, z2 of the class +rho; by symmetry the other gives the same: I = E log(2 p(+ | z)).
    nodes, weights = normal_nodes(80)
    first: Reals = nodes[:, None]
    second = correlation * first + np.sqrt(1 - correlation**2) * nodes[None, :]
    odds = 2 * correlation * first * second / (1 - correlation**2)
    return float((weights[:, None] * weights[None, :] * (np.log(2.0) - np.logaddexp(0.0, -odds))).sum())


def _shift(name: str, size: float, draw: Draw, form: Form, home: str | None, what: str) -> World:
    words = f"{what}; I(S; g + d S) by quadrature, d chosen for {size:g} nat."
    return World(name, shift_information(distance_for(size)), draw, words, form=form, home=home)


GAUSSIAN = (
    _shift("shift", 0.10, _column(distance_for(0.10)), "column", None, "S shifts one column of eight"),
    _shift("shift_small", 0.03, _column(distance_for(0.03)), "column", None, "S shifts one column of eight, a little"),
    _shift("dense", 0.10, _dense(distance_for(0.10)), "dense", "logistic", "S shifts 16 columns along a direction"),
    _shift("dense_small", 0.04, _dense(distance_for(0.04)), "dense", None, "S shifts 16 columns, a little"),
    _shift(
        "interaction",
        0.10,
        _interaction(distance_for(0.10)),
        "interaction",
        "pairs",
        "S shifts one column of 24 by the sign of another",
    ),
    _shift(
        "interaction_small",
        0.05,
        _interaction(distance_for(0.05)),
        "interaction",
        None,
        "S shifts one column of 24 by the sign of another, a little",
    ),
    World(
        "four_classes",
        shift_information(distance_for(0.15, FOUR), FOUR),
        _four_classes,
        "Four unequal classes shift one column; quadrature.",
        entropy=-sum(p * float(np.log(p)) for p in FOUR),
        form="column",
    ),
    World(
        "scale",
        scale_information(SCALES, SCALED),
        _scale,
        "S scales four columns by 1 or 1.5; |z|^2 ~ sigma^2 chi^2_4 by quadrature.",
        home="qda",
    ),
    World(
        "rotation",
        rotation_information(CORRELATION),
        _rotation,
        "Two columns correlate by +.6 or -.6; E log 2p by Gauss-Hermite quadrature.",
        truth_error=1e-5,
    ),
)
