"""Consistency of categories: how usual each pair of levels is, and how often a row breaks with what other rows say.

Swapping moves a value to another row: each column looks as before, and a city stands in a region that it is not in.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading
from withhold.data.shares import plug_in_entropy

Codes = npt.NDArray[np.int32] | npt.NDArray[np.int64]

# Columns with at least two and at most so many levels, and no more than a part of the rows, since pairs must repeat.
MOST_LEVELS, ROWS_A_LEVEL = 2_000, 5
# The columns compared, and the pairs that are given: those that say most of each other.
WIDEST, MOST_PAIRS = 60, 20
# Pairs say something of each other from this share of the smaller entropy, beyond what chance gives.
LEAST_SHARE = 0.05


def consistency_columns(readings: Sequence[Reading], codes: Sequence[Reading] = ()) -> Iterator[Column]:
    """Yield log P(b | a) of related pairs of categories, each estimated from other rows, their sum, and the levels.

    Parameters
    ----------
    readings : sequence of Reading
        The categories of a release.
    codes : sequence of Reading
        Its whole numbers, which may be codes, such as of places: they are compared with categories alone.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> city = np.random.default_rng(0).integers(0, 9, 300)
    >>> table = pa.table({"city": [f"c{c}" for c in city], "region": [f"r{c // 3}" for c in city]})
    >>> [name for name, _ in consistency_columns(list(read_columns(table)))]
    ['city and region agree', 'city', 'region']
    """
    usable = [one for one in (*readings, *codes) if 2 <= len(one.levels) <= _most_levels(one)][:WIDEST]
    categories = sum(any(one is category for category in readings) for one in usable)
    pairs = sorted(_related(usable, categories), key=lambda pair: -pair[0])[:MOST_PAIRS]
    total = None
    for _, one, other in pairs:
        forward, back = usual(one.codes, other.codes), usual(other.codes, one.codes)
        values = np.minimum(forward, back)
        if values.std() > 1e-9:
            total = values if total is None else total + values
            yield f"{one.name} and {other.name} agree", _scaled(values)
    if len(pairs) > 1 and total is not None and total.std() > 1e-9:
        yield "all pairs agree", _scaled(total)
    # How much a break tells hangs on the level that broke: a value moved out of a large city breaks less often.
    for reading in {reading.name: reading for _, *both in pairs for reading in both}.values():
        yield reading.name, np.where(reading.codes < 0, np.nan, reading.codes).astype(np.float32)


def usual(given: Codes, then: Codes) -> npt.NDArray[np.float64]:
    """Return log P(then | given) of each row, counted over the other rows, half a row added to each level.

    Examples
    --------
    >>> np.round(usual(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])), 2).tolist()
    [-0.69, -0.69, -1.79, -0.69]
    """
    levels = int(then.max()) + 2
    which = np.unique((given.astype(np.int64) + 1) * levels + then + 1, return_inverse=True)[1]
    both = np.bincount(which)[which] - 1
    marginal = np.bincount(given + 1)[given + 1] - 1
    kinds = len(np.unique(then))
    return np.asarray(np.log((both + 0.5) / (marginal + 0.5 * kinds)))


def _most_levels(reading: Reading) -> int:
    return min(MOST_LEVELS, len(reading.codes) // ROWS_A_LEVEL)


def _related(readings: Sequence[Reading], categories: int) -> Iterator[tuple[float, Reading, Reading]]:
    """Yield pairs of columns with the share of the smaller entropy that the other tells, without what chance adds.

    At least one of a pair is among the first `categories`.
    """
    entropies = [_entropy(reading.codes) for reading in readings]
    for (i, one), (j, other) in combinations(enumerate(readings), 2):
        smaller = min(entropies[i], entropies[j])
        if smaller <= 0 or i >= categories:
            continue
        joint = _entropy((one.codes.astype(np.int64) + 1) * (len(other.levels) + 1) + other.codes + 1)
        chance = (len(one.levels) - 1) * (len(other.levels) - 1) / (2 * len(one.codes))  # Miller and Madow
        share = (entropies[i] + entropies[j] - joint - chance) / smaller
        if share > LEAST_SHARE:
            yield share, one, other


def _entropy(codes: Codes) -> float:
    return plug_in_entropy(np.unique(codes, return_counts=True)[1])


def _scaled(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    return np.asarray((values - values.mean()) / values.std(), dtype=np.float32)
