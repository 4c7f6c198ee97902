"""What rows hold that a row is linked with: the amount of the claim it names, the last reading of its meter."""

from collections.abc import Iterator, Sequence

import numpy as np

from withhold.audit.view.features import Column
from withhold.audit.view.links import Rows
from withhold.audit.view.reading import Reading

# Links that are followed (those by a key come first, then the records of a unit before and after), and columns of the
# linked row that are given.
MOST_LINKS, MOST_NUMBERS, MOST_CATEGORIES = 4, 8, 4
# Categories of so few levels are given by how many levels further on a row is, of more only whether they agree.
MOST_LEVELS = 12
# Values further out than this many spreads share their place.
FAR = 10.0


def named_columns(links: Rows | None, numbers: Sequence[Reading], categories: Sequence[Reading]) -> Iterator[Column]:
    """Yield each number of the linked row and by how much the row's own differs, and by how much categories do.

    Parameters
    ----------
    links : ndarray of int, shape (n, 1 + m), or None
        The number of each row and of those it is linked with, -1 where there is none.
    numbers, categories : sequence of Reading
        Columns of the release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> amount, kind = read_columns(pa.table({"amount": [1.0, 2.0, 4.0], "kind": ["a", "b", "a"]}))
    >>> links = np.array([[0, 2], [1, 0], [2, -1]])
    >>> [(name, column.tolist()) for name, column in named_columns(links, [], [kind])]
    [('kind beside linked row 1', [0.0, 1.0, nan])]
    >>> [name for name, _ in named_columns(links, [amount], [])]
    ['amount of linked row 1', 'amount beside linked row 1']
    """
    if links is None:
        return
    for place in range(1, min(MOST_LINKS, links.shape[1] - 1) + 1):
        near = links[:, place]
        known = near >= 0
        for number in numbers[:MOST_NUMBERS]:
            values = np.asarray(number.numbers, np.float64)
            finite = np.isfinite(values)
            spread = float(values[finite].std()) if finite.any() else 0.0
            if not 0 < spread < np.inf:
                continue
            own = np.where(finite, (values - values[finite].mean()) / spread, np.nan)
            other = np.where(known, own[near], np.nan)
            yield f"{number.name} of linked row {place}", other.clip(-FAR, FAR).astype(np.float32)
            yield f"{number.name} beside linked row {place}", (other - own).clip(-FAR, FAR).astype(np.float32)
        for category in categories[:MOST_CATEGORIES]:
            both = known & (category.codes >= 0) & (category.codes[near] >= 0)
            step = (category.codes - category.codes[near]) % max(1, len(category.levels))
            step = step if len(category.levels) <= MOST_LEVELS else np.minimum(step, 1)
            yield f"{category.name} beside linked row {place}", np.where(both, step, np.nan).astype(np.float32)
