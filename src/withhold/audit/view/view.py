"""What an attacker sees: the released table alone, turned into matrices without any knowledge of the sanitiser.

No value is dropped: rare levels, identifiers and their characters, missing values of either kind, rounding and the
order of rows are all given, because a recipient has them. The view is unsupervised; it never sees the sensitive
attribute.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import csr_matrix

from withhold.audit.view.between_dates import between_dates, odd_values
from withhold.audit.view.calendar import calendar_columns, times_of
from withhold.audit.view.characters import identifies, is_text, rooms, symbol_columns
from withhold.audit.view.code_parts import odd_parts
from withhold.audit.view.copies import columns_of, distances_of
from withhold.audit.view.features import FEW, dense_columns, ordinal_columns, rounding_columns, standardised
from withhold.audit.view.image_values import value_columns
from withhold.audit.view.links import Rows
from withhold.audit.view.pixels import Pictures, block_columns, pictures
from withhold.audit.view.reading import read_columns
from withhold.audit.view.together import Kept
from withhold.audit.view.words import in_words, number_columns, words

Matrix = npt.NDArray[np.float32]

# Levels of one column that get an indicator of their own.
MOST_LEVELS = 100
# Entries of the dense matrix (1.6 GB of float32): wide tables with many rows get fewer indicators a column.
MOST_ENTRIES = 400_000_000
# Whitened directions kept, and columns up to which they are found exactly.
MOST_DIRECTIONS, EXACT_WIDTH = 256, 1536
# Directions with less than this share of the largest variance are rounding.
NULL_DIRECTION = 1e-8
# Entries of a part that is standardised in double precision at once (32 MB).
PART = 4_000_000


@dataclass(frozen=True)
class AttackView:
    """Matrices of a released table, row for row.

    Attributes
    ----------
    dense : ndarray of float32, shape (n, p)
        Indicators of levels, robustly scaled values, tails, missing flags, traces of rounding, order of rows.
    ordinal : ndarray of float32, shape (n, q)
        For trees: codes and numbers in exact order, NaN where missing.
    images : ndarray of shape (n, channels, height, width) or None
        Whole images as stored; in the other matrices averages over blocks stand for them.
    words : csr_matrix of float32, shape (n, tokens), or None
        How often each word, element or piece of a word stands in each row.
    links : ndarray of int, shape (n, 1 + 2 m), or None
        The number of each row, and of those it names and is named by.
    relations : ndarray of float32, shape (n, r), or None
        For trees: what is calculated from several columns, from rows that are alike, or from the values of an image.
    distances : ndarray of shape (n, 10), or None
        Of each row to its nearest others, ascending; None where there are too few rows or columns to compare.
    time : ndarray of shape (n,) or None
        Seconds since 1970 of the first column of dates or times, the mean where it is missing.
    calendar : ndarray of float32, shape (n, c)
        Parts of dates and times, centred and at unit spread.
    characters : tuple of int
        The first column of `dense` that holds characters of identifiers, and the first after them.
    dense_names, ordinal_names : tuple of str
        What each matrix column is.
    dense_sources : tuple of str
        The column of the file that each dense column was made of; "row order" for the position.

    Examples
    --------
    >>> table = pa.table({"a": [0.1, 0.2, 0.4, 0.3], "b": ["x", "y", "x", "x"]})
    >>> view = AttackView.fit(table, row_order=False)
    >>> view.dense_names
    ('a', 'b=y')
    >>> view.columns["b=y"]
    'b'
    >>> view.whitened.shape
    (4, 2)
    """

    dense: Matrix = field(repr=False)
    ordinal: Matrix = field(repr=False)
    dense_names: tuple[str, ...]
    dense_sources: tuple[str, ...]
    ordinal_names: tuple[str, ...]
    images: Pictures | None = field(default=None, repr=False)
    words: csr_matrix | None = field(default=None, repr=False)
    links: Rows | None = field(default=None, repr=False)
    relations: Matrix | None = field(default=None, repr=False)
    distances: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    time: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    calendar: Matrix = field(default_factory=lambda: np.zeros((0, 0), np.float32), repr=False)
    characters: tuple[int, int] = (0, 0)

    @classmethod
    def fit(cls, table: pa.Table, row_order: bool = True) -> "AttackView":
        """Build the view of `table`.

        Parameters
        ----------
        table : pyarrow.Table
            The release, without the columns that are judged apart (S, U, groups).
        row_order : bool
            Whether position is given: true where rows come in the order in which the recipient gets them.
        """
        n = table.num_rows
        width = max(64, MOST_ENTRIES // max(1, n))
        most_levels = min(MOST_LEVELS, max(2, width // max(1, table.num_columns)))
        dense, ordinal = _Columns(n), _Columns(n)
        kept, identifiers, calendar, time = Kept(n), [], _Columns(n), None
        dates: list[tuple[str, npt.NDArray[np.float64]]] = []

        for reading in read_columns(table):
            kept.add(reading)
            many = reading.numbers is not None and len(reading.levels) > FEW
            traces = tuple(rounding_columns(reading)) if many else ()
            dense.extend(dense_columns(reading, most_levels, traces), reading.source)
            dense.extend(odd_parts(reading), reading.source)
            ordinal.extend(ordinal_columns(reading, traces), reading.source)
            parts = list(calendar_columns(reading))
            ordinal.extend(parts, reading.source)
            calendar.extend(parts, reading.source)
            if parts and (seconds := times_of(reading)) is not None:
                time = seconds if time is None else time
                dates.append((reading.name, np.where(reading.missing, np.nan, seconds)))
            if in_words(reading):
                ordinal.extend(number_columns(reading), reading.source)
            if identifies(reading):
                identifiers.append(reading)
        for reading in between_dates(dates):
            for columns, made in ((dense, dense_columns(reading, most_levels)), (ordinal, ordinal_columns(reading))):
                columns.extend(made, reading.source)
                columns.extend(odd_values(reading), reading.source)
        texts = sum(map(is_text, identifiers))
        room_of, first_symbol = rooms(texts, len(identifiers) - texts), len(dense.names)
        for reading in identifiers:
            room, places = room_of[is_text(reading)]
            dense.extend(symbol_columns(reading, room, indicators=True), reading.source)
            ordinal.extend(symbol_columns(reading, places, indicators=False), reading.source)
        characters = first_symbol, len(dense.names)
        for name, source, averages in block_columns(table):
            dense.extend([(name, averages)], source)
            ordinal.extend([(name, averages)], source)
        related = _Columns(n)
        for source, statistic in value_columns(table):
            related.extend([statistic], source)
        links = kept.links(time) if row_order else None
        related.extend(kept.relations(links), "relations of columns")
        distances = distances_of(dense.parts)
        related.extend(columns_of(distances) if distances is not None else (), "copies of rows")
        if row_order and n > 1:
            position = np.linspace(-1.0, 1.0, n, dtype=np.float32)
            parity = np.where(np.arange(n) % 2 == 0, 1.0, -1.0).astype(np.float32)
            order = (("position", position), ("odd or even position", parity))
            dense.extend(order, "row order")
            ordinal.extend(order, "row order")
        return cls(
            dense.matrix(),
            ordinal.matrix(),
            tuple(dense.names),
            tuple(dense.sources),
            tuple(ordinal.names),
            pictures(table),
            words(table),
            links,
            related.matrix() if related.parts else None,
            distances,
            time,
            standardised(calendar.matrix()),
            characters,
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.dense)

    @property
    def columns(self) -> dict[str, str]:
        """Map of each dense column to the column of the file."""
        return dict(zip(self.dense_names, self.dense_sources, strict=True))

    @property
    def by_subject(self) -> Matrix:
        """What is summarised over the records of a subject: parts of dates, and `dense` without characters.

        What a character tells is in each record; summaries of hundreds of them would cost more than all else.
        """
        start, stop = self.characters
        return np.hstack([self.calendar, self.dense[:, :start], self.dense[:, stop:]])

    @cached_property
    def whitened(self) -> Matrix:
        """Uncorrelated directions of unit variance of `dense`, null directions dropped."""
        return whiten(self.dense)


def whiten(matrix: Matrix, most: int = MOST_DIRECTIONS) -> Matrix:
    """Return standardised principal components of unit variance, at most `most`, null directions dropped.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32)
    >>> whiten(np.column_stack([x, x[:, 0] + x[:, 1]])).shape
    (500, 3)
    """
    n, p = matrix.shape
    if n < 2 or p == 0:
        return np.zeros((n, 0), np.float32)
    mean = matrix.mean(axis=0, dtype=np.float64)
    scale = matrix.std(axis=0, dtype=np.float64)
    used = np.flatnonzero(scale > 0)

    def standard(rows: slice, columns: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.asarray((matrix[rows, columns] - mean[columns]) / scale[columns])

    if len(used) > n and n <= EXACT_WIDTH:
        # More columns than rows: the same components from the products of rows, column by column in parts.
        products = np.zeros((n, n))
        width = max(1, PART // n)
        for start in range(0, len(used), width):
            part = standard(slice(None), used[start : start + width])
            products += part @ part.T
        variances, components = np.linalg.eigh(products / n)
        return np.asarray(components[:, _largest(variances, most)] * np.sqrt(n), dtype=np.float32)
    # Very wide views: a fixed sketch of the columns, so that cost does not grow with the cube of the width.
    sketch = None
    if len(used) > EXACT_WIDTH:
        sketch = np.random.default_rng(0).normal(size=(len(used), EXACT_WIDTH)) / np.sqrt(EXACT_WIDTH)
    size = min(len(used), EXACT_WIDTH)
    covariance = np.zeros((size, size))
    length = max(1, PART // max(1, len(used)))
    parts = [slice(start, start + length) for start in range(0, n, length)]
    for rows in parts:
        part = standard(rows, used) if sketch is None else standard(rows, used) @ sketch
        covariance += part.T @ part
    variances, directions = np.linalg.eigh(covariance / n)
    keep = _largest(variances, most)
    weights = directions[:, keep] / np.sqrt(variances[keep])
    if sketch is not None:
        weights = sketch @ weights
    out = np.empty((n, len(keep)), np.float32)
    for rows in parts:
        out[rows] = standard(rows, used) @ weights
    return out


def _largest(variances: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.int64]:
    return np.flatnonzero(variances > NULL_DIRECTION * max(variances.max(initial=0.0), 1e-300))[::-1][:most]


class _Columns:
    """Columns gathered one by one; the matrix is filled while the gathered ones are let go, to halve the peak."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.names: list[str] = []
        self.sources: list[str] = []
        self.parts: list[Matrix] = []

    def extend(self, columns: Iterable[tuple[str, Matrix]], source: str) -> None:
        for name, column in columns:
            self.names.append(name)
            self.sources.append(source)
            self.parts.append(column)

    def matrix(self) -> Matrix:
        out = np.empty((self.n, len(self.parts)), np.float32)
        for index in range(len(self.parts)):
            out[:, index] = self.parts[index]
            self.parts[index] = out[:0, index]
        return out
