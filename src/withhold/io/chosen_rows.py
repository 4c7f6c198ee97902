"""Some rows of a table that comes in pieces, in the memory of these and of one piece."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def chosen_rows(pieces: Iterable[pa.Table], rows: NDArray[np.int64]) -> Iterator[pa.Table]:
    """Yield of each piece the rows that are chosen.

    Parameters
    ----------
    pieces : iterable of pyarrow.Table
        A table, cut between rows.
    rows : ndarray of int
        Row numbers of the whole table, ascending.

    Examples
    --------
    >>> pieces = [pa.table({"a": [0, 1, 2]}), pa.table({"a": [3, 4]})]
    >>> [piece.column("a").to_pylist() for piece in chosen_rows(pieces, np.array([1, 4]))]
    [[1], [4]]
    """
    first = 0
    for piece in pieces:
        low, high = np.searchsorted(rows, (first, first + piece.num_rows))
        yield piece.take(pa.array(rows[low:high] - first))
        first += piece.num_rows
