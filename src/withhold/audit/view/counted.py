"""Numbers that count the characters or the words of a text: by how much they are off."""

from collections.abc import Iterator, Sequence

import numpy as np

from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading

# Texts and numbers that are compared, each with each; how near they are in this share of the rows where one counts the
# other.
MOST_TEXTS, MOST_NUMBERS = 3, 6
NEAR, MOSTLY = 5.0, 0.5


def length_columns(texts: Sequence[Reading], numbers: Sequence[Reading]) -> Iterator[Column]:
    """Yield by how much a number differs from the characters, or the words, of a text that it seems to count.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> text = ["to be or not", "a b", "seven"] * 9
    >>> note, size = read_columns(pa.table({"note": text, "size": [12, 4, 5] * 9}))
    >>> [(name, column[:3].tolist()) for name, column in length_columns([note], [size])][:1]
    [('size beyond characters of note', [0.0, 1.0, 0.0])]
    """
    for text in texts[:MOST_TEXTS]:
        levels = [str(level) for level in text.levels.tolist()]
        counted = {"characters": [len(level) for level in levels], "words": [len(level.split()) for level in levels]}
        for what, counts in counted.items():
            lengths = np.append(np.asarray(counts, np.float64), np.nan)[text.codes]
            for number in numbers[:MOST_NUMBERS]:
                beyond = np.nan_to_num(
                    np.asarray(number.numbers, np.float64) - lengths, nan=0.0, posinf=0.0, neginf=0.0
                )
                if (np.abs(beyond) <= NEAR).mean() > MOSTLY and np.ptp(lengths[~text.missing]) > 0:
                    yield f"{number.name} beyond {what} of {text.name}", np.clip(beyond, -99, 99).astype(np.float32)
