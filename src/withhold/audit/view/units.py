"""Columns that name units with several records: a patient, a device, a household, a visit.

A number of its own in each row is read digit by digit (`characters`); one that comes back is looked up whole, which
says nothing of a unit that nobody has met. So its digits are given as well, and each record is linked with those of
its unit before and after it in time.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.view.characters import identifies, is_text, symbol_columns
from withhold.audit.view.features import Column
from withhold.audit.view.links import Rows
from withhold.audit.view.reading import Reading, read_columns

# Units that a column must name, most records of one, and the share of the records that stand in such units.
LEAST_UNITS, MOST_RECORDS, MOSTLY = 100, 50, 0.8
# Texts are codes where so many hold a digit; names of cities are not.
CODES = 0.9
# Columns of which digits are given, and codes of each; columns along which records are linked.
MOST_COLUMNS, PLACES, MOST_LINKED = 4, 32, 2


def names_units(reading: Reading) -> bool:
    """Whether a column of whole numbers or codes has values that come back in a few records each.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> table = pa.table({"patient": [70_000 + i // 4 for i in range(800)], "age": [i % 60 for i in range(800)]})
    >>> [names_units(read_column(table, name)) for name in table.column_names]
    [True, False]
    """
    if len(reading.levels) < LEAST_UNITS or reading.ticks_per_day or identifies(reading):
        return False
    counts = reading.counts
    several = counts[(counts > 1) & (counts <= MOST_RECORDS)].sum()
    if several < MOSTLY * len(reading.codes):
        return False
    if is_text(reading):
        return sum(any(map(str.isdecimal, str(level))) for level in reading.levels.tolist()) > CODES * len(counts)
    return reading.exact is not None or bool((reading.levels == np.floor(reading.levels)).all())


def unit_columns(units: Sequence[Reading]) -> Iterator[Column]:
    """Yield the characters of the numbers of units, of whole numbers the bits too.

    Parameters
    ----------
    units : sequence of Reading
        Those that `names_units`.
    """
    for reading in units[:MOST_COLUMNS]:
        yield from symbol_columns(reading, PLACES, indicators=False)


def unit_links(units: Sequence[Reading], time: npt.NDArray[np.float64] | None) -> Rows | None:
    """Return the records of the same unit just before and just after each in time; None without units or times.

    Parameters
    ----------
    time : ndarray of shape (n,), optional

    Returns
    -------
    ndarray of int, shape (n, 2 m), or None
        -1 where there is none.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> device = read_column(pa.table({"device": ["d1", "d2", "d1"]}), "device")
    >>> unit_links([device], np.array([5.0, 0.0, 9.0])).tolist()
    [[-1, 2], [-1, -1], [0, -1]]
    """
    if time is None or not units:
        return None
    found = []
    for reading in units[:MOST_LINKED]:
        order = np.lexsort((time, reading.codes))
        of = reading.codes[order]
        same = (of[1:] == of[:-1]) & (of[1:] >= 0)
        before, after = np.full(len(order), -1), np.full(len(order), -1)
        before[order[1:][same]] = order[:-1][same]
        after[order[:-1][same]] = order[1:][same]
        found += [before, after]
    return np.column_stack(found)


def named_subjects(table: pa.Table, groups: npt.NDArray[np.integer]) -> list[str]:
    """Return the columns that name subjects too: the same in all records of one, and of its own for nearly each.

    Parameters
    ----------
    groups : ndarray of int, shape (n,)
        Subject of each record.

    Examples
    --------
    >>> table = pa.table({"patient": [900 + i // 2 for i in range(80)], "dose": range(80)})
    >>> named_subjects(table, np.arange(80) // 2)
    ['patient']
    """
    _, first, of = np.unique(groups, return_index=True, return_inverse=True)
    if len(first) == len(groups):
        return []
    single = [name for name in table.column_names if table.column_names.count(name) == 1]
    one_each = table.select(single).take(pa.array(first))
    likely = [one.source for one in read_columns(one_each) if one.name == one.source and identifies(one)]
    return [
        reading.source
        for reading in read_columns(table.select(likely))
        if reading.name == reading.source and (reading.codes == reading.codes[first][of]).all()
    ]
