"""Texts that name what another column holds: a review its city, a note the ward, a mail address the family name."""

from collections.abc import Iterator, Sequence

import numpy as np

from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading

# Texts and columns that are compared, and characters of a text; shorter levels stand in any text by chance.
MOST_TEXTS, MOST_COLUMNS, MOST_CHARACTERS, SHORTEST = 8, 16, 1_000, 3
# Both a mention and its absence must occur in this share of the rows.
LEAST_SHARE = 0.01


def mention_columns(texts: Sequence[Reading], categories: Sequence[Reading]) -> Iterator[Column]:
    """Yield whether each text holds the value of each other column.

    Parameters
    ----------
    texts, categories : sequence of Reading
        Columns that are read by their words, and those whose values may stand in them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> table = pa.table({"note": ["seen in Rome", "seen in Bonn"] * 20, "city": ["Rome", "Rome", "Bonn", "Rome"] * 10})
    >>> note, city = read_columns(table)
    >>> [(name, column[:4].tolist()) for name, column in mention_columns([note], [city])]
    [('note names city', [1.0, 0.0, 0.0, 0.0])]
    """
    for text in texts[:MOST_TEXTS]:
        said = [str(level)[:MOST_CHARACTERS].casefold() for level in text.levels.tolist()]
        for column in [one for one in categories if one.name != text.name][:MOST_COLUMNS]:
            named = [str(level).strip().casefold() for level in column.levels.tolist()]
            if column.kind != "category" or max(map(len, named), default=0) < SHORTEST:
                continue
            pairs, of = np.unique(np.column_stack([text.codes, column.codes]), axis=0, return_inverse=True)
            holds = [i >= 0 and j >= 0 and len(named[j]) >= SHORTEST and named[j] in said[i] for i, j in pairs.tolist()]
            flags = np.asarray(holds, np.float32)[of.ravel()]
            if LEAST_SHARE < flags.mean() < 1 - LEAST_SHARE:
                yield f"{text.name} names {column.name}", flags
