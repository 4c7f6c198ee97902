"""Numbers that count the characters, the words, or one word, of a text or list: by how much they are off."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading
from withhold.audit.view.words import WORD

# Texts and numbers that are compared, each with each; how near they are in this share of the rows where one counts the
# other.
MOST_TEXTS, MOST_NUMBERS = 3, 6
NEAR, MOSTLY = 5.0, 0.5
# Words of a text, the commonest, whose number is compared, with so many columns, characters looked through, rows that
# are asked before all are, and in what share of them more than by chance a number equals it.
MOST_WORDS, MOST_COUNTS, MOST_CHARACTERS, PROBED, BEYOND = 8, 24, 1_000, 2_000, 0.15


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


def word_count_columns(texts: Sequence[Reading], numbers: Sequence[Reading]) -> Iterator[Column]:
    """Yield by how much a whole number differs from how often a word stands in a text, where it seems to count it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> flags = [" ".join("H" * k + "N" * m) for k in range(6) for m in range(6)] * 2
    >>> text, high = read_columns(pa.table({"flags": flags, "high": [k for k in range(6) for m in range(6)] * 2}))
    >>> [name for name, _ in word_count_columns([text], [high])]
    ['high beyond H in flags']
    """
    counting = {
        one.name: np.nan_to_num(np.asarray(one.numbers, np.float64), nan=-1.0, posinf=-1.0, neginf=-1.0)
        for one in [one for one in numbers if len(one.levels) > 1][:MOST_COUNTS]
    }
    for text in texts[:MOST_TEXTS] if counting else ():
        some = np.random.default_rng(0).permutation(len(text.codes))[:PROBED]
        some = some[~text.missing[some]]
        inside = [Counter(_words(level)) for level in text.levels[text.codes[some]].tolist()]
        holding = Counter(word for counts in inside for word in counts)
        for word, _ in holding.most_common(MOST_WORDS):
            times = np.array([counts[word] for counts in inside])
            for name in [name for name, values in counting.items() if _counts(values[some], times)]:
                whole = np.append([_words(level).count(word) for level in text.levels.tolist()], 0)[text.codes]
                yield (
                    f"{name} beyond {word} in {text.name}",
                    np.clip(counting[name] - whole, -99, 99).astype(np.float32),
                )


def _words(level: object) -> list[str]:
    return WORD.findall(str(level)[:MOST_CHARACTERS])


def _counts(values: npt.NDArray[np.float64], times: npt.NDArray[np.int64]) -> bool:
    """Whether numbers equal counts in more rows than by chance."""
    equal = (values == times).mean() - BEYOND
    return bool(equal > 0 and equal > sum((times == k).mean() * (values == k).mean() for k in np.unique(times)))
