"""Known leaks of exactly k nats, to learn what an audit of this release with this panel would have found.

The release is paired with a permuted S', so that it tells nothing about S'; then a plant is put in. Three forms hide
the same noisy code g + a c(S'), g standard normal, whose information about S' is k by quadrature:

column       a new column that holds the code;
dense        the code replaces the coordinate of the whitened release along a random direction, so that it is spread
             over all columns; the other directions stay, and the information is exactly k whatever their distribution;
interaction  a new column holds the code times the sign of an existing column. Given that column it is exactly k; the
             new column alone tells nothing where the signs are balanced, and the most balanced column is taken.

The fourth is for releases with text: a word that no text holds is written into each with probability 1/(1 + exp(-a c)),
with a such that its presence holds exactly k.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.sparse import csr_matrix, hstack
from scipy.special import entr, expit
from scipy.stats import norm

from withhold.audit.statistics.arrays import Matrix, Reals
from withhold.audit.view.links import Rows
from withhold.audit.view.pixels import Pictures
from withhold.contracts.audit_record import PlantForm
from withhold.contracts.errors import InvalidParameterError

# Of the entropy, the most that a plant can hold with a finite shift.
MOST_OF_ENTROPY = 0.95
# The steepest dependence of a word on S; what it holds then is all it can hold.
STEEPEST = 1e3
# Atoms that stand for a continuous attribute in the quadrature.
ATOMS = 256


@dataclass(frozen=True)
class PlantedInputs:
    """The matrices of a release with a plant in it."""

    dense: Matrix
    whitened: Matrix
    ordinal: Matrix
    images: Pictures | None = None
    words: csr_matrix | None = None
    links: Rows | None = None
    relations: Matrix | None = None


def code_information(shift: float, codes: Reals, shares: Reals) -> float:
    """Return I(S; g + shift c(S)) in nats by quadrature.

    Parameters
    ----------
    shift : float
        a.
    codes, shares : ndarray of shape (k,)
        c of each class and its probability.

    Returns
    -------
    float

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


def word_information(slope: float, codes: Reals, shares: Reals) -> float:
    """Return I(S; word present) in nats, where it is written with probability 1/(1 + exp(-slope c(S))).

    Examples
    --------
    >>> round(word_information(100.0, np.array([-1.0, 1.0]), np.array([0.5, 0.5])), 6)
    0.693147
    """
    likely = expit(slope * codes)
    mean = (shares * likely).sum()
    return float(entr(mean) + entr(1 - mean) - (shares * (entr(likely) + entr(1 - likely))).sum())


def word_slope(size: float, codes: Reals, shares: Reals) -> float:
    """Return the slope at which the presence of a word holds exactly `size` nats.

    Examples
    --------
    >>> codes, shares = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    >>> round(word_information(word_slope(0.05, codes, shares), codes, shares), 9)
    0.05
    """
    if word_information(STEEPEST, codes, shares) < size:
        raise InvalidParameterError(f"A word cannot hold {size:g} nat about the attribute. Make it smaller.")
    return float(brentq(lambda a: word_information(a, codes, shares) - size, 0.0, STEEPEST, xtol=1e-13, rtol=1e-13))


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


def plant(
    form: PlantForm,
    size: float,
    inputs: PlantedInputs,
    codes: Reals,
    atoms: Reals,
    shares: Reals,
    rng: np.random.Generator,
) -> PlantedInputs:
    """Return the release with a plant of `size` nats about the (permuted) attribute behind `codes`.

    Parameters
    ----------
    form : {"column", "dense", "interaction", "word"}
        Where it is hidden.
    size : float
        Nats.
    inputs : PlantedInputs
        The release.
    codes : ndarray of shape (n,)
        Code of each row; rows where S is unknown may hold anything finite.
    atoms, shares : ndarray
        Codes and probabilities of the classes.
    rng : Generator
        Noise and direction.

    Returns
    -------
    PlantedInputs
    """
    if form == "word":
        present = rng.random(len(codes)) < expit(word_slope(size, atoms, shares) * codes)
        return replace(
            inputs, words=csr_matrix(hstack([inputs.words, np.log(2.0) * present[:, None]]), dtype=np.float32)
        )
    shift = shift_for(size, atoms, shares)
    noisy = (rng.standard_normal(len(codes)) + shift * codes).astype(np.float32)
    if form == "column":
        return _with_column(inputs, noisy)
    if form == "interaction":
        return _with_column(inputs, noisy * balanced_sign(inputs.dense))
    whitened = inputs.whitened if inputs.whitened.shape[1] else np.zeros((len(codes), 1), np.float32)
    drawn = rng.standard_normal((whitened.shape[1],))
    direction = (drawn / np.sqrt((drawn**2).sum())).astype(np.float32)
    spread = whitened + np.outer(noisy - whitened @ direction, direction)
    return replace(inputs, dense=spread, whitened=spread, ordinal=spread)


def balanced_sign(dense: Matrix) -> Matrix:
    """Return the sign of the column that divides the rows most evenly at its median.

    Examples
    --------
    >>> balanced_sign(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 3.0]], np.float32)).tolist()
    [-1.0, -1.0, 1.0, 1.0]
    """
    if dense.shape[1] == 0:
        return np.ones(len(dense), np.float32)
    shares = np.array([np.mean(column > np.median(column)) for column in dense.T])
    column = dense[:, int(np.abs(shares - 0.5).argmin())]
    return np.where(column > np.median(column), 1.0, -1.0).astype(np.float32)


def _with_column(inputs: PlantedInputs, column: Matrix) -> PlantedInputs:
    return replace(
        inputs,
        dense=np.column_stack([inputs.dense, column]),
        whitened=np.column_stack([inputs.whitened, column]),
        ordinal=np.column_stack([inputs.ordinal, column]),
    )
