"""Rows that are alike in two columns together, or in one once it is cleaned: an address, a name spelled variously.

Members of a household share street and number, and neither tells alone; an employer is written in capitals by one clerk
and with a hyphen by another, a street in full or as St. The rows of such a group are linked, and the known classes of
the others are read.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from withhold.audit.view.links import Rows
from withhold.audit.view.reading import Reading

Codes = npt.NDArray[np.int64]

# Columns that are combined, with at least so many levels; rows of a group that a row is linked with.
MOST_COLUMNS, LEAST_LEVELS, NEAREST = 12, 8, 3
# A group is a household or a family, not a town; so many rows stand in groups, and pairs of rows in them are so many
# times as many as columns that have nothing to do with each other would give.
LARGEST, LEAST_SHARE, BEYOND = 20, 0.1, 3.0
# Letters of a word that an abbreviation keeps.
BEGINNING = 5


def alike_links(readings: Sequence[Reading]) -> Rows | None:
    """Return for each row up to three others of its group, of the best two columns and of the best cleaned one.

    Parameters
    ----------
    readings : sequence of Reading
        Columns of a release.

    Returns
    -------
    ndarray of int, shape (n, 3 m), or None
        -1 where there is no other; None where no columns form groups beyond chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> rng = np.random.default_rng(0)
    >>> home, street, number = np.arange(300) // 3, rng.integers(0, 30, 100), rng.integers(0, 40, 100)
    >>> table = pa.table({"street": [f"s{k}" for k in street[home]], "number": number[home]})
    >>> alike_links(list(read_columns(table)))[0].tolist()
    [1, 2, -1]
    """
    readings = list({reading.name: reading for reading in readings}.values())
    usable = [r for r in readings if LEAST_LEVELS <= len(r.levels) <= len(r.codes) // 2][:MOST_COLUMNS]
    found = []
    pairs = [(_beyond(joint, [one.codes, other.codes]), joint) for one, other, joint in _joint(usable)]
    merged = (
        [(_beyond(codes, []), codes) for one in readings[: 2 * MOST_COLUMNS] for codes in _merged(one, plain)]
        for plain in (_cleaned, _shortened)
    )
    cleaned = next((kind for kind in merged if any(score > BEYOND for score, _ in kind)), [])
    for kind in (pairs, cleaned):
        if kind and max(score for score, _ in kind) > BEYOND:
            found.append(_linked(max(kind, key=lambda one: one[0])[1]))
    return np.hstack(found) if found else None


def _joint(readings: Sequence[Reading]) -> Iterator[tuple[Reading, Reading, Codes]]:
    for one, other in combinations(readings, 2):
        both = one.codes.astype(np.int64) * (len(other.levels) + 1) + other.codes
        both[(one.codes < 0) | (other.codes < 0)] = -1
        yield one, other, both


def _beyond(codes: Codes, apart: Sequence[npt.NDArray[np.int32]]) -> float:
    """Return how many times as many pairs of rows share a group as chance gives; 0 where groups are towns, or none."""
    known = codes >= 0
    n = int(known.sum())
    if n < 2:
        return 0.0
    counts = np.unique(codes[known], return_counts=True)[1]
    grouped = counts[(counts > 1) & (counts <= LARGEST)]
    if grouped.sum() < LEAST_SHARE * len(codes) or counts.max() > 5 * LARGEST:
        return 0.0
    if not apart:
        return BEYOND * 2
    chance = np.prod([((np.bincount(one[known]) / n) ** 2).sum() for one in apart])
    return float((grouped * (grouped - 1.0)).sum() / max(n * (n - 1.0) * chance, 1.0))


def _merged(reading: Reading, plain: Callable[[str], str]) -> Iterator[Codes]:
    """Yield the codes of texts once they are made plain, where some become the same by it."""
    if reading.kind == "category" and len(reading.levels) >= LEAST_LEVELS:
        texts = [plain(str(level)) for level in reading.levels.tolist()]
        merged, of = np.unique(texts, return_inverse=True)
        if len(merged) < len(texts):
            yield np.where(reading.codes < 0, -1, of[reading.codes]).astype(np.int64)


def _cleaned(text: str) -> str:
    """Return a text without capitals, blanks and marks."""
    return re.sub(r"[\W_]+", "", text).casefold()


def _shortened(text: str) -> str:
    """Return the beginnings of words, of the last one its first letter, as in an address whose street is abbreviated.

    Examples
    --------
    >>> [_shortened(text) for text in ("12 Oak Street", "12 Oak St.", "Hafenstr. 4", "Hafenstraße 4")]
    ['12 oak s', '12 oak s', 'hafen 4', 'hafen 4']
    """
    *before, last = re.findall(r"\w+", text.casefold()) or [""]
    begun = [word if word.isdecimal() else word[:BEGINNING] for word in before]
    return " ".join([*begun, last if last.isdecimal() else last[:1]]) if begun else last


def _linked(codes: Codes) -> Rows:
    """Return for each row the next rows of its group, round and round."""
    links = np.full((len(codes), NEAREST), -1)
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(codes)])
    start, size = np.repeat(starts, sizes), np.repeat(sizes, sizes)
    for step in range(1, NEAREST + 1):
        there = (size > step) & (ordered >= 0)
        place = start + (np.arange(len(codes)) - start + step) % size
        links[order[there], step - 1] = order[place[there]]
    return links
