"""The two worlds on which methods and peers are compared: a latent of 16 normals behind 128 nonlinear columns.

z ~ N(0, I); S ~ Bernoulli(sigmoid(eta)) with eta = 4 sign(z1 z2) |z1 z2|^(1/2) + z3 (xor2) or
6 sign(z1 z2 z3) |z1 z2 z3|^(1/3) (xor3); U = argmax of four logits M (z7 ... z10), the first + 1.2 S and the second
- 1.2 S, plus .7 Gumbel noise. h = tanh(1.5 (z A + b)) in 128 dimensions; X = h B + .5 relu(h C) + .02 g, standardised
on the first half of the rows, on which methods are fitted.

The truth is I(S; z): X has it up to what noise of .02 in 128 columns hides of z, `HIDDEN`. The utility is not
handed over: beside X it would add to what is known about S.
"""

import numpy as np
from known_worlds.parity import log_product_density
from known_worlds.quadrature import binary_entropy, channel_information, normal_nodes
from known_worlds.world import Draw, Reals, Sample, World, columns
from scipy.special import expit, softmax

LATENT, WIDTH = 16, 128
NOISE, TEMPERATURE, LIFT = 0.02, 0.7, 1.2
# Of I(S; z), what the noise hides, by the posterior of z that a normal expansion gives: .0003 and .003.
HIDDEN = {2: 1e-3, 3: 5e-3}
# One set of matrices for all draws; this one has I(S; U) = .032 and U known from z in .78 of the rows.
LOGITS = 1.5 * np.random.default_rng(122).standard_normal((4, 4))
FIXED = np.random.default_rng(20_240_106)
A = FIXED.standard_normal((LATENT, WIDTH)) / np.sqrt(LATENT)
OFFSET = 0.3 * FIXED.standard_normal(WIDTH)
B = FIXED.standard_normal((WIDTH, WIDTH)) / np.sqrt(WIDTH)
C = FIXED.standard_normal((WIDTH, WIDTH)) / np.sqrt(WIDTH)


def log_odds(z: Reals, ways: int) -> Reals:
    """Return eta of xor2 or xor3.

    Examples
    --------
    >>> log_odds(np.ones((1, 16)), 2).tolist(), log_odds(np.ones((1, 16)), 3).tolist()
    ([5.0], [6.0])
    """
    product = z[:, :ways].prod(axis=1)
    size = np.sign(product) * np.abs(product) ** (1 / ways)
    return np.asarray(4 * size + z[:, 2] if ways == 2 else 6 * size)


def observe(z: Reals) -> Reals:
    """Return the 128 columns without their noise.

    Examples
    --------
    >>> observe(np.zeros((3, 16))).shape
    (3, 128)
    """
    h = np.tanh(1.5 * (z @ A + OFFSET))
    return np.asarray(h @ B + 0.5 * np.maximum(h @ C, 0.0))


def _draw(ways: int) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Sample:
        z = rng.standard_normal((n, LATENT))
        s = (rng.random(n) < expit(log_odds(z, ways))).astype(np.int64)
        logits = z[:, 6:10] @ LOGITS.T + TEMPERATURE * rng.gumbel(size=(n, 4))
        logits[:, 0] += LIFT * s
        logits[:, 1] -= LIFT * s
        x = observe(z) + NOISE * rng.standard_normal((n, WIDTH))
        first = x[: max(2, n // 2)]
        x = (x - first.mean(axis=0)) / first.std(axis=0)
        return Sample(columns(x.astype(np.float32), "x"), {"s": s}, utility=logits.argmax(axis=1))

    return draw


def latent_information(ways: int) -> float:
    """Return I(S; z) = ln 2 - E h(sigmoid(eta)), by quadrature over the logarithm of the product and z3.

    Examples
    --------
    >>> round(latent_information(2), 2)
    0.39
    """
    nodes, weights = log_product_density(ways)
    size = np.exp(nodes / ways)
    if ways == 3:
        return float(np.log(2.0) - (weights * binary_entropy(expit(6 * size))).sum())
    # The sign of z1 z2 is fair and apart from its size, and z3 is symmetric: one sign is enough.
    extra, extra_weights = normal_nodes(40)
    mean = (binary_entropy(expit(4 * size[:, None] + extra[None, :])) * extra_weights[None, :]).sum(axis=1)
    return float(np.log(2.0) - (weights * mean).sum())


def utility_information(nodes: int = 20) -> float:
    """Return I(S; U): U given S is a mean of softmax(logits / .7) over four normals, by Gauss-Hermite quadrature.

    Examples
    --------
    >>> 0.02 < utility_information() < 0.05
    True
    """
    points, weights = normal_nodes(nodes)
    z = np.stack(np.meshgrid(*[points] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    w = np.prod(np.stack(np.meshgrid(*[weights] * 4, indexing="ij"), axis=-1).reshape(-1, 4), axis=1)
    rows = []
    for s in (0, 1):
        logits = z @ LOGITS.T + LIFT * s * np.array([1.0, -1.0, 0.0, 0.0])
        rows.append(0.5 * w @ softmax(logits / TEMPERATURE, axis=1))
    return channel_information(np.array(rows))


ERASURE = tuple(
    World(
        f"xor{ways}",
        latent_information(ways),
        _draw(ways),
        f"{words} of 16 latent normals behind 128 nonlinear columns; I(S; latent) by quadrature.",
        truth_error=HIDDEN[ways],
        utility_in_release=False,
    )
    for ways, words in ((2, "A two-way parity and a slope"), (3, "A three-way parity"))
)
