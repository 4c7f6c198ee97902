"""What names a record in a count of releases: one form, whatever file, type or way of writing it came in.

A person whose name is written in two ways would have two accounts, each from zero. Where two ways cannot be told from
two people, they are therefore **one**: that counts too much and never too little.

- A whole number, its text, and its text with zeros in front, a plus or ``.0`` behind are one: 12, 12.0, ``"12"``,
  ``"000012"`` and ``"+12"``. A column of digits is text in one file and numbers in another.
- Unicode is compatibility-composed (NFKC) without characters that nobody sees (zero-width, control, joiners, byte order
  marks); spaces at the ends are dropped and others become one.
- Bytes that are UTF-8 are text.
- Capitals stay apart from small letters, and zeros within a code that is no number stay: ``A007`` is not ``A7``.
"""

import re
import unicodedata
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import numpy as np

from withhold.contracts.errors import DataError

Naming = Literal["identifier", "content"]
"""What names a record: an identifier that its owner gives, or its own bytes."""

# Drawn as nothing, although Unicode counts them among letters and marks (Default_Ignorable_Code_Point).
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
# An exponent needs its sign, as programs write it for large numbers: 1E2 is more often a code.
_NUMBER = re.compile(r"([+-]?)([0-9]+)(?:\.([0-9]*))?(?:[eE]\+([0-9]{1,3}))?")


def name_bytes(name: Any, named: Naming) -> bytes:
    """Return the canonical bytes of what names a record.

    Parameters
    ----------
    name : str, int, bytes or another number without a fraction
        As it came from a file.
    named : {"identifier", "content"}
        What it is; the bytes of a record itself are left as they are.

    Examples
    --------
    >>> {name_bytes(name, "identifier") for name in (12, 12.0, "000012", " +12", b"12", Decimal("12.00"))}
    {b'text 12'}
    >>> name_bytes("Jose\u0301", "identifier") == name_bytes("\u00a0Jos\u00e9\u200b", "identifier")
    True
    """
    if isinstance(name, np.generic):
        name = name.item()
    if isinstance(name, bytes) and (named == "content" or not _decodes(name)):
        return b"bytes " + bytes(name)
    text = _text(name.decode() if isinstance(name, bytes) else name)
    if not text:
        shown = name is None or isinstance(name, bool | float | Decimal)
        got = repr(name) if shown else "empty text" if isinstance(name, str | bytes) else f"a {type(name).__name__}"
        raise DataError(
            f"Every record needs a name that is text or a whole number (got {got}): releases of one record add up "
            "under its name. Name a column without gaps."
        )
    return b"text " + text.encode(errors="surrogatepass")


def _decodes(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _text(name: Any) -> str:
    """Return the canonical text of an identifier, nothing where there is none."""
    if isinstance(name, float) and name.is_integer():
        name = int(name)  # a column of whole numbers with gaps comes as floats
    if isinstance(name, int) and not isinstance(name, bool):
        return str(name) if name.bit_length() < 10_000 else ""  # Python refuses to write longer ones
    if isinstance(name, Decimal):
        return _number(f"{name:f}") if name.is_finite() else ""
    if isinstance(name, UUID):
        return str(name)
    return _number(" ".join(_seen(name).split())) if isinstance(name, str) else ""


def _seen(text: str) -> str:
    """Return what a reader sees of a text, composed."""
    if text.isascii() and text.isprintable():
        return text
    for _ in range(2):  # what is left out may have stood between a letter and its accent
        text = unicodedata.normalize("NFKC", "".join(c for c in text if c.isspace() or not _unseen(c)))
    return "".join(str(unicodedata.decimal(c, c)) for c in text)  # digits of any script


def _unseen(character: str) -> bool:
    if unicodedata.category(character) in ("Cc", "Cf") or character in _UNSEEN:
        return True
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"  # variants of a glyph


def _number(text: str) -> str:
    """Return a number as it is written without what can be left out, and any other text as it is."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text
    sign, whole, part, exponent = found[1], found[2], found[3] or "", int(found[4] or 0)
    part = part.ljust(exponent, "0")
    whole, part = (whole + part[:exponent]).lstrip("0") or "0", part[exponent:].rstrip("0")
    written = f"{whole}.{part}" if part else whole
    return f"-{written}" if sign == "-" and written != "0" else written
