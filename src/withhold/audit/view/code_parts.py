"""Codes taken apart into their letters and numbers: well B07 is row 2 and column 7, and even or odd in each.

A design that changes from row to row and from column to column, plate by plate, is in no level and in no character of
such codes; which of their parts are odd tells it together.
"""

import re
from collections.abc import Iterator

import numpy as np

from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading

PART = re.compile(r"[A-Za-z]+|\d+")
# Levels and parts of a code, digits of a part, and the share of the levels that are made alike.
LEAST_LEVELS, MOST_PARTS, DIGITS, ALIKE = 4, 4, 15, 0.9


def odd_parts(reading: Reading) -> Iterator[Column]:
    """Yield for each number and single letter of a code whether it is odd.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_column
    >>> well = read_column(pa.table({"well": ["A01", "B02", "C02", "A03"]}), "well")
    >>> [(name, column.tolist()) for name, column in odd_parts(well)]
    [('well part 1 is odd', [1.0, 0.0, 1.0, 1.0]), ('well part 2 is odd', [1.0, 0.0, 0.0, 1.0])]
    """
    if reading.kind != "category" or len(reading.levels) < LEAST_LEVELS:
        return
    parts = [PART.findall(str(level)) for level in reading.levels.tolist()]
    kinds = [tuple(part[0].isdecimal() for part in found) for found in parts]
    usual = max(set(kinds), key=kinds.count)
    alike = np.array([kind == usual for kind in kinds])
    if not any(usual) or len(usual) > MOST_PARTS or alike.mean() < ALIKE:
        return
    for place in range(len(usual)):
        values = [_number(found[place]) if same else None for found, same in zip(parts, alike, strict=True)]
        known = [value for value in values if value is not None]
        odd = np.array([value is not None and value % 2 for value in values] + [False], np.float32)
        if len(known) >= ALIKE * len(values) and 0 < odd.sum() < len(known):
            yield f"{reading.name} part {place + 1} is odd", odd[reading.codes]


def _number(part: str) -> int | None:
    """Return a number, or the place of a letter in the alphabet; None for words and for what is too long."""
    if part[0].isdecimal():
        return int(part) if len(part) <= DIGITS else None
    return ord(part.upper()) - ord("A") + 1 if len(part) == 1 else None
