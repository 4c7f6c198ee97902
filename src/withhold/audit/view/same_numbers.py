"""Numbers that two columns share in many rows: a total and the sum of its list, a value carried over."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from withhold.audit.view.features import Column
from withhold.audit.view.relations import KnownNumbers, scaled

# Columns that are compared, in so many rows, and pairs of them that are given, the likest. Two are the same within
# rounding in such a share of the rows more than by chance, and not in all; zeros are no evidence, since counts share
# them where neither has anything.
MOST_COLUMNS, PROBED, MOST_PAIRS, SAME, LEAST_SHARE, MOST_SHARE = 32, 2_000, 16, 1e-9, 0.1, 0.99
# Numbers of a row in which equal ones are counted: of fewer hardly any are.
LEAST_NUMBERS = 16


def same_columns(numbers: KnownNumbers) -> Iterator[Column]:
    """Yield by how much two columns differ that are the same in many rows, and how many numbers of a row are the same.

    Parameters
    ----------
    numbers : KnownNumbers
        Those of a release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> a = np.arange(1.0, 101.0)
    >>> table = pa.table({"a": a, "b": np.where(a % 2, a, 2.5 * a)})
    >>> [name for name, _ in same_columns(KnownNumbers.of(read_columns(table)))]
    ['a beyond b', 'a by b']
    """
    names, matrix = numbers.names, numbers.matrix
    if len(names) >= LEAST_NUMBERS:
        # A vector that was stored in steps of its largest value has values that come back in it.
        ordered = np.abs(matrix)
        ordered.sort(axis=1)
        again = np.count_nonzero(ordered[:, 1:] == ordered[:, :-1], axis=1)
        yield from scaled("numbers of a row that are the same but for sign", again.astype(float))
    some = matrix[np.random.default_rng(0).permutation(len(matrix))[:PROBED], :MOST_COLUMNS]
    apart = np.roll(some, 1, axis=0)
    found = []
    for one, other in combinations(range(some.shape[1]), 2):
        if numbers.sources[one] != numbers.sources[other]:
            share, chance = (_same(some[:, one], beside[:, other]) for beside in (some, apart))
            if chance + LEAST_SHARE < share < MOST_SHARE:
                found.append((share - chance, one, other))
    for _, one, other in sorted(found, reverse=True)[:MOST_PAIRS]:
        a, b = matrix[:, one], matrix[:, other]
        yield from scaled(f"{names[one]} beyond {names[other]}", a - b)
        if (a > 0).all() and (b > 0).all():
            yield from scaled(f"{names[one]} by {names[other]}", np.log(a / b))


def _same(a: np.ndarray, b: np.ndarray) -> float:
    return float(((np.abs(a - b) <= SAME * np.abs(a)) & (a != 0)).mean())
