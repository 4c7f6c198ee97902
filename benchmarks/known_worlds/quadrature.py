"""Information of simple channels by sums and quadrature; scipy only, so that no estimator of ours checks itself."""

from collections.abc import Sequence

import numpy as np
from known_worlds.world import Reals
from scipy.optimize import brentq
from scipy.special import xlogy
from scipy.stats import norm

HALF = (0.5, 0.5)
# A trapezoid rule on a smooth density that decays like a normal's is exact to rounding at this spacing.
SPACING, REACH = 0.02, 10.0


def binary_entropy(p: Reals | float) -> Reals:
    """Return h(p) in nats.

    Examples
    --------
    >>> round(float(binary_entropy(0.5)), 6)
    0.693147
    """
    q = np.asarray(p, dtype=np.float64)
    return np.asarray(-xlogy(q, q) - xlogy(1.0 - q, 1.0 - q))


def flip_information(flip: float) -> float:
    """Return I(S; S xor noise) of a fair coin flipped with probability `flip`: ln 2 - h(flip).

    Examples
    --------
    >>> flip_information(0.5)
    0.0
    """
    return float(np.log(2.0) - binary_entropy(flip))


def channel_information(joint: Reals) -> float:
    """Return I of the two axes of a table of probabilities, by enumeration.

    Examples
    --------
    >>> round(channel_information(np.eye(2) / 2), 6)
    0.693147
    """
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    held = joint > 0
    return float((joint[held] * np.log(joint[held] / product[held])).sum())


def mixture_information(shares: Sequence[float] | Reals, densities: Reals, weights: Reals | float) -> float:
    """Return I(S; Z) = sum_s p_s int f_s log(f_s / f), f = sum_s p_s f_s.

    Parameters
    ----------
    shares : sequence of k
        p_s.
    densities : ndarray of shape (k, m)
        f_s on m nodes.
    weights : ndarray of shape (m,) or float
        Of the quadrature.

    Returns
    -------
    float

    Examples
    --------
    >>> round(mixture_information((0.5, 0.5), np.array([[1.0, 0.0], [0.0, 1.0]]), 1.0), 6)
    0.693147
    """
    p = np.asarray(shares, dtype=np.float64)[:, None]
    mean = (p * densities).sum(axis=0)
    ratio = np.divide(densities, mean, out=np.ones_like(densities), where=(mean > 0) & (densities > 0))
    return float((p * densities * np.log(ratio) * weights).sum())


def shift_densities(means: Sequence[float] | Reals) -> Reals:
    """Return densities of N(mean, 1) on a grid of spacing `SPACING`, one row a mean.

    Examples
    --------
    >>> round(float(shift_densities([0.0]).sum() * SPACING), 9)
    1.0
    """
    centres = np.asarray(means, dtype=np.float64)
    grid = np.arange(centres.min() - REACH, centres.max() + REACH + SPACING, SPACING)
    return np.asarray(norm.pdf(grid[None, :] - centres[:, None]))


def shift_information(distance: float, shares: Sequence[float] = HALF) -> float:
    """Return I(S; g + distance S), g standard normal, S = 0 ... k-1 with these shares.

    Examples
    --------
    >>> round(shift_information(100.0), 6), round(shift_information(0.0), 6)
    (0.693147, 0.0)
    """
    return mixture_information(shares, shift_densities([distance * k for k in range(len(shares))]), SPACING)


def distance_for(information: float, shares: Sequence[float] = HALF) -> float:
    """Return the distance at which a shift holds exactly `information` nats.

    Examples
    --------
    >>> round(shift_information(distance_for(0.05)), 9)
    0.05
    """
    return float(brentq(lambda d: shift_information(d, shares) - information, 0.0, 30.0, xtol=1e-12))


def normal_nodes(count: int) -> tuple[Reals, Reals]:
    """Return nodes and weights of a standard normal expectation (Gauss-Hermite).

    Examples
    --------
    >>> nodes, weights = normal_nodes(8)
    >>> round(float((weights * nodes**2).sum()), 9)
    1.0
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return np.asarray(nodes), np.asarray(weights / np.sqrt(2 * np.pi))
