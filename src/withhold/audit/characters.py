"""Identifiers and codes character by character: a value that occurs once cannot be looked up, its parts can.

National numbers hold sex in one digit, serial numbers the maker in one letter, member numbers a branch in the last.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from withhold.audit.reading import Reading

Column = tuple[str, npt.NDArray[np.float32]]
Symbols = npt.NDArray[np.uint32]

# Share of rows with a value of their own, from which a column is taken for an identifier; values that repeat are looked
# up whole.
NEARLY_UNIQUE = 0.9
# Characters looked at: the first of a text, the last of a whole number.
PLACES = 16
# Symbols of one place that get an indicator each (digits and capital letters), and indicators of one column in all.
MOST_SYMBOLS, MOST_INDICATORS = 36, 120


def symbol_columns(reading: Reading, *, indicators: bool) -> Iterator[Column]:
    """Yield the characters of an identifier by place: codes in alphabetical order, or indicators for linear readers.

    Parameters
    ----------
    reading : Reading
    indicators : bool
        One column a symbol, as many as there is room for; places count from the left of a text, the right of a number.

    Examples
    --------
    >>> from withhold.audit.reading import read_column
    >>> import pyarrow as pa
    >>> codes = read_column(pa.table({"id": [f"{i:03d}" for i in range(200)]}), "id")
    >>> [name for name, _ in symbol_columns(codes, indicators=False)]
    ['id character 1', 'id character 2', 'id character 3']
    >>> len(list(symbol_columns(codes, indicators=True)))
    22
    """
    symbols = _symbols(reading)
    if symbols is None:
        return
    codes, missing, room = np.maximum(reading.codes, 0), reading.missing, MOST_INDICATORS
    what = "character" if _is_text(reading) else "digit from the right"
    for place in range(PLACES):
        found, which = np.unique(symbols[:, place], return_inverse=True)
        if len(found) < 2:
            continue
        name = f"{reading.name} {what} {place + 1}"
        if not indicators:
            yield name, np.where(missing, np.float32(np.nan), which[codes].astype(np.float32))
        elif len(found) <= min(MOST_SYMBOLS, room):
            room -= len(found)
            for index, symbol in enumerate(found.tolist()):
                here = (which == index)[codes] & ~missing
                yield f"{name} {chr(symbol) if symbol else 'none'}", here.astype(np.float32)


def _symbols(reading: Reading) -> Symbols | None:
    """Return the code points of each level, shape (levels, PLACES), 0 beyond its end; None where levels repeat."""
    rows = int(np.count_nonzero(~reading.missing))
    if rows == 0 or len(reading.levels) < NEARLY_UNIQUE * rows:
        return None
    if _is_text(reading):
        texts = [str(level) for level in reading.levels.tolist()]
    elif np.isfinite(reading.levels).all() and (reading.levels == np.floor(reading.levels)).all():
        # Beyond 2^53 neighbouring integers are one float: their last digits are not those of the file.
        texts = [f"{abs(level):.0f}"[::-1] for level in reading.levels.tolist()]
    else:
        return None
    fixed = np.asarray(texts, dtype=f"U{PLACES}")
    return fixed.view(np.uint32).reshape(len(texts), PLACES)


def _is_text(reading: Reading) -> bool:
    return reading.kind == "category"
