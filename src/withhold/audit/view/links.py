"""Rows that name rows: a spouse's number, a mother's, the record that this one was copied from."""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from withhold.audit.view.reading import Reading

Rows = npt.NDArray[np.int64]

# A key has a value of its own in nearly every row; a column points where so many of its rows hold a key of another row.
NEARLY_UNIQUE, POINTS, LEAST_ROWS = 0.9, 0.2, 20
# Keys and pointers that are compared.
MOST_KEYS = 8
# What may be a key in a text, and the characters that are looked through.
WORD, MOST_CHARACTERS = re.compile(r"\w[\w.-]*\w|\w"), 1_000


def find_links(readings: Sequence[Reading], texts: Sequence[Reading] = ()) -> Rows | None:
    """Return the number of each row, of the row that each column of pointers names, and of one that names it.

    Parameters
    ----------
    readings : sequence of Reading
        Columns whose values repeat in few rows.
    texts : sequence of Reading
        Columns in whose words the key of another row may stand.

    Returns
    -------
    ndarray of int, shape (n, 1 + 2 m), or None
        The row itself, then for each of m pairs of key and pointer the row named and a row naming; -1 where there is
        none. None without such a pair.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> table = pa.table({"id": range(100, 140), "mother": [100 + (i * 7 + 1) % 40 for i in range(40)]})
    >>> find_links(list(read_columns(table)))[:2].tolist()
    [[0, 1, 17, 17, 1], [1, 8, 0, 0, 8]]
    """
    if not readings:
        return None
    keys = [r for r in readings if len(r.levels) >= NEARLY_UNIQUE * max(LEAST_ROWS, int((~r.missing).sum()))][
        :MOST_KEYS
    ]
    if not keys:
        return None
    found: list[Rows] = []
    wheres = [{_text(level): row for level, row in zip(*_first_rows(key), strict=True)} for key in keys]
    # What a level says is taken apart once, not for every key; kept is only the row that each key finds in it.
    named = [(one, _named(([_text(level)] for level in _levels(one)), wheres)) for one in readings[: 4 * MOST_KEYS]]
    for one in texts[:MOST_KEYS]:
        words = (WORD.findall(_text(level)[:MOST_CHARACTERS]) for level in _levels(one))
        named.append((one, _named(words, wheres)))
    for place, key in enumerate(keys):
        for pointer, rows in named:
            if pointer.name == key.name:
                continue
            targets = np.append(rows[place], -1)[pointer.codes]
            targets[targets == np.arange(len(targets))] = -1
            known = targets >= 0
            if known.sum() < max(LEAST_ROWS, POINTS * len(targets)):
                continue
            naming = np.full(len(targets), -1)
            naming[targets[known]] = np.flatnonzero(known)
            found += [targets, naming]
    return np.column_stack([np.arange(len(readings[0].codes)), *found]) if found else None


def _named(levels: Iterable[Sequence[str]], wheres: Sequence[Mapping[str, int]]) -> list[list[int]]:
    """Return for each of several maps from key to row, and each level, the row of its first word that is a key."""
    found: list[list[int]] = [[] for _ in wheres]
    for words in levels:
        for rows, where in zip(found, wheres, strict=True):
            rows.append(next((where[word] for word in words if word in where), -1))
    return found


def _levels(reading: Reading) -> Sequence[object]:
    levels: Sequence[object] = (reading.levels if reading.exact is None else reading.exact).tolist()
    return levels


def _first_rows(reading: Reading) -> tuple[Sequence[object], list[int]]:
    known = np.flatnonzero(~reading.missing)
    _, first = np.unique(reading.codes[known], return_index=True)
    return _levels(reading), known[first].tolist()


def _text(level: object) -> str:
    """Return a value as it is compared: 7 and 7.0 are one."""
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level).strip()
