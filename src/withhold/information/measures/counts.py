"""Entropy and information from counts: the plug-in value, its bias, and corrections of it.

The plug-in information of n records is too large by about (r - 1)(c - 1) / 2n for a table of r rows and c columns:
independent variables seem to tell something. Miller and Madow subtract that term for the cells that occur; the
jackknife removes all bias of order 1/n and is better where many cells are rare.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chndtrinc, xlogy
from scipy.stats import chi2, norm

from withhold.contracts.checks import refused
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.quantity import Quantity, check_level
from withhold.information.measures.joint import Reals, check_masses

Correction = Literal["none", "miller-madow", "jackknife"]
CORRECTIONS: tuple[Correction, ...] = ("none", "miller-madow", "jackknife")


def information_from_counts(counts: ArrayLike, correction: Correction = "jackknife") -> float:
    """Return an estimate of the mutual information in nats from a table of counts.

    A corrected value can be slightly negative: cutting it at zero would bring back bias.

    Parameters
    ----------
    counts : array_like of int, shape (r, c)
        How often each pair of values occurred.
    correction : {"jackknife", "miller-madow", "none"}

    Examples
    --------
    >>> [round(information_from_counts([[12, 8], [8, 12]], c), 4) for c in ("none", "miller-madow", "jackknife")]
    [0.0201, 0.0076, 0.0065]
    """
    _check_correction(correction)
    table = check_counts(counts, 2)
    cells, rows, columns = (x[x > 0] for x in (table.ravel(), table.sum(axis=1), table.sum(axis=0)))
    return _corrected(rows, correction) + _corrected(columns, correction) - _corrected(cells, correction)


def plug_in_bias(counts: ArrayLike) -> float:
    """Return the leading term of the bias of plug-in information, (cells - rows - columns + 1) / 2n, those that occur.

    Examples
    --------
    >>> round(plug_in_bias([[12, 8], [8, 12]]), 6)
    0.0125
    """
    return information_from_counts(counts, "none") - information_from_counts(counts, "miller-madow")


def information_interval(counts: ArrayLike, level: float = 0.95, correction: Correction = "jackknife") -> Quantity:
    """Return the information of a table with an interval that holds near independence too.

    Near independence twice n times the plug-in value follows a noncentral chi-square law; away from it the value is
    normal around a mean shifted by the bias. The interval covers both readings: it is the smallest that holds the
    inverted chi-square interval, the normal one, and the value. A table that is closer to independence than most
    independent ones would leave nothing of the first; its upper end is that of a table as close as half of them.

    Examples
    --------
    >>> found = information_interval([[120, 80], [80, 120]])
    >>> found.low < 0.02 < found.high
    True
    """
    check_level(level)
    table = check_counts(counts, 2)
    n = float(table.sum())
    value, plug = information_from_counts(table, correction), information_from_counts(table, "none")
    rows, columns = int((table.sum(axis=1) > 0).sum()), int((table.sum(axis=0) > 0).sum())
    freedom, tail = (rows - 1) * (columns - 1), (1.0 - level) / 2
    if freedom == 0:
        return Quantity(value=0.0, low=0.0, high=0.0, kind="estimate", level=level, n=int(n))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(table * n / np.outer(table.sum(axis=1), table.sum(axis=0)))
    ratio = np.where(table > 0, ratio, 0.0)
    error = np.sqrt(max(0.0, float((table * ratio**2).sum() / n - plug**2)) / n)
    reach = float(norm.isf(tail)) * error
    low = _noncentrality(2 * n * plug, freedom, 1.0 - tail) / (2 * n)
    high = _noncentrality(max(2 * n * plug, float(chi2.median(freedom))), freedom, tail) / (2 * n)
    most = float(np.log(min(table.shape)))
    return Quantity(
        value=value,
        low=min(value, max(0.0, min(low, value - reach))),
        high=max(value, min(most, max(high, value + reach))),
        kind="estimate",
        level=level,
        n=int(n),
    )


def check_counts(counts: ArrayLike, ndim: int | None = None) -> Reals:
    """Return counts as float64; refuse fractions, an empty table, and another number of axes.

    Examples
    --------
    >>> check_counts([[1.5, 2]])
    Traceback (most recent call last):
    withhold.contracts.errors.InvalidParameterError: counts must be whole numbers (got 1.5). For probabilities use ...
    """
    table = check_masses(counts, "counts")
    if bool((table != np.floor(table)).any()):
        raise InvalidParameterError(
            f"counts must be whole numbers (got {float(table[table != np.floor(table)][0]):g}). "
            "For probabilities use withhold.information.measures.shannon."
        )
    if ndim is not None and table.ndim != ndim:
        raise InvalidParameterError(f"counts must be a table of {ndim} axes (got {table.ndim}).")
    if table.sum() < 2:
        raise InvalidParameterError(f"counts must be of at least 2 records (got {table.sum():g}).")
    return table


def _corrected(counts: NDArray[np.float64], correction: Correction) -> float:
    """Entropy of positive counts."""
    n = float(counts.sum())
    total = float(xlogy(counts, counts).sum())
    plug = np.log(n) - total / n
    if correction == "none":
        return float(plug)
    if correction == "miller-madow":
        return float(plug + (len(counts) - 1) / (2 * n))
    # One record fewer in a cell of c changes the sum of c log c there; a mean over records, cells weighted by c.
    without = total - xlogy(counts, counts) + xlogy(counts - 1, counts - 1)
    left_out = np.log(n - 1) - without / (n - 1)
    return float(n * plug - (n - 1) / n * (counts * left_out).sum())


def _noncentrality(statistic: float, freedom: int, probability: float) -> float:
    """Noncentrality at which `statistic` has this distribution function; 0 where none is that small."""
    if chi2.cdf(statistic, freedom) <= probability:
        return 0.0
    return float(chndtrinc(statistic, freedom, probability))


def _check_correction(correction: str) -> None:
    if correction not in CORRECTIONS:
        raise refused("correction", " or ".join(map(repr, CORRECTIONS)), correction)
