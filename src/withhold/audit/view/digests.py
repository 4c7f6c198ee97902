"""Columns of digests: hashes without a key, whose recipe anyone can try with each value of S."""

import hashlib
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from withhold.audit.view.reading import Reading

Codes = npt.NDArray[np.int64]

# Hexadecimal digits of common algorithms; a column of digests holds little else.
ALGORITHMS = {
    8: ("crc32", "adler32"),
    32: ("md5",),
    40: ("sha1",),
    64: ("sha256", "sha3_256", "blake2s"),
    128: ("sha512", "blake2b"),
}
CHECKSUMS = {"crc32": zlib.crc32, "adler32": zlib.adler32}
DIGEST = re.compile(r"[0-9a-fA-F]+")
# What stands between the parts, and how many columns before the value of S, or behind it, may be parts.
SEPARATORS = ("|", ",", ";", ":", "-", "_", " ", "", "\t")
MOST_PARTS = 8
# Rows on which recipes are tried, and on how many of them one must give the digest.
TRIED, ENOUGH = 12, 0.75
# A checksum of 32 bits as a number: whole, and spread over all of them, so that half lie above this.
BITS_32, HALF, ABOUT = 2.0**32, 2.0**31, 0.1


@dataclass(frozen=True)
class Recipe:
    """How a digest is made: the algorithm, the columns in order, what stands between, and whether S comes first."""

    algorithm: str
    columns: tuple[str, ...]
    separator: str
    first: bool

    def digest(self, row: Sequence[str], value: str) -> str:
        """Return the digest of one row with a value of S."""
        parts = [value, *row] if self.first else [*row, value]
        text = self.separator.join(parts).encode()
        if self.algorithm in CHECKSUMS:
            return f"{CHECKSUMS[self.algorithm](text):08x}"
        return hashlib.new(self.algorithm, text, usedforsecurity=False).hexdigest()

    def __str__(self) -> str:
        """Say what is hashed."""
        parts = ["S", *self.columns] if self.first else [*self.columns, "S"]
        return f"{self.algorithm} of {self.separator.join(parts)}"


def is_digest(reading: Reading) -> bool:
    """Whether a column holds digests of one length.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_column
    >>> hashes = [hashlib.md5(bytes([i])).hexdigest() for i in range(40)]
    >>> table = pa.table({"h": hashes, "a": [f"{i}" for i in range(40)]})
    >>> is_digest(read_column(table, "h")), is_digest(read_column(table, "a"))
    (True, False)
    """
    if reading.kind == "number":
        return _is_checksum(reading)
    if len(reading.levels) < 2:
        return False
    lengths = {len(str(level)) for level in reading.levels.tolist()}
    probe = [str(level) for level in reading.levels[:TRIED].tolist()]
    # Eight figures are a date or a number sooner than a checksum.
    figures = all(text.isdecimal() for text in probe)
    return len(lengths) == 1 and lengths <= set(ALGORITHMS) and all(map(DIGEST.fullmatch, probe)) and not figures


def find_recipe(reading: Reading, others: Sequence[Reading], values: Sequence[str], s: Codes) -> Recipe | None:
    """Return a recipe that gives the digests of rows whose S is known; None where no common one does.

    Parameters
    ----------
    reading : Reading
        One that `is_digest`.
    others : sequence of Reading
        The other columns of the release, in its order.
    values : sequence of str
        The values of S as they are written.
    s : ndarray of int, shape (n,)
        The value of each row, -1 where unknown.
    """
    rows = np.flatnonzero((s >= 0) & ~reading.missing)[:TRIED]
    if len(rows) < 3:
        return None
    wanted = [_hexadecimal(reading, int(row)) for row in rows]
    for columns in _choices(others, rows):
        texts = [[written(column, int(row)) for column in columns] for row in rows]
        names = tuple(column.name for column in columns)
        for algorithm in ALGORITHMS[len(wanted[0])]:
            for separator in SEPARATORS if columns else SEPARATORS[:1]:
                for first in (False, True):
                    recipe = Recipe(algorithm, names, separator, first)
                    hits = sum(
                        recipe.digest(text, values[s[row]]) == want
                        for text, row, want in zip(texts, rows, wanted, strict=True)
                    )
                    if hits >= ENOUGH * len(rows):
                        return recipe
    return None


def values_told(recipe: Recipe, reading: Reading, others: Sequence[Reading], values: Sequence[str]) -> Codes:
    """Return the value of S that gives the digest of each row, -1 where none does."""
    columns = [next(one for one in others if one.name == name) for name in recipe.columns]
    told = np.full(len(reading.codes), -1, dtype=np.int64)
    for row in np.flatnonzero(~reading.missing).tolist():
        text, want = [written(column, row) for column in columns], _hexadecimal(reading, row)
        told[row] = next((code for code, value in enumerate(values) if recipe.digest(text, value) == want), -1)
    return told


def _is_checksum(reading: Reading) -> bool:
    """Whether whole numbers are as many as rows and spread evenly over 32 bits."""
    levels, n = reading.levels, len(reading.codes)
    if len(levels) < max(2 * TRIED, 0.9 * n) or levels[0] < 0 or levels[-1] >= BITS_32 or reading.ticks_per_day:
        return False
    return bool(abs((levels > HALF).mean() - 0.5) < ABOUT and (levels == np.floor(levels)).all())


def _hexadecimal(reading: Reading, row: int) -> str:
    level = reading.levels[reading.codes[row]]
    return f"{int(level):08x}" if reading.kind == "number" else str(level).lower()


def written(reading: Reading, row: int) -> str:
    """Return a value as a program writes it: 7, 7.5, a text, nothing where it is missing."""
    code = int(reading.codes[row])
    if code < 0:
        return ""
    level = reading.levels[code] if reading.exact is None else reading.exact[code]
    return str(int(level)) if reading.kind == "number" and float(level).is_integer() else str(level)


def _choices(others: Sequence[Reading], rows: Codes) -> Iterator[Sequence[Reading]]:
    """Yield nothing, each column, and each stretch of neighbouring columns."""
    yield ()
    usable = [one for one in others if not is_digest(one)][: 4 * MOST_PARTS]
    for length in range(1, MOST_PARTS + 1):
        for start in range(len(usable) - length + 1):
            yield usable[start : start + length]
