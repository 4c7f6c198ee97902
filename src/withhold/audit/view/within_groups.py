"""Where a row stands within its group: the oldest of a household, the last visit of a case, how many share a number."""

from collections.abc import Iterator, Sequence

import numpy as np

from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading

# Groups of so many rows, in which this share of all rows stands; keys, and numbers compared within their groups.
LARGEST, LEAST_SHARE, MOST_KEYS, MOST_NUMBERS = 20, 0.3, 2, 8


def group_columns(keys: Sequence[Reading], numbers: Sequence[Reading]) -> Iterator[Column]:
    """Yield the size of each row's group, and of each number its distance from the mean of the group and its rank.

    Parameters
    ----------
    keys, numbers : sequence of Reading
        Columns whose values may name groups, and those that are compared within them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> table = pa.table({"home": [f"h{i // 2}" for i in range(60)], "age": [float(i * 7 % 60) for i in range(60)]})
    >>> home, age = read_columns(table)
    >>> [name for name, _ in group_columns([home], [age])]
    ['age in its home', 'rank of age in its home']
    """
    found = 0
    for key in keys:
        known = key.codes >= 0
        counts = np.bincount(key.codes[known], minlength=len(key.levels))
        size = np.where(known, counts[key.codes], 0)
        if found == MOST_KEYS or ((size > 1) & (size <= LARGEST)).mean() < LEAST_SHARE or size.max() > 5 * LARGEST:
            continue
        found += 1
        if np.ptp(size[known]) > 0:
            yield f"rows of its {key.name}", size.astype(np.float32)
        for number in [one for one in numbers if one.name != key.name][:MOST_NUMBERS]:
            values = np.nan_to_num(np.asarray(number.numbers, np.float64), posinf=0.0, neginf=0.0)
            total = np.bincount(key.codes[known], weights=values[known], minlength=len(key.levels))
            mean = np.where(known, (total / np.maximum(counts, 1))[key.codes], values)
            scale = max(float(np.std(values - mean)), 1e-12)
            yield f"{number.name} in its {key.name}", ((values - mean) / scale).astype(np.float32)
            order = np.lexsort((values, key.codes))
            starts = np.r_[0, np.cumsum(np.bincount(key.codes[order] + 1, minlength=len(key.levels) + 1))[:-1]]
            rank = np.empty(len(values))
            rank[order] = np.arange(len(values)) - starts[key.codes[order] + 1]
            yield (
                f"rank of {number.name} in its {key.name}",
                np.where(size > 1, rank / np.maximum(size - 1, 1), 0.5).astype(np.float32),
            )
