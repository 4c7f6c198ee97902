"""Words of free text, elements of lists and pieces of words, wherever in a value they stand."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import CountVectorizer

from withhold.audit.view.features import FEW, Column
from withhold.audit.view.reading import Reading, read_columns

# What stands between spaces, brackets, commas and quotes is an element; what is inside it is words.
ELEMENT, WORD = re.compile(r"[^\s\[\]{}(),;'\"]+"), re.compile(r"\w+")
# Numbers of a text that are given as such, the first.
NUMBER, NUMBERS = re.compile(r"\d+(?:\.\d+)?"), 3
# How a text is written: blanks where one would do, marks, and where sentences end.
BLANKS, MARK, SENTENCE = re.compile(r"^\s|\s\s+|\s$"), re.compile(r"[^\w\s]"), re.compile(r"[.!?]\s+")
# Characters that begin a word: codes of one family share them.
BEGINNING = 3
# Pieces of a word, its ends marked: a prefix tells a kind of product, a suffix a gender.
SHORTEST, LONGEST = 3, 5
# Characters of one value that are read, and distinct tokens of one column: a file of books ends somewhere.
MOST_CHARACTERS, MOST_TOKENS = 20_000, 200_000
# A token of one value tells nobody anything about another.
LEAST_VALUES = 2


def words(table: pa.Table) -> csr_matrix | None:
    """Return how often each token stands in each row, as log(1 + count), columns of the file side by side.

    Tokens are elements, words, pairs of neighbouring words, and pieces of words.

    Returns
    -------
    csr_matrix of float32, shape (n, tokens), or None
        None where no column holds text that is not read level by level.

    Examples
    --------
    >>> notes = pa.array([f"day {i} was {'good' if i % 2 else 'bad'}" for i in range(50)])
    >>> words(pa.table({"note": notes})).shape[0], words(pa.table({"age": range(50)})) is None
    (50, True)
    """
    parts = [part for reading in _texts(table) for part in _tokens(reading)]
    return csr_matrix(hstack(parts, format="csr", dtype=np.float32)) if parts else None


def in_words(reading: Reading) -> bool:
    """Whether a column is read by its words: text, of more values than get an indicator each for certain.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> in_words(read_column(pa.table({"a": [f"one {i}" for i in range(50)]}), "a"))
    True
    """
    return reading.kind == "category" and reading.numbers is None and len(reading.levels) > FEW


def has_words(table: pa.Table) -> bool:
    """Whether a column of `table` is read by its words."""
    return any(True for _ in _texts(table))


def _texts(table: pa.Table) -> Iterator[Reading]:
    """Yield what is read by its words; numbers and dates are not looked at."""
    plain = (pa.types.is_integer, pa.types.is_floating, pa.types.is_temporal)
    others = [i for i, field in enumerate(table.schema) if not any(test(field.type) for test in plain)]
    return (reading for reading in read_columns(table.select(others)) if in_words(reading))


def told_by_words(reading: Reading, groups: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.bool_]:
    """Say of each level whether at least half of its words stand in other values too, so that they can be learned.

    Where there are subjects, `groups`, in the values of another.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> column = pa.table({"a": ["mild pain", "mild fever", "a7f3", "no pain"]})
    >>> told_by_words(read_column(column, "a")).tolist()
    [False, True, True, True]
    """
    inside = [set(WORD.findall(str(level)[:MOST_CHARACTERS])) for level in reading.levels.tolist()]
    known_rows = reading.codes >= 0
    owners = reading.codes if groups is None else groups
    pairs = np.unique(np.column_stack([reading.codes, owners])[known_rows], axis=0)
    holders = Counter(word for word, _ in {(word, owner) for code, owner in pairs.tolist() for word in inside[code]})
    known = [sum(holders[word] >= LEAST_VALUES for word in words_of) for words_of in inside]
    return np.asarray([2 * some >= len(all_) > 0 for some, all_ in zip(known, inside, strict=True)], bool)


def number_columns(reading: Reading) -> Iterator[Column]:
    """Yield how many words a text has, how they repeat, and the first numbers in it, which as words are all different.

    Parameters
    ----------
    reading : Reading
        One that is read `in_words`.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> column = read_column(pa.table({"a": ["weighs 71.5 kg", "weighs 64 kg", "no scale"]}), "a")
    >>> [name for name, _ in number_columns(column)]
    ['a words', 'a share of the commonest word', 'a marks', 'a number 1']
    >>> dict(number_columns(column))["a number 1"].tolist()
    [71.5, 64.0, nan]
    """
    texts = [str(level)[:MOST_CHARACTERS] for level in reading.levels.tolist()]
    found = [NUMBER.findall(text)[:NUMBERS] for text in texts]
    inside = [WORD.findall(text) or [""] for text in texts]
    parts = {
        "words": [float(len(text.split())) for text in texts],
        "share of different words": [len(set(words)) / len(words) for words in inside],
        "share of different beginnings": [len({word[:BEGINNING] for word in words}) / len(words) for words in inside],
        "share of the commonest word": [max(Counter(words).values()) / len(words) for words in inside],
        "blanks in a row": [float(len(BLANKS.findall(text))) for text in texts],
        "marks": [len(MARK.findall(text)) / max(1, len(text)) for text in texts],
        "step of sentence lengths": [_step([len(one.split()) for one in SENTENCE.split(text)]) for text in texts],
    }
    for place in range(NUMBERS):
        parts[f"number {place + 1}"] = [float(one[place]) if len(one) > place else np.nan for one in found]
    for name, values in parts.items():
        levels = np.append(np.asarray(values), np.nan)
        if len(np.unique(levels[np.isfinite(levels)])) > 1:
            yield f"{reading.name} {name}", levels[reading.codes].astype(np.float32)


def _step(lengths: list[int]) -> float:
    """Return the mean difference of neighbours."""
    return float(np.abs(np.diff(lengths)).mean()) if len(lengths) > 1 else 0.0


def _tokens(reading: Reading) -> Iterator[csr_matrix]:
    """Yield counts of tokens, and of the pieces that they are made of, row for row."""
    texts = [str(level)[:MOST_CHARACTERS] for level in reading.levels.tolist()]
    try:
        counter = CountVectorizer(analyzer=split, min_df=LEAST_VALUES, max_features=MOST_TOKENS, dtype=np.float32)
        whole = counter.fit_transform(texts)
    except ValueError:  # no token stands in two values
        return
    rows = np.where(reading.missing, len(texts), reading.codes)
    yield _spread(whole, rows)
    single = [place for token, place in counter.vocabulary_.items() if " " not in token]
    names = [token for token in counter.vocabulary_ if " " not in token]
    try:
        cutter = CountVectorizer(analyzer="char_wb", ngram_range=(SHORTEST, LONGEST), min_df=2, lowercase=False)
        pieces = cutter.fit_transform(names).astype(np.float32)
    except ValueError:  # no piece stands in two words
        return
    yield _spread(csr_matrix(whole[:, single] @ pieces), rows)


def split(text: str) -> list[str]:
    """Return elements, the words inside them, and pairs of neighbouring words.

    Examples
    --------
    >>> split("['A-1', 'B-2']")
    ['A-1', 'B-2', 'A', '1', 'B', '2', 'A 1', '1 B', 'B 2']
    """
    elements, inside = ELEMENT.findall(text), WORD.findall(text)
    known = set(inside)
    pairs = [f"{one} {two}" for one, two in pairwise(inside)]
    return [*(element for element in elements if element not in known), *inside, *pairs]


def _spread(levels: csr_matrix, rows: np.ndarray) -> csr_matrix:
    """Return the counts of each row from those of its value; a missing value has none."""
    nothing = csr_matrix((1, levels.shape[1]), dtype=np.float32)
    spread = csr_matrix(hstack([levels.T, nothing.T], format="csr").T[rows])
    spread.data = np.log1p(spread.data)
    return spread
