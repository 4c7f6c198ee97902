"""Finding good prices: the dual of Lemma 2.1 at one slope, smoothed for L-BFGS, judged by the exact function.

Any table of prices proves a bound, so nothing here needs to converge: it only makes the bound tight.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from withhold.information.bounds.envelope import Envelope
from withhold.information.bounds.families import Family

Reals = NDArray[np.float64]

# Temperatures of the smoothed maximum, as fractions of I(U;S): coarse first, each started from the one before.
COARSE = (0.05, 0.01, 0.002)
FINE = (0.003, 0.0003)
# exp(-60) is below rounding: the price of a cell with p(u, s) = 0 is this many slopes below the others.
FORBIDDEN = 60.0


def first_prices(joint: Reals) -> Reals:
    """Return the prices that are optimal at slope 1: log p(s|u) / p(s).

    Examples
    --------
    >>> first_prices(np.full((2, 2), 0.25)).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    conditional = joint / joint.sum(axis=1, keepdims=True)
    ratio = np.where(joint > 0, conditional / joint.sum(axis=0), 1.0)
    return forbid(np.log(ratio), joint, 1.0)


def forbid(nu: Reals, joint: Reals, slope: float) -> Reals:
    """Put the price of impossible cells so low that no posterior takes them."""
    live = joint > 0
    if live.all():
        return nu
    low = nu[live].min()
    return np.where(live, nu, low - FORBIDDEN * (10.0 if math.isinf(slope) else slope))


def value(envelope: Envelope, joint: Reals, slope: float, nu: Reals) -> float:
    """Return the bound at k = 0 that the prices prove; at k it is lower by slope * k."""
    return float((joint * nu).sum()) - envelope.evaluate(slope, nu)[0]


def find_prices(
    envelope: Envelope, joint: Reals, slope: float, start: Reals, scale: float, temperatures: Sequence[float] = COARSE
) -> Reals:
    """Return prices that nearly maximise `value` at `slope`.

    Parameters
    ----------
    joint : ndarray, shape (n_u, n_s)
    start : ndarray, shape (n_u, n_s)
    scale : float
        I(U;S): the unit of `temperatures`.

    Returns
    -------
    ndarray, shape (n_u, n_s)

    Examples
    --------
    >>> joint = np.array([[0.45, 0.05], [0.05, 0.45]])
    >>> envelope = Envelope(joint.sum(0))
    >>> nu = find_prices(envelope, joint, math.inf, first_prices(joint), 0.37)
    >>> round(value(envelope, joint, math.inf, nu), 2)  # (1 - 2 a) ln 2 for the symmetric source with a = 0.1
    0.55
    """
    live = joint > 0
    # In units of p ** -1/2 all prices are about equally curved.
    unit = np.where(live, 1.0 / np.sqrt(np.maximum(joint, 1e-9)), 0.0)
    nu = forbid(start, joint, slope)
    for temperature in temperatures:
        base = nu

        def loss(step: Reals, base: Reals = base, temperature: float = temperature) -> tuple[float, Reals]:
            tried = base + unit * step.reshape(joint.shape)
            height, gradient = envelope.evaluate(slope, tried, temperature * scale)
            return height - float((joint * tried).sum()), ((gradient - joint) * unit).ravel()

        options = {"maxiter": 200, "maxfun": 400, "gtol": 1e-9, "ftol": 1e-12}
        found = minimize(loss, np.zeros(joint.size), jac=True, method="L-BFGS-B", options=options)
        nu = base + unit * found.x.reshape(joint.shape)
    return nu


def active(envelope: Envelope, joint: Reals, slope: float, nu: Reals, within: float) -> list[Family]:
    """Return the families of posteriors that come within `within` nats of the maximum at these prices."""
    found = envelope.heights(slope, nu)
    kernel = np.where(joint > 0, found.kernel, 0.0)
    families = []
    for number in np.flatnonzero(found.partitions >= found.partitions.max() - within):
        blocks = envelope.listed.of(int(number))
        start = envelope.listed.starts[number]
        height = found.blocks[blocks]
        families.append(
            Family(
                kernel,
                envelope.listed.subsets[blocks],
                found.masses[start : start + len(blocks)],
                height >= height.max(axis=1, keepdims=True) - within,
            )
        )
    return families
