"""k = 0: the release must be independent of S, and the optimum is a finite linear programme.

Posteriors are then maps g from S to U: q(u, s) = p(s) [u = g(s)], and H(U|Z) is the mean entropy of g(S). Maps are
handled as families (partitions, each block with any u) and brought in by column generation: prices of the present
solution show exactly which families could still improve it, and prove how far it is from the optimum.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.information.bounds.envelope import Envelope
from withhold.information.bounds.families import Family, mix
from withhold.information.bounds.prices import active, find_prices, first_prices, forbid, value

Reals = NDArray[np.float64]

# Of I(U;S): the linear programmes are solved to about 1e-9.
EXACT = 1e-9
MOST_ROUNDS = 60
# Families that come within this share of I(U;S) of the best at the first prices begin the column generation.
FIRST = 0.05


@dataclass(frozen=True)
class NoLeakage:
    """The optimum at k = 0.

    Attributes
    ----------
    lower : float
        Certified.
    prices : ndarray, shape (n_u, n_s)
        nu that prove it.
    atoms : ndarray, shape (n_z, n_u, n_s)
        p(z, u, s) of the mechanism.
    families : list of Family
        The maps in play.
    """

    lower: float
    prices: Reals
    atoms: Reals
    families: list[Family]


def solve_no_leakage(envelope: Envelope, joint: Reals, scale: float) -> NoLeakage:
    """Return the least H(U|Z) among releases that are independent of S.

    Parameters
    ----------
    joint : ndarray, shape (n_u, n_s)
    scale : float
        I(U;S).

    Examples
    --------
    >>> joint = np.array([[0.45, 0.05], [0.05, 0.45]])
    >>> found = solve_no_leakage(Envelope(joint.sum(0)), joint, 0.37)
    >>> round(found.lower, 6), round((1 - 2 * 0.1) * math.log(2), 6)
    (0.554518, 0.554518)
    """
    best = find_prices(envelope, joint, math.inf, first_prices(joint), scale)
    families = active(envelope, joint, math.inf, best, FIRST * scale)
    families += quantile_family(joint)
    lower = value(envelope, joint, math.inf, best)
    mixture = mix(joint, families, None)
    for _ in range(MOST_ROUNDS):
        if mixture is None or mixture.uncertainty - lower <= EXACT * scale:
            break
        offered = forbid(mixture.prices, joint, math.inf)
        for weight in (1.0, 0.5, 0.25):  # prices between the best and the offered ones cut the oscillation
            tried = weight * offered + (1.0 - weight) * best
            families += active(envelope, joint, math.inf, tried, 0.1 * EXACT * scale + 1e-12)
            height = value(envelope, joint, math.inf, tried)
            if height > lower:
                lower, best = height, tried
        mixture = mix(joint, families, None) or mixture
    return NoLeakage(lower, best, mixture.atoms if mixture is not None else _coupled(joint), families)


def quantile_family(joint: Reals) -> list[Family]:
    """Return the family of all maps, each s on its own: it can always average to the joint."""
    reference = joint.sum(axis=0)
    kernel = np.where(joint > 0, reference, 0.0)
    return [Family(kernel, np.eye(len(reference), dtype=bool), reference, (joint > 0).T)]


def _coupled(joint: Reals) -> Reals:
    mixture = mix(joint, quantile_family(joint), None)
    if mixture is None:
        raise ArithmeticError("The linear programme of a coupling that always exists was not solved.")
    return mixture.atoms
