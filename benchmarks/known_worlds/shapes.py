"""Worlds of unusual distributions: clusters, heavy tails, a rare class, and two leaks of different kinds at once."""

import numpy as np
from known_worlds.quadrature import (
    SPACING,
    distance_for,
    flip_information,
    mixture_information,
    shift_densities,
    shift_information,
)
from known_worlds.world import Reals, Sample, World, coin, columns, flipped
from scipy.stats import cauchy

# 64 centres in ten dimensions, no two nearer than 8.6 standard deviations, in whose half-way plane 1e-5 of them lies.
FIXED = np.random.default_rng(20_240_104)
CENTRE_COUNT, CENTRE_WIDTH, LEAST_DISTANCE = 64, 10, 2.6
SPREAD, CLUSTER_FLIP = 0.3, 0.1
CAUCHY_SHIFT = 1.5
RARE_SHARE, RARE_DISTANCE = 0.01, 3.5
PAIR_SHIFT, BANDS, BAND_FLIP = 0.08, 8, 0.3


def _spaced_centres(rng: np.random.Generator) -> Reals:
    found: list[Reals] = []
    while len(found) < CENTRE_COUNT:
        centre = rng.standard_normal(CENTRE_WIDTH)
        if all(np.linalg.norm(centre - other) > LEAST_DISTANCE for other in found):
            found.append(centre)
    return np.array(found)


CENTRES = _spaced_centres(FIXED)
CLASS_OF_CENTRE = FIXED.permutation(np.arange(CENTRE_COUNT) % 2)


def _clusters(n: int, rng: np.random.Generator) -> Sample:
    centre = rng.integers(0, CENTRE_COUNT, n)
    z = CENTRES[centre] + SPREAD * rng.standard_normal((n, CENTRE_WIDTH))
    return Sample(columns(z), {"s": flipped(CLASS_OF_CENTRE[centre].astype(np.int64), CLUSTER_FLIP, rng)})


def _cauchy(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    z = rng.standard_cauchy((n, 6))
    z[:, 1] += CAUCHY_SHIFT * s
    return Sample(columns(z), {"s": s})


def _heavy_noise(n: int, rng: np.random.Generator) -> Sample:
    return Sample(columns(rng.standard_cauchy((n, 6))), {"s": coin(n, rng)})


def _rare_class(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng, RARE_SHARE)
    z = rng.standard_normal((n, 6))
    z[:, 0] += RARE_DISTANCE * s
    return Sample(columns(z), {"s": s})


def _rare_noise(n: int, rng: np.random.Generator) -> Sample:
    return Sample(columns(rng.standard_normal((n, 6))), {"s": coin(n, rng, RARE_SHARE)})


def _two_kinds(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    z = rng.standard_normal((n, 10))
    z[:, :6] += distance_for(PAIR_SHIFT) / np.sqrt(6) * s[:, None]
    band = 2 * rng.integers(0, BANDS // 2, n) + flipped(s, BAND_FLIP, rng)
    z[:, 9] = band + rng.random(n)
    return Sample(columns(z), {"s": s})


def cauchy_information(shift: float) -> float:
    """Return I(S; c + shift S), c standard Cauchy; the line is mapped to (0, 1) by the Cauchy distribution.

    Examples
    --------
    >>> round(cauchy_information(0.0), 9)
    0.0
    """
    u = (np.arange(200_000) + 0.5) / 200_000
    x = cauchy.ppf(u)
    base = cauchy.pdf(x)
    return mixture_information((0.5, 0.5), np.array([np.ones_like(u), cauchy.pdf(x - shift) / base]), 1 / len(u))


def two_kinds_information() -> float:
    """Return I(S; shifted columns, band), independent given S, on the product of the grid and the band's parity.

    Examples
    --------
    >>> two_kinds_information() < PAIR_SHIFT + flip_information(BAND_FLIP)
    True
    """
    shifted = shift_densities((0.0, distance_for(PAIR_SHIFT)))
    parity = np.array([[1 - BAND_FLIP, BAND_FLIP], [BAND_FLIP, 1 - BAND_FLIP]])
    return mixture_information((0.5, 0.5), (shifted[:, :, None] * parity[:, None, :]).reshape(2, -1), SPACING)


RARE_ENTROPY = -(RARE_SHARE * float(np.log(RARE_SHARE)) + (1 - RARE_SHARE) * float(np.log(1 - RARE_SHARE)))
SHAPES = (
    World(
        "clusters",
        flip_information(CLUSTER_FLIP),
        _clusters,
        "64 clusters in ten dimensions, half of them of each class, flipped with probability .1; ln 2 - h(.1).",
        truth_error=1e-3,
        home="neighbours",
    ),
    World(
        "heavy_tails",
        cauchy_information(CAUCHY_SHIFT),
        _cauchy,
        "S shifts one of six Cauchy columns; quadrature.",
        truth_error=1e-5,
        form="column",
    ),
    World("heavy_noise", 0.0, _heavy_noise, "Six Cauchy columns, drawn apart from S. Truth 0.", 0.0),
    World(
        "one_percent",
        shift_information(RARE_DISTANCE, (1 - RARE_SHARE, RARE_SHARE)),
        _rare_class,
        "One record in a hundred has S = 1 and is shifted by 3.5; quadrature.",
        entropy=RARE_ENTROPY,
        form="column",
    ),
    World(
        "one_percent_noise", 0.0, _rare_noise, "One record in a hundred has S = 1; noise.", 0.0, entropy=RARE_ENTROPY
    ),
    World(
        "two_kinds",
        two_kinds_information(),
        _two_kinds,
        "A shift of six columns and a step function of another, independent given S; quadrature of the product.",
        home="mixture",
    ),
)
