"""Bytes of text files, compressed or not: opened, bounded, and the encoding that all of them prove."""

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from withhold.contracts.errors import DataError
from withhold.contracts.wording import advice
from withhold.io.growth import check_growth

# Pieces that stay in the cache of a processor are checked three times as fast as large ones.
_PIECE_BYTES = 1 << 20

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# What speaks against Western European text in Windows-1252 (its printable part is Latin-1): a sign inside a word or
# before it, a small letter before a capital with an accent, three accented letters in a row, signs that nobody writes.
_LETTER = r"[A-Za-zÀ-ÖØ-öø-ÿŠšŽžŒœŸ]"
_ACCENTED, _CAPITAL = r"[À-ÖØ-öø-ÿŠšŽžŒœŸ]", r"[À-ÖØ-ÞŠŽŒŸ]"
_SIGN_IN_WORD = r"[^\x00-\x7fÀ-ÖØ-öø-ÿŠšŽžŒœŸ’‘´·–—\xa0]"
_FOREIGN = re.compile(
    f"{_LETTER}{_SIGN_IN_WORD}{_LETTER}|[£¥¹³¼½¾]{_LETTER}|[a-zß-ÿ]{_CAPITAL}|{_ACCENTED}{{3}}|[ƒ†‡ˆ‰˜¤¦¬¯¶¸]"
)
# Words that a piece cuts in two are seen whole with so many bytes of the piece before.
_OVERLAP = 8


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a text file for its bytes, decompressed where its name ends in .gz."""
    if path.suffix.lower() != ".gz":
        with path.open("rb") as plain:
            yield plain
        return
    try:
        with gzip.open(path, "rb") as unpacked:
            yield unpacked  # type: ignore[misc]
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"'{path}' is not a readable gzip file. Copy it again.") from error


@contextmanager
def opened_text(path: Path, encoding: str) -> Iterator[io.TextIOWrapper]:
    """Open a text file for its characters, line ends as they are."""
    with opened(path) as binary:
        yield io.TextIOWrapper(binary, encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="")


def proven_encoding(path: Path) -> str:
    r"""Return the encoding of a text file: by its mark, UTF-8 where all of it is, Western European where it looks so.

    Raises
    ------
    DataError
        If it is none of these, or a compressed file that would fill the memory.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> for text, encoding in (("Köln", "utf-8"), ("Köln", "cp1252"), ("Köln", "utf-16")):
    ...     _ = path.write_bytes(f"city\n{text}\n".encode(encoding))
    ...     print(proven_encoding(path))
    utf-8
    cp1252
    utf-16
    """
    with opened(path) as handle:
        first = handle.read(4)
    marked = next((name for mark, name in _MARKS if first.startswith(mark)), None)
    for name in (marked,) if marked else ("utf-8", "cp1252"):
        if _all_of(path, name):
            return name
    raise not_decoded(path, marked)


def not_decoded(path: Path, encoding: str | None = None) -> DataError:
    """Return the error for a file whose characters cannot be read."""
    if encoding is None:
        return DataError(
            f"'{path}' is not UTF-8 text, and its encoding does not show. Name it with "
            f"{advice('Reading(encoding=...)', '--encoding NAME')}, such as cp1250, cp1251 or shift_jis, or save it as "
            "UTF-8."
        )
    remedy = advice("Reading(encoding=...)", "--encoding NAME")
    return DataError(f"'{path}' is not {encoding} text. Name another with {remedy}, or save it as UTF-8.")


def check_unpacked(path: Path) -> None:
    """Refuse a compressed file that is made to fill memories."""
    if path.suffix.lower() == ".gz":
        for _ in _pieces(path):
            pass


def _pieces(path: Path) -> Iterator[bytes]:
    compressed, read = path.suffix.lower() == ".gz", 0
    with opened(path) as handle:
        while piece := handle.read(_PIECE_BYTES):
            read += len(piece)
            if compressed:
                check_growth(path, read)
            yield piece


def _all_of(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    before, plain = "", encoding in ("utf-8", "cp1252")
    for piece in _pieces(path):
        if encoding == "cp1252" and b"\0" in piece:
            return False
        if plain and piece.isascii() and not decoder.getstate()[0]:
            before = ""
            continue
        try:
            text = decoder.decode(piece)
        except UnicodeDecodeError:
            return False
        if encoding == "cp1252":
            if _FOREIGN.search(before + text):
                return False
            before = text[-_OVERLAP:]
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
