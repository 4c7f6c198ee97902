"""Worlds in which S shows only in several columns together (xor on axes and rotated, parity), or only in steps."""

import numpy as np
from known_worlds.quadrature import binary_entropy, flip_information
from known_worlds.world import Draw, Reals, Sample, World, coin, columns, flipped
from scipy.special import expit

ROTATED_WIDTH, STEEPNESS = 8, 4.0
BANDS, BAND_FLIP = 8, 0.1
FIXED = np.random.default_rng(20_240_102)
ROTATION = np.linalg.qr(FIXED.standard_normal((ROTATED_WIDTH, ROTATED_WIDTH)))[0]


def _axes(flip: float, ways: int, width: int) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Sample:
        z = rng.uniform(-1.0, 1.0, (n, width))
        parity = (np.prod(np.sign(z[:, :ways]), axis=1) > 0).astype(np.int64)
        return Sample(columns(z), {"s": flipped(parity, flip, rng)})

    return draw


def _rotated(n: int, rng: np.random.Generator) -> Sample:
    z = rng.standard_normal((n, ROTATED_WIDTH))
    q = z[:, 0] * z[:, 1]
    s = coin(n, rng, expit(STEEPNESS * np.sign(q) * np.sqrt(np.abs(q))))
    return Sample(columns(z @ ROTATION), {"s": s})


def _bands(n: int, rng: np.random.Generator) -> Sample:
    z = rng.uniform(0.0, 1.0, (n, 12))
    return Sample(columns(z), {"s": flipped((BANDS * z[:, 5]).astype(np.int64) % 2, BAND_FLIP, rng)})


def log_product_density(factors: int, spacing: float = 0.01) -> tuple[Reals, Reals]:
    """Return nodes and weights of log |g_1 ... g_k|, g standard normal, by repeated convolution.

    Examples
    --------
    >>> nodes, weights = log_product_density(2)
    >>> round(float((weights * np.exp(2 * nodes)).sum()), 4)
    1.0
    """
    grid = np.arange(-25.0, 3.0, spacing)
    one = np.sqrt(2 / np.pi) * np.exp(grid - 0.5 * np.exp(2 * grid)) * spacing
    nodes, weights = grid, one
    for _ in range(factors - 1):
        weights = np.convolve(weights, one)
        nodes = nodes[0] + grid[0] + spacing * np.arange(len(weights))
    return nodes, weights / weights.sum()


def rotated_information() -> float:
    """Return ln 2 - E h(sigmoid(4 |z1 z2|^(1/2))).

    Examples
    --------
    >>> 0.3 < rotated_information() < 0.5
    True
    """
    nodes, weights = log_product_density(2)
    return float(np.log(2.0) - (weights * binary_entropy(expit(STEEPNESS * np.exp(nodes / 2)))).sum())


PARITY = (
    World(
        "xor_axes",
        flip_information(0.2),
        _axes(0.2, 2, 10),
        "S = sign(z1 z2), flipped with probability .2; ln 2 - h(.2).",
        form="interaction",
    ),
    World(
        "xor_axes_small",
        flip_information(0.37),
        _axes(0.37, 2, 10),
        "S = sign(z1 z2), flipped with probability .37; ln 2 - h(.37).",
        form="interaction",
    ),
    World(
        "xor_rotated",
        rotated_information(),
        _rotated,
        "Log-odds 4 sign(u v) |u v|^(1/2) along two directions that are no axes; quadrature over log |u v|.",
        truth_error=1e-4,
        home="mlp",
    ),
    World(
        "bands",
        flip_information(BAND_FLIP),
        _bands,
        "S = parity of floor(8 z), flipped with probability .1: a step function of one column; ln 2 - h(.1).",
        home="boosting",
    ),
    World(
        "parity3",
        flip_information(0.1),
        _axes(0.1, 3, 6),
        "S = sign(z1 z2 z3), flipped with probability .1; no two columns tell anything; ln 2 - h(.1).",
    ),
    World(
        "parity3_wide",
        flip_information(0.1),
        _axes(0.1, 3, 60),
        "The same beside 57 columns of noise; ln 2 - h(.1).",
    ),
)
