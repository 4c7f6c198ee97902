"""Identifiers and codes character by character: a value that occurs once cannot be looked up, its parts can.

National numbers hold sex in one digit, serial numbers the maker in one letter, member numbers a branch in the last, and
identifiers that a computer packs the machine or a flag in some of their bits.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

from withhold.audit.view.features import FEW, MOST_DECIMALS, PROBED, Column, decimals_of
from withhold.audit.view.reading import Reading

Symbols = npt.NDArray[np.uint32]

# Share of rows with a value of their own, from which a number is taken for an identifier; values that repeat are looked
# up whole. Of a text so few rows of their own, or so few rows a value, are enough: its parts are in no number.
NEARLY_UNIQUE, ALONE, FEW_A_VALUE = 0.9, 0.05, 5
# Columns for all identifiers of a table together, as indicators and as codes.
ALL_INDICATORS, ALL_PLACES = 600, 400
# Characters looked at: the first of a text (a UUID has 36, SHA-256 64), the last of a whole number (of 64 bits: 20).
# Of a number with decimals, which is rather a measurement, the last few.
TEXT_PLACES, DIGITS, BITS, LAST = 64, 20, 64, 3
# Symbols of one place that get an indicator each (digits and capital letters), and indicators of one column in all.
MOST_SYMBOLS, MOST_INDICATORS = 36, 120
LIMIT = 2.0**64  # larger numbers are amounts, no identifiers


def identifies(reading: Reading) -> bool:
    """Whether many rows have a value of their own that is text, or nearly all a number of few decimals.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> table = pa.table({"id": range(100), "age": [i % 60 for i in range(100)], "z": [0.1**i for i in range(100)]})
    >>> [identifies(read_column(table, name)) for name in table.column_names]
    [True, False, False]
    """
    rows = int(np.count_nonzero(~reading.missing))
    if len(reading.levels) <= FEW:
        return False
    if is_text(reading):
        alone = int(np.count_nonzero(reading.counts == 1))
        return alone >= ALONE * len(reading.codes) or FEW_A_VALUE * len(reading.levels) >= rows
    return len(reading.levels) >= NEARLY_UNIQUE * rows and _decimals(reading) is not None


def rooms(texts: int, numbers: int) -> dict[bool, tuple[int, int]]:
    """Return how many indicators and codes each identifier is given: a text (true), a number (false).

    Texts come first, up to half of all: where every column is nearly unique the numbers are measurements, which are
    given as such, and their last digits alone will do.

    Examples
    --------
    >>> rooms(1, 0), rooms(1, 220)
    ({True: (600, 400), False: (0, 0)}, {True: (120, 64), False: (2, 1)})
    """
    each = []
    for every, most in ((ALL_INDICATORS, MOST_INDICATORS), (ALL_PLACES, TEXT_PLACES)):
        text = max(every // (texts + numbers), min(most, every // 2 // texts)) if texts else 0
        each.append((text, (every - texts * text) // numbers if numbers else 0))
    (text, number), (text_places, number_places) = each
    return {True: (text, text_places), False: (number, number_places)}


def given_by_place(reading: Reading, places: int) -> npt.NDArray[np.bool_]:
    """Say of each level of a text whether its characters say all: none is cut off, each part stands in its usual place.

    Parts are what stands between characters that are no letters or digits. The second word of a name is at another
    place in every name, so that no place holds it.

    Parameters
    ----------
    reading : Reading
        A text.
    places : int
        Codes it is given.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> table = pa.table({"id": ["A1-07", "B2-19", "C3-44"], "name": ["Ann Lee", "Bo Lee", "Eve Lee"]})
    >>> [given_by_place(read_column(table, name), 40).tolist() for name in table.column_names]
    [[True, True, True], [True, False, True]]
    """
    texts = [str(level) for level in reading.levels.tolist()]
    symbols = _symbols(texts, TEXT_PLACES)
    given = np.asarray([len(text) <= TEXT_PLACES for text in texts], bool)
    if int(np.count_nonzero(np.ptp(symbols, axis=0))) > places:
        return np.zeros(len(texts), bool)
    found, which = np.unique(symbols, return_inverse=True)
    between = np.asarray([symbol > 0 and not chr(symbol).isalnum() for symbol in found.tolist()])[which]
    between = between.reshape(symbols.shape)
    order = between.cumsum(axis=1)
    for number in range(1, int(order.max(initial=0)) + 1):
        here = between & (order == number)
        has, place = here.any(axis=1), here.argmax(axis=1)
        given &= ~has | (place == np.bincount(place[has]).argmax())
    return given


def symbol_columns(reading: Reading, room: int, *, indicators: bool) -> Iterator[Column]:
    """Yield the characters of an identifier by place: codes in alphabetical order, or indicators for linear readers.

    Parameters
    ----------
    reading : Reading
        One that `identifies`.
    room : int
        At most so many columns.
    indicators : bool
        One column a symbol; places count from the left of a text, the right of a number. The bits of a whole number are
        given in both forms.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> codes = read_column(pa.table({"id": [f"{i:03d}" for i in range(200)]}), "id")
    >>> [name for name, _ in symbol_columns(codes, 9, indicators=False)]
    ['id character 1', 'id character 2', 'id character 3']
    >>> len(list(symbol_columns(codes, 90, indicators=True)))
    22
    """
    codes, missing = np.maximum(reading.codes, 0), reading.missing
    decimals = None if is_text(reading) else _decimals(reading)
    if decimals is None:
        sizes, what = None, "character"
        symbols = _symbols([str(level) for level in reading.levels.tolist()], TEXT_PLACES)
    else:
        # Of a text the first characters, of a number the last digits: those before are in its size.
        sizes, what = _sizes(reading, decimals), "digit from the right"
        digits = LAST if decimals else DIGITS
        symbols = _symbols([str(number)[::-1][:digits] for number in sizes.tolist()], digits)
    left = min(room, MOST_INDICATORS) if indicators else room
    for place in range(symbols.shape[1]):
        found, which = np.unique(symbols[:, place], return_inverse=True)
        if len(found) < 2 or left < 1:
            continue
        name = f"{reading.name} {what} {place + 1}"
        if not indicators:
            left -= 1
            yield name, np.where(missing, np.float32(np.nan), which[codes].astype(np.float32))
        elif len(found) <= min(MOST_SYMBOLS, left):
            left -= len(found)
            for index, symbol in enumerate(found.tolist()):
                here = (which == index)[codes] & ~missing
                yield f"{name} {chr(symbol) if symbol else 'none'}", here.astype(np.float32)
    if sizes is not None and decimals == 0:
        further = room - MOST_INDICATORS if indicators else left
        yield from islice(_bits(reading, sizes, np.float32(0.0 if indicators else np.nan)), max(0, further))


def _bits(reading: Reading, whole: npt.NDArray[np.uint64], unknown: np.float32) -> Iterator[Column]:
    """Yield the bits that are not the same everywhere, the last first; `unknown` stands where the number is missing."""
    codes, missing = np.maximum(reading.codes, 0), reading.missing
    for place in range(BITS):
        bit = (whole >> np.uint64(place)) & np.uint64(1)
        if bit.any() and not bit.all():
            yield f"{reading.name} bit {place}", np.where(missing, unknown, bit[codes].astype(np.float32))


def _decimals(reading: Reading) -> int | None:
    """Return how many decimals all numbers have at most, None where they are too many or too large."""
    if reading.exact is not None:
        return 0
    levels: npt.NDArray[np.float64] = reading.levels
    if not np.isfinite(levels).all():
        return None
    most = decimals_of(levels[:: max(1, len(levels) // PROBED)]).max(initial=0.0)
    most = most if most == MOST_DECIMALS else decimals_of(levels).max(initial=0.0)
    if most == MOST_DECIMALS or np.abs(levels).max(initial=0.0) * 10.0**most >= LIMIT:
        return None
    return int(most)


def _sizes(reading: Reading, decimals: int) -> npt.NDArray[np.uint64]:
    """Return the numbers without sign and point."""
    if reading.exact is not None:
        exact: npt.NDArray[np.uint64] = np.where(reading.exact < 0, -reading.exact, reading.exact).astype(np.uint64)
        return exact
    scaled: npt.NDArray[np.float64] = np.rint(np.abs(reading.levels) * 10.0**decimals)
    return scaled.astype(np.uint64)


def _symbols(texts: list[str], places: int) -> Symbols:
    """Return the code points of each text, shape (levels, places), 0 beyond its end."""
    return np.asarray(texts, dtype=f"U{places}").view(np.uint32).reshape(len(texts), places)


def is_text(reading: Reading) -> bool:
    """Whether the values are texts, those that spell numbers included."""
    return reading.kind == "category"
