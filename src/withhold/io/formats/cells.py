"""Cells of programs whose columns have no type of their own, as a column of one type."""

from collections.abc import Collection, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import pyarrow as pa

# Up to here every whole number is a float of 64 bits.
_LARGEST_WHOLE = 2**53


def column_of(cells: Sequence[Any], missing: Collection[str] = ()) -> pa.Array:
    """Return cells as one column: numbers, truth values, dates or times where all are, else text as it would be shown.

    Parameters
    ----------
    cells : sequence
        None is missing, and so is an empty text.
    missing : collection of str
        Texts that stand for a missing value.

    Examples
    --------
    >>> column_of([1, 2.5, "NA"], ["NA"]).to_pylist(), column_of([1, 2.0]).type
    ([1.0, 2.5, None], DataType(int64))
    >>> column_of([2116, "02116", True]).to_pylist()
    ['2116', '02116', 'True']
    >>> column_of([datetime(2024, 5, 1), None]).type
    DataType(date32[day])
    """
    gone = {"", *missing}
    known = [None if cell is None or (isinstance(cell, str) and cell in gone) else cell for cell in cells]
    kinds = {type(cell) for cell in known if cell is not None}
    if not kinds:
        return pa.nulls(len(known))
    if kinds == {bool}:
        return pa.array(known, pa.bool_())
    if kinds <= {int, float}:
        return _numbers(known)
    if kinds <= {date, datetime}:
        return _dates(known)
    if len(kinds) == 1 and kinds <= {time, timedelta}:
        return pa.array(known)
    return pa.array([None if cell is None else shown(cell) for cell in known], pa.string())


def shown(cell: Any) -> str:
    """Return a cell as a person sees it: 12 for the number 12.0, a day for midnight.

    Examples
    --------
    >>> shown(12.0), shown(datetime(2024, 5, 1)), shown("02116")
    ('12', '2024-05-01', '02116')
    """
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= _LARGEST_WHOLE:
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time():
        return str(cell.date())
    return str(cell)


def _numbers(known: list[Any]) -> pa.Array:
    values = [cell for cell in known if cell is not None]
    if all(isinstance(cell, int) or cell.is_integer() for cell in values):
        if all(abs(cell) <= _LARGEST_WHOLE for cell in values):
            return pa.array([None if cell is None else int(cell) for cell in known], pa.int64())
        if all(isinstance(cell, int) for cell in values):  # identifiers: as floats they would lose digits
            return pa.array([None if cell is None else str(cell) for cell in known], pa.string())
    return pa.array([None if cell is None else float(cell) for cell in known], pa.float64())


def _dates(known: list[Any]) -> pa.Array:
    timed = any(isinstance(cell, datetime) and cell.time() != time() for cell in known)
    if timed:
        moments = [
            datetime(cell.year, cell.month, cell.day) if isinstance(cell, date) and type(cell) is date else cell
            for cell in known
        ]
        return pa.array(moments, pa.timestamp("us"))
    days = [cell.date() if isinstance(cell, datetime) else cell for cell in known]
    return pa.array(days, pa.date32())
