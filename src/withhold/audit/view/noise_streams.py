"""Noise of a known seed: streams of common seeds, taken off a release that was made with one of them."""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from withhold.audit.view.features import Column
from withhold.audit.view.relations import KnownNumbers

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
MADE = tuple((name, seed) for name in STREAMS for seed in SEEDS)
# Entries on which streams are tried, fewest rows, columns that noise was drawn for (or all), and the correlation in
# standard errors from which one is it: of 300 streams, 17 widths and 60 columns by chance one in a million is.
TRIED_ENTRIES, LEAST_ROWS, MOST_WIDTH, SURE = 15_000, 100, 16, 7.0


def stream_columns(numbers: KnownNumbers) -> Iterator[Column]:
    """Yield the numbers of a release less the stream of a common seed that they follow.

    Parameters
    ----------
    numbers : KnownNumbers
        Those of a release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> x = np.random.RandomState(42).normal(size=(300, 2)) + np.arange(300)[:, None] / 300
    >>> numbers = KnownNumbers.of(read_columns(pa.table({"a": x[:, 0], "b": x[:, 1]})))
    >>> [name for name, _ in stream_columns(numbers)]
    ['a less numpy.random.normal of seed 42', 'b less numpy.random.normal of seed 42']
    """
    if len(numbers.matrix) < LEAST_ROWS:
        return
    standard = _standardised(numbers.matrix)
    n, p = standard.shape
    widths = (*range(1, min(p, MOST_WIDTH) + 1), *([p] if p > MOST_WIDTH else []))
    rows = min(n, max(LEAST_ROWS, TRIED_ENTRIES // p))
    short = _standardised(standard[:rows]).astype(np.float32)
    # Laws that are made of the same uniform numbers agree as well, the true one best.
    agree = np.abs(short.T @ _streams(rows, widths)) / rows**0.5
    if agree.max() <= SURE:
        return
    first, place = np.unravel_index(agree.argmax(), agree.shape)
    (name, seed), width = MADE[int(place) // len(widths)], widths[int(place) % len(widths)]
    centred = _standardised(STREAMS[name](seed, (n, width)))
    for column, own in enumerate(centred.T[: p - int(first)], start=int(first)):
        weight = float(standard[:, column] @ own) / n
        rest = standard[:, column] - weight * own
        if abs(weight) * n**0.5 >= SURE and rest.std() > 1e-9:
            yield f"{numbers.names[column]} less {name} of seed {seed}", (rest / rest.std()).astype(np.float32)


@lru_cache(maxsize=4)
def _streams(rows: int, widths: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Return the first column of noise of each stream for tables of each width; an audit asks many times for the same.

    At most 20 MB: rows times widths are bounded by `TRIED_ENTRIES`.
    """
    found = np.empty((rows, len(MADE) * len(widths)), np.float32)
    for number, (name, seed) in enumerate(MADE):
        # Noise for k columns fills row by row, so that its first column is every k-th number of one stream.
        flat = STREAMS[name](seed, (rows * widths[-1],))
        noise = np.column_stack([flat[: rows * width : width] for width in widths])
        found[:, number * len(widths) : (number + 1) * len(widths)] = _standardised(noise)
    return found


def _standardised(matrix: Reals) -> Reals:
    """Return columns of mean 0 and spread 1; what is the same everywhere becomes 0."""
    spread = matrix.std(axis=0)
    return np.asarray((matrix - matrix.mean(axis=0)) / np.where(spread > 0, spread, np.inf))
