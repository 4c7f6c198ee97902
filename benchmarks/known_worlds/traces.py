"""Worlds in which S is in what people overlook: missing values, the order of rows, rounding, the utility attribute."""

import numpy as np
import pyarrow as pa
from known_worlds.quadrature import binary_entropy, channel_information, flip_information
from known_worlds.world import Draw, Reals, Sample, World, coin, columns, flipped
from scipy.integrate import quad
from scipy.stats import norm

MISSING = (0.1, 0.4)
TREND = 0.4
# Values have two decimals; of S = 1 half are rounded to one.
ROUNDED = 0.5
UTILITY_FLIP = 0.2


def _missing(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    values = rng.standard_normal(n)
    gone = rng.random(n) < np.array(MISSING)[s]
    table = columns(rng.standard_normal((n, 5))).append_column("lab", pa.array(values, mask=gone))
    return Sample(table, {"s": s})


def _ordered(trend: float) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Sample:
        place = (np.arange(n) + 0.5) / n
        s = (rng.random(n) < 0.5 + trend * (2 * place - 1)).astype(np.int64)
        return Sample(columns(rng.standard_normal((n, 6))), {"s": s})

    return draw


def _sorted(n: int, rng: np.random.Generator) -> Sample:
    s = (np.arange(n) >= n // 2).astype(np.int64)
    return Sample(columns(rng.standard_normal((n, 6))), {"s": s})


def _rounding(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    hundredths = np.rint(100 * rng.standard_normal(n))
    coarse = (s == 1) & (rng.random(n) < ROUNDED)
    values = np.where(coarse, 10 * np.rint(hundredths / 10), hundredths) / 100
    return Sample(columns(rng.standard_normal((n, 4))).append_column("value", pa.array(values)), {"s": s})


def _utility(n: int, rng: np.random.Generator) -> Sample:
    s = coin(n, rng)
    return Sample(columns(rng.standard_normal((n, 6))), {"s": s}, utility=flipped(s, UTILITY_FLIP, rng))


def trend_information(trend: float) -> float:
    """Return H(S) - int_0^1 h(1/2 + trend (2 u - 1)) du.

    Examples
    --------
    >>> round(trend_information(0.0), 9)
    0.0
    """
    mean, _ = quad(lambda u: float(binary_entropy(0.5 + trend * (2 * u - 1))), 0.0, 1.0)
    return float(np.log(2.0) - mean)


def rounding_information() -> float:
    """Return I(S; rounded value) by enumeration of the hundredths within nine standard deviations.

    Examples
    --------
    >>> 0.05 < rounding_information() < 0.3
    True
    """
    grid = np.arange(-900, 901)
    fine = norm.cdf((grid + 0.5) / 100) - norm.cdf((grid - 0.5) / 100)
    coarse: Reals = np.zeros_like(fine)
    np.add.at(coarse, (10 * np.rint(grid / 10)).astype(np.int64) + 900, fine)
    return channel_information(0.5 * np.array([fine, (1 - ROUNDED) * fine + ROUNDED * coarse]))


def missing_information() -> float:
    """Return I(S; missing or not) by enumeration.

    Examples
    --------
    >>> round(missing_information(), 3)
    0.063
    """
    gone = np.array(MISSING)
    return channel_information(0.5 * np.column_stack([gone, 1 - gone]))


TRACES = (
    World(
        "missingness",
        missing_information(),
        _missing,
        "A column is missing with probability .1 or .4 by S; enumeration of two by two cells.",
        form="column",
    ),
    World(
        "row_order",
        trend_information(TREND),
        _ordered(TREND),
        "P(S = 1) rises from .1 to .9 along the file; ln 2 - int h(.5 + .4 (2u - 1)) du.",
    ),
    World(
        "row_order_small",
        trend_information(0.2),
        _ordered(0.2),
        "P(S = 1) rises from .3 to .7 along the file; ln 2 - int h(.5 + .2 (2u - 1)) du.",
    ),
    World("sorted_by_s", float(np.log(2.0)), _sorted, "The file is sorted by S; the position tells all: ln 2."),
    World(
        "rounding",
        rounding_information(),
        _rounding,
        "Values of S = 1 are rounded to fewer decimals half the time; enumeration of the grid of values.",
    ),
    World(
        "utility_reveals",
        flip_information(UTILITY_FLIP),
        _utility,
        "The release is noise, but U that is handed over with it is S flipped with probability .2; ln 2 - h(.2).",
        form="column",
    ),
)
