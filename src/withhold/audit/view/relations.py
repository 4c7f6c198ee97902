"""Relations between columns that hold nearly: what is left of a column once the others have said what they can.

A total that one site rounds, a body-mass index from a reported height, shares that do not add up: the columns look
alike in both classes and their residuals do not. Residuals are taken in double precision, of numbers and of their logs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from withhold.audit.view.curves import curve_columns
from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading

Reals = npt.NDArray[np.float64]

# A column is related where the others leave less than this share of its variance.
UNEXPLAINED = 0.02
# Squares vary less than what they are squares of, so that the same error is more of their variance.
LOOSELY = 0.1
# Of columns that the others explain by more than the rest of this, squares are explained as well and say nothing more.
FREE, OWN = 0.5, 0.05
# Numbers with more values than this, and the most columns that are looked at, of a release and as residuals.
VALUES, WIDEST, MOST = 20, 400, 20
# Weight on the diagonal, as a share of a column's variance: more would be the smallest residual that is seen.
RIDGE = 1e-12
# Squares of larger numbers are no numbers.
LARGEST = 1e100
# Rows from which a relation is read, at least as many times the columns.
TIMES = 5


@dataclass(frozen=True)
class KnownNumbers:
    """The columns of many numbers, all of them known: made once of a release and handed to all who compare them.

    Attributes
    ----------
    names, sources : list of str
        Name of each column, and of the file's column that it was unpacked from.
    matrix : ndarray of float64, shape (n, p)
        Their values; of shape (0, 0) where there is none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> known = KnownNumbers.of(read_columns(pa.table({"a": range(40), "b": ["x", "y"] * 20})))
    >>> known.names, known.matrix.shape
    (['a'], (40, 1))
    """

    names: list[str]
    sources: list[str]
    matrix: Reals

    @classmethod
    def of(cls, readings: Iterable[Reading]) -> "KnownNumbers":
        """Take the first columns, as many as are compared."""
        found: dict[str, tuple[str, Reals]] = {}
        for reading in readings:
            if reading.numbers is not None and len(reading.levels) > VALUES and len(found) < WIDEST:
                values = np.asarray(reading.numbers, np.float64)
                if moderate(values):
                    found[reading.name] = reading.source, values
        matrix = np.column_stack([values for _, values in found.values()]) if found else np.zeros((0, 0))
        return cls(list(found), [source for source, _ in found.values()], matrix)


def moderate(values: Reals) -> bool:
    """Whether numbers are all known and can be squared.

    Examples
    --------
    >>> [moderate(np.array([1.0, one])) for one in (-2.0, np.nan, np.inf, 1e300)]
    [True, False, False, False]
    """
    return bool(np.abs(values).max(initial=0.0) < LARGEST)


def relation_columns(numbers: KnownNumbers) -> Iterator[Column]:
    """Yield residuals of nearly exact relations, and their sizes, of numbers as they are and of logarithms.

    Parameters
    ----------
    numbers : KnownNumbers
        Those of a release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.uniform(1, 2, (2, 200))
    >>> table = pa.table({"a": a, "b": b, "product": np.round(a * b, 3)})
    >>> [name for name, _ in relation_columns(KnownNumbers.of(read_columns(table)))][:2]
    ['product by the others', 'product by the others, size']
    """
    names, matrix = numbers.names, numbers.matrix
    if len(names) < 2 or len(matrix) < TIMES * len(names):
        return
    known = _precision(matrix)
    yield from _residuals(known, names, "")
    positive = (matrix > 0).all(axis=0)
    if positive.sum() >= 2:
        kept = [names[place] for place in np.flatnonzero(positive)]
        yield from _residuals(_precision(np.log(matrix[:, positive])), kept, "log ")
    # A vector of length one among other columns: its squares add up.
    used, _, precision = known
    free = used[1.0 / np.maximum(np.diag(precision), 1e-300) > FREE]
    largest = np.maximum(np.abs(matrix[:, free]).max(axis=0), 1e-300)
    squares = (matrix[:, free] / largest) ** 2
    yield from _residuals(_precision(squares), [names[place] for place in free], "square of ", LOOSELY)
    # Of what the others explain a little, as a distance, a relation of degree two is looked for.
    own = used[1.0 / np.maximum(np.diag(precision), 1e-300) > OWN]
    for name, values in curve_columns([names[place] for place in own], matrix[:, own]):
        yield from scaled(name, values)
        yield from scaled(f"{name}, size", np.log(np.abs(values - np.median(values)) + 1e-9))
    # Parts of a whole: their sum and their length are the same everywhere, or nearly.
    standard = (matrix - matrix.mean(axis=0)) / np.maximum(matrix.std(axis=0), 1e-300)
    for name, values in (
        ("sum of numbers", matrix.sum(axis=1)),
        ("length of numbers", np.sqrt((standard**2).sum(axis=1))),
    ):
        yield from scaled(name, values)


def _residuals(
    known: tuple[npt.NDArray[np.int64], Reals, Reals], names: list[str], prefix: str, unexplained: float = UNEXPLAINED
) -> Iterator[Column]:
    used, standard, precision = known
    if len(used) < 2:
        return
    left = 1.0 / np.maximum(np.diag(precision), 1e-300)  # variance of each column that the others do not explain
    related = np.argsort(left)[:MOST]
    for column in related[left[related] < unexplained]:
        residual = standard @ (precision[:, column] / precision[column, column])
        name = f"{prefix}{names[used[column]]} by the others"
        yield from scaled(name, residual)
        yield from scaled(f"{name}, size", np.log(np.abs(residual - np.median(residual)) + 1e-9))


def _precision(matrix: Reals) -> tuple[npt.NDArray[np.int64], Reals, Reals]:
    """Return the columns that vary, these at unit spread, and the inverse of their covariance."""
    scale = matrix.std(axis=0)
    used = np.flatnonzero(scale > 1e-300)
    standard = (matrix[:, used] - matrix[:, used].mean(axis=0)) / scale[used]
    covariance = standard.T @ standard / max(1, len(standard)) + RIDGE * np.eye(len(used))
    return used, standard, np.asarray(np.linalg.inv(covariance))


def scaled(name: str, values: Reals) -> Iterator[Column]:
    """Yield a column at unit spread, clipped far out; nothing where it is the same everywhere."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    spread = (high - low) / 1.349 or float(values.std())
    if spread > 1e-12 * max(1.0, abs(middle)):
        yield name, np.clip((values - middle) / spread, -10.0, 10.0).astype(np.float32)
