"""Problems of known mutual information by numpy and scipy alone: what is measured does not compute its own truth."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Problem:
    """A pair that can be drawn, and its information in nats."""

    truth: float
    draw: Callable[[int, np.random.Generator], Pair]
    kind: str  # of the pair: continuous, mixed, discrete


def gaussian(d: int, information: float) -> Problem:
    """d independent pairs of correlated normals: -d/2 log(1 - rho^2)."""
    rho = np.sqrt(1 - np.exp(-2 * information / d))

    def draw(n: int, rng: np.random.Generator) -> Pair:
        a = rng.normal(size=(n, d))
        return a, rho * a + np.sqrt(1 - rho**2) * rng.normal(size=(n, d))

    return Problem(information, draw, "continuous")


def mapped(base: Problem, change: Callable[[np.ndarray], np.ndarray]) -> Problem:
    """Both sides through an invertible map: the information stays."""

    def draw(n: int, rng: np.random.Generator) -> Pair:
        a, b = base.draw(n, rng)
        return change(a), change(b)

    return Problem(base.truth, draw, "continuous")


def half_cube(x: np.ndarray) -> np.ndarray:
    """Heavier tails: x times the root of |x|."""
    return x * np.sqrt(np.abs(x))


def spiral(x: np.ndarray) -> np.ndarray:
    """A rotation of the first two coordinates by an angle that grows with the squared norm, which it keeps."""
    angle = (x**2).sum(axis=1)
    out = x.copy()
    out[:, 0] = np.cos(angle) * x[:, 0] - np.sin(angle) * x[:, 1]
    out[:, 1] = np.sin(angle) * x[:, 0] + np.cos(angle) * x[:, 1]
    return out


def table(p: np.ndarray) -> Problem:
    """Two discrete variables."""
    truth = float((p * np.log(p / np.outer(p.sum(axis=1), p.sum(axis=0)))).sum())

    def draw(n: int, rng: np.random.Generator) -> Pair:
        cells = rng.choice(p.size, size=n, p=p.ravel())
        return cells // p.shape[1], cells % p.shape[1]

    return Problem(truth, draw, "discrete")


def xor(flip: float = 0.1) -> Problem:
    """A bit that is the sign of a product, flipped now and then: no single column tells anything."""
    truth = float(np.log(2) + flip * np.log(flip) + (1 - flip) * np.log(1 - flip))

    def draw(n: int, rng: np.random.Generator) -> Pair:
        a = rng.normal(size=(n, 2))
        return a, ((a[:, 0] * a[:, 1] > 0) ^ (rng.random(n) < flip)).astype(np.int64)

    return Problem(truth, draw, "mixed")


def shifted(shift: float = 1.5) -> Problem:
    """A bit that moves the mean of a normal: the entropy of the mixture minus that of its parts."""

    def term(x: float) -> float:
        density = 0.5 * (norm.pdf(x) + norm.pdf(x - shift))
        return float(-density * np.log(density))

    truth = quad(term, -12, 12 + shift, limit=200)[0] - 0.5 * np.log(2 * np.pi * np.e)

    def draw(n: int, rng: np.random.Generator) -> Pair:
        s = rng.integers(2, size=n)
        return shift * s + rng.normal(size=n), s

    return Problem(truth, draw, "mixed")


def _random_table() -> np.ndarray:
    p = np.random.default_rng(0).dirichlet(np.full(80, 0.8))
    return np.maximum(p, 1e-6).reshape(8, 10) / np.maximum(p, 1e-6).sum()


PROBLEMS: dict[str, Problem] = {
    **{f"Gaussian, d = {d}, I = {i:g}": gaussian(d, i) for d in (1, 5, 20) for i in (0.1, 0.5, 2.0)},
    "unrelated, d = 5": gaussian(5, 0.0),
    "half-cube of Gaussian, d = 5, I = 0.5": mapped(gaussian(5, 0.5), half_cube),
    "spiral of Gaussian, d = 3, I = 1": mapped(gaussian(3, 1.0), spiral),
    "discrete, 3 x 2": table(np.array([[0.3, 0.05], [0.1, 0.15], [0.05, 0.35]])),
    "discrete, 8 x 10": table(_random_table()),
    "xor and a class": xor(),
    "shifted normal and a class": shifted(),
}
