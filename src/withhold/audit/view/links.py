"""Rows that name rows: a spouse's number, a mother's, the record that this one was copied from."""

import re
from collections.abc import Mapping, Sequence

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
    found: list[Rows] = []
    for key in keys:
        where = {_text(level): row for level, row in zip(*_first_rows(key), strict=True)}
        said = [(text, True) for text in texts[:MOST_KEYS]]
        for pointer, inside in [*((one, False) for one in readings[: 4 * MOST_KEYS]), *said]:
            if pointer.name == key.name:
                continue
            named = (
                _named(_text(level), where) if inside else where.get(_text(level), -1) for level in _levels(pointer)
            )
            targets = np.array([*named, -1])[pointer.codes]
            targets[targets == np.arange(len(targets))] = -1
            known = targets >= 0
            if known.sum() < max(LEAST_ROWS, POINTS * len(targets)):
                continue
            naming = np.full(len(targets), -1)
            naming[targets[known]] = np.flatnonzero(known)
            found += [targets, naming]
    return np.column_stack([np.arange(len(readings[0].codes)), *found]) if found else None


def _named(text: str, where: Mapping[str, int]) -> int:
    """Return the row whose key is the first among the words of a text."""
    return next((where[word] for word in WORD.findall(text[:MOST_CHARACTERS]) if word in where), -1)


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
