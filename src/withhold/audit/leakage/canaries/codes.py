"""Codes of a hidden attribute that hold exactly k nats, which every form of a test leak hides.

A number is coded as g + a c(S), g standard normal; a flag is set with probability 1/(1 + exp(-a c(S))). In both a is
found by quadrature, or by a sum, so that the code tells exactly k nats of S, and no reader can learn more from it.
"""

import numpy as np
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.special import entr, expit
from scipy.stats import norm

from withhold.audit.statistics.arrays import Reals
from withhold.contracts.errors import InvalidParameterError

# Of the entropy, the most that a plant can hold with a finite shift.
MOST_OF_ENTROPY = 0.95
# The steepest dependence of a flag on S; what it holds then is all it can hold.
STEEPEST = 1e3
# Atoms that stand for a continuous attribute in the quadrature.
ATOMS = 256


def code_information(shift: float, codes: Reals, shares: Reals) -> float:
    """Return I(S; g + shift c(S)) in nats by quadrature.

    Parameters
    ----------
    shift : float
        a.
    codes, shares : ndarray of shape (k,)
        c of each class and its probability.

    Examples
    --------
    >>> round(code_information(100.0, np.array([-1.0, 1.0]), np.array([0.5, 0.5])), 6)
    0.693147
    """
    centres = shift * codes
    # The integrand is as smooth as the noise: twenty points a standard deviation are exact to rounding.
    grid = np.linspace(centres.min() - 9.0, centres.max() + 9.0, int(np.ceil((np.ptp(centres) + 18.0) * 20)) + 1)
    density = np.zeros_like(grid)
    for centre, share in zip(centres, shares, strict=True):
        density += share * np.exp(-0.5 * (grid - centre) ** 2)
    density /= np.sqrt(2 * np.pi)
    positive = density > 1e-300
    entropy = -trapezoid(np.where(positive, density * np.log(np.where(positive, density, 1.0)), 0.0), grid)
    return float(entropy - 0.5 * np.log(2 * np.pi * np.e))


def shift_for(size: float, codes: Reals, shares: Reals) -> float:
    """Return the shift a at which the code holds exactly `size` nats.

    Examples
    --------
    >>> codes, shares = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    >>> round(code_information(shift_for(0.05, codes, shares), codes, shares), 9)
    0.05
    """
    top = 1.0
    while code_information(top, codes, shares) < size:
        top *= 2.0
        if top > 1e4:
            raise InvalidParameterError(
                f"A test leak of {size:g} nat is more than the attribute holds. Make it smaller."
            )
    return float(brentq(lambda a: code_information(a, codes, shares) - size, 0.0, top, xtol=1e-13, rtol=1e-13))


def flag_information(slope: float, codes: Reals, shares: Reals, always: float = 0.0) -> float:
    """Return I(S; flag) in nats, where it is set with probability 1/(1 + exp(-slope c(S))).

    Parameters
    ----------
    slope : float
        a.
    codes, shares : ndarray of shape (k,)
        c of each class and its probability.
    always : float
        Share of records that show the flag whatever S: those that have by nature what the test leak gives.

    Examples
    --------
    >>> codes, shares = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    >>> round(flag_information(100.0, codes, shares), 6), flag_information(100.0, codes, shares, always=1.0)
    (0.693147, 0.0)
    """
    likely = always + (1.0 - always) * expit(slope * codes)
    mean = (shares * likely).sum()
    return float(entr(mean) + entr(1 - mean) - (shares * (entr(likely) + entr(1 - likely))).sum())


def most_of_flag(codes: Reals, shares: Reals, always: float = 0.0) -> float:
    """Return the most nats that a flag can hold about S.

    Examples
    --------
    >>> codes = class_codes(np.array([0.5, 0.5]))
    >>> round(most_of_flag(codes, np.array([0.5, 0.5]), always=0.5), 3)
    0.216
    """
    return flag_information(STEEPEST, codes, shares, always)


def flag_slope(size: float, codes: Reals, shares: Reals, always: float = 0.0) -> float:
    """Return the slope at which a flag holds exactly `size` nats.

    Examples
    --------
    >>> codes, shares = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    >>> round(flag_information(flag_slope(0.05, codes, shares), codes, shares), 9)
    0.05
    """
    if most_of_flag(codes, shares, always) < size:
        raise InvalidParameterError(f"A flag cannot hold {size:g} nat about the attribute. Make it smaller.")
    return float(
        brentq(lambda a: flag_information(a, codes, shares, always) - size, 0.0, STEEPEST, xtol=1e-13, rtol=1e-13)
    )


def class_codes(shares: Reals) -> Reals:
    """Return evenly spaced codes of the classes, centred and of unit variance.

    Examples
    --------
    >>> class_codes(np.array([0.5, 0.5])).tolist()
    [-1.0, 1.0]
    """
    steps = np.arange(len(shares), dtype=np.float64)
    centred = steps - (shares * steps).sum()
    return np.asarray(centred / np.sqrt((shares * centred**2).sum()))


def row_codes(values: Reals, categorical: bool) -> tuple[Reals, Reals, Reals]:
    """Return the code of each row, and atoms with their shares for the quadrature.

    A continuous attribute is cut into up to 256 equal-mass cells coded by the mean of their normal scores.
    """
    if categorical:
        levels, index, counts = np.unique(values, return_inverse=True, return_counts=True)
        shares = counts / counts.sum()
        codes = class_codes(shares) if len(levels) > 1 else np.zeros(1)
        return codes[index], codes, shares
    order = np.argsort(values, kind="stable")
    cell = np.empty(len(values), dtype=np.int64)
    cells = min(ATOMS, len(values))
    cell[order] = np.arange(len(values)) * cells // len(values)
    codes = norm.ppf((np.arange(cells) + 0.5) / cells)
    shares = np.bincount(cell, minlength=cells) / len(values)
    codes = codes - (shares * codes).sum()
    codes = codes / np.sqrt((shares * codes**2).sum())
    return codes[cell], codes, shares
