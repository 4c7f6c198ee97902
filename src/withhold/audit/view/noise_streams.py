"""Noise of a known seed: streams of common seeds, taken off a release that was made with one of them."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading
from withhold.audit.view.relations import known_numbers

Reals = npt.NDArray[np.float64]
Draw = Callable[[int, tuple[int, ...]], Reals]

SEEDS = (
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    11,
    12,
    13,
    17,
    21,
    23,
    42,
    99,
    100,
    101,
    123,
    314,
    321,
    333,
    666,
    777,
    1000,
    1001,
    1234,
    1337,
    12345,
)
SEEDS += (123456, 31337, *range(2015, 2031))
# How programs draw noise for a table: by NumPy's former and present generators, of two shapes.
STREAMS: dict[str, Draw] = {
    "numpy.random.normal": lambda seed, shape: np.random.RandomState(seed).normal(size=shape),
    "numpy.random.laplace": lambda seed, shape: np.random.RandomState(seed).laplace(size=shape),
    "numpy.random.uniform": lambda seed, shape: np.random.RandomState(seed).uniform(-1, 1, size=shape),
    "default_rng().normal": lambda seed, shape: np.random.default_rng(seed).normal(size=shape),
    "default_rng().laplace": lambda seed, shape: np.random.default_rng(seed).laplace(size=shape),
    "default_rng().uniform": lambda seed, shape: np.random.default_rng(seed).uniform(-1, 1, size=shape),
}
# Entries on which streams are tried, fewest rows, and the correlation in standard errors from which one is it:
# of 300 streams and a dozen columns by chance less than one in a million is.
TRIED_ENTRIES, LEAST_ROWS, SURE = 15_000, 100, 7.0


def stream_columns(readings: Sequence[Reading]) -> Iterator[Column]:
    """Yield the numbers of a release less the stream of a common seed that they follow.

    Parameters
    ----------
    readings : sequence of Reading
        Columns of numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> x = np.random.RandomState(42).normal(size=(300, 2)) + np.arange(300)[:, None] / 300
    >>> [name for name, _ in stream_columns(list(read_columns(pa.table({"a": x[:, 0], "b": x[:, 1]}))))]
    ['a less numpy.random.normal of seed 42', 'b less numpy.random.normal of seed 42']
    """
    names, matrix = known_numbers(readings)
    if len(matrix) < LEAST_ROWS:
        return
    scale = matrix.std(axis=0)
    standard = (matrix - matrix.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    n, p = standard.shape
    for name, draw in STREAMS.items():
        for seed in SEEDS:
            for shape in {(n, p), (n,)}:
                tried = TRIED_ENTRIES // (p if len(shape) > 1 else 1)
                short = (min(n, max(LEAST_ROWS, tried)), *shape[1:])
                noise = draw(seed, short).reshape(short[0], -1)
                first = standard[: short[0], : noise.shape[1]]
                if _correlation(first, noise).max(initial=0.0) * short[0] ** 0.5 < SURE:
                    continue
                whole = draw(seed, shape).reshape(n, -1)
                centred = (whole - whole.mean(axis=0)) / whole.std(axis=0)
                for column in range(whole.shape[1]):
                    weight = float(standard[:, column] @ centred[:, column]) / n
                    rest = standard[:, column] - weight * centred[:, column]
                    if abs(weight) * n**0.5 >= SURE and rest.std() > 1e-9:
                        label = f"{names[column]} less {name} of seed {seed}"
                        yield label, (rest / rest.std()).astype(np.float32)
                return


def _correlation(one: Reals, other: Reals) -> Reals:
    """Return the absolute correlation, column by column."""
    spread = one.std(axis=0) * other.std(axis=0)
    covariance = ((one - one.mean(axis=0)) * (other - other.mean(axis=0))).mean(axis=0)
    return np.asarray(np.abs(covariance) / np.where(spread > 0, spread, 1.0))
