"""Identifiers and codes character by character: a value that occurs once cannot be looked up, its parts can.

National numbers hold sex in one digit, serial numbers the maker in one letter, member numbers a branch in the last, and
identifiers that a computer packs the machine or a flag in some of their bits.
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
# Characters looked at: the first of a text (a UUID has 36), the last of a whole number (64 bits are at most 20 digits).
TEXT_PLACES, DIGITS, BITS = 40, 20, 64
# Symbols of one place that get an indicator each (digits and capital letters), and indicators of one column in all.
MOST_SYMBOLS, MOST_INDICATORS = 36, 120
LIMIT = 2.0**64  # larger floats are amounts, no identifiers


def symbol_columns(reading: Reading, *, indicators: bool) -> Iterator[Column]:
    """Yield the characters of an identifier by place: codes in alphabetical order, or indicators for linear readers.

    Parameters
    ----------
    reading : Reading
    indicators : bool
        One column a symbol, as many as there is room for; places count from the left of a text, the right of a number.
        The bits of a whole number are given in both forms.

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
    if not _nearly_unique(reading):
        return
    whole = None if _is_text(reading) else _whole_numbers(reading)
    if whole is not None:
        yield from _bits(reading, whole, np.float32(0.0 if indicators else np.nan))
        # Of a text the first characters, of a number the last digits: those before are in its size.
        symbols = _symbols([str(number)[::-1] for number in whole.tolist()], DIGITS)
    elif _is_text(reading):
        symbols = _symbols([str(level) for level in reading.levels.tolist()], TEXT_PLACES)
    else:
        return
    codes, missing, room = np.maximum(reading.codes, 0), reading.missing, MOST_INDICATORS
    what = "character" if whole is None else "digit from the right"
    for place in range(symbols.shape[1]):
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


def _bits(reading: Reading, whole: npt.NDArray[np.uint64], unknown: np.float32) -> Iterator[Column]:
    """Yield the bits that are not the same everywhere, the last first; `unknown` stands where the number is missing."""
    codes, missing = np.maximum(reading.codes, 0), reading.missing
    for place in range(BITS):
        bit = (whole >> np.uint64(place)) & np.uint64(1)
        if bit.any() and not bit.all():
            yield f"{reading.name} bit {place}", np.where(missing, unknown, bit[codes].astype(np.float32))


def _nearly_unique(reading: Reading) -> bool:
    rows = int(np.count_nonzero(~reading.missing))
    return rows > 0 and len(reading.levels) >= NEARLY_UNIQUE * rows


def _whole_numbers(reading: Reading) -> npt.NDArray[np.uint64] | None:
    """Return the sizes of whole numbers, None where there are others."""
    levels: npt.NDArray[np.float64] = reading.levels
    if reading.exact is not None:
        sizes: npt.NDArray[np.uint64] = np.where(reading.exact < 0, -reading.exact, reading.exact).astype(np.uint64)
        return sizes
    if not np.isfinite(levels).all() or not (levels == np.floor(levels)).all() or np.abs(levels).max() >= LIMIT:
        return None
    return np.abs(levels).astype(np.uint64)


def _symbols(texts: list[str], places: int) -> Symbols:
    """Return the code points of each text, shape (levels, places), 0 beyond its end."""
    return np.asarray(texts, dtype=f"U{places}").view(np.uint32).reshape(len(texts), places)


def _is_text(reading: Reading) -> bool:
    return reading.kind == "category"
