"""How a text file is written, as its own cells prove: separator, decimal mark, encoding."""

import csv
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from withhold.contracts.errors import DataError
from withhold.contracts.wording import advice
from withhold.io.reading import Reading
from withhold.io.text_files import check_unpacked, not_decoded, opened_text, proven_encoding

# As much of a file tells its separator and its decimal mark.
_SAMPLE_CHARACTERS = 1 << 17
SEPARATORS = ",;\t|"
# A separator gives nearly every record as many cells as the header; a ragged record is pointed out by its number later.
_MOST_RAGGED = 0.1
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)

_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?\s*")
_POINT = re.compile(r"\s*[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?\s*")
# 1,250 can be a thousand and more; 0,125 and 12,5 cannot.
_GROUPED = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+\s*")


@dataclass(frozen=True)
class Dialect:
    """How one text file is written.

    Attributes
    ----------
    above : int
        Lines before the header, such as the ``sep=;`` of spreadsheets.
    words : str
        What was found that a caller may not expect; empty for commas, points and UTF-8.
    """

    sep: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    above: int = 0
    words: str = ""


def find_dialect(path: Path, reading: Reading, null_texts: Collection[str], numbers: Collection[str] = ()) -> Dialect:
    """Return how a text file is written: what was said of it, and of the rest what its cells prove.

    Parameters
    ----------
    reading : Reading
        What the caller says.
    null_texts : collection of str
        Spellings of missing values.
    numbers : collection of str
        Columns that are known to be numbers.

    Raises
    ------
    DataError
        If the file is no text.
    """
    if reading.encoding is not None:
        check_unpacked(path)
    encoding = reading.encoding or proven_encoding(path)
    try:
        with opened_text(path, encoding) as text:
            sample = text.read(_SAMPLE_CHARACTERS)
            cut = bool(text.read(1))
    except (UnicodeError, ValueError) as error:
        raise not_decoded(path, encoding) from error
    sep, above = reading.sep, 0
    if stated := _SEPARATOR_LINE.match(sample):
        sep, above, sample = sep or stated[1], 1, sample[stated.end() :]
    sep = sep or _separator(path, sample, cut)
    records = list(_records(sample, sep, cut))
    commas, points, unclear = _decimals(records, sep, {*null_texts, *reading.missing}, {*numbers})
    decimal = reading.decimal or ("," if commas and (sep != "," or not points) else ".")
    words = _words(path, reading, Dialect(sep, decimal, encoding), commas)
    if unclear and decimal == "." and reading.decimal is None:
        told = f"{unclear[0]!r} of {path.name} holds numbers such as 1,250 and is read as text; --decimal , reads 1.25"
        words = f"{words}. {told}" if words else told
    return Dialect(sep, decimal, encoding, above, words)


def check_separated(path: Path, names: list[str], sep: str) -> None:
    """Refuse a header of one name that looks like several: no separator fits the records."""
    if len(names) == 1 and any(mark in names[0] for mark in SEPARATORS if mark != sep):
        raise DataError(
            f"'{path}' has a header of several names ('{names[0]}'), but no separator gives its records as many "
            "values. Name it with " + advice("Reading(sep=';')", "--sep ';'") + "."
        )


def _records(sample: str, sep: str, cut: bool) -> Iterator[list[str]]:
    """Yield the whole records of a sample; none where quotes do not close."""
    try:
        records = [row for row in csv.reader(io.StringIO(sample, newline=""), delimiter=sep) if row]
    except csv.Error:
        return
    yield from records[:-1] if cut and len(records) > 1 else records


def _separator(path: Path, sample: str, cut: bool) -> str:
    """Return the separator that gives the records as many cells as the header; the usual one where none does.

    Raises
    ------
    DataError
        If several do equally well.
    """
    usual = _usual(path)
    fits: dict[str, float] = {}
    for candidate in (usual, *SEPARATORS.replace(usual, "")):
        header, *rows = list(_records(sample, candidate, cut)) or [[]]
        share = sum(len(row) == len(header) for row in rows) / len(rows) if rows else 1.0
        if len(header) > 1 and share >= 1 - _MOST_RAGGED:
            fits[candidate] = share
    best = [candidate for candidate, share in fits.items() if share == max(fits.values())]
    if len(best) > 1:
        one, other = ("tab" if mark == "\t" else mark for mark in best[:2])
        remedy = advice(f"Reading(sep={one!r}) or Reading(sep={other!r})", f"--sep '{one}' or --sep '{other}'")
        raise DataError(f"'{path}' has as many values in every row by '{one}' as by '{other}'. Name one with {remedy}.")
    return best[0] if best else usual


def _usual(path: Path) -> str:
    return "\t" if ".tsv" in path.name.lower() else ","


def _decimals(
    records: list[list[str]], sep: str, missing: Collection[str], numbers: Collection[str]
) -> tuple[list[str], list[str], list[str]]:
    """Return the columns whose numbers have a decimal comma, a point, or a comma that may stand behind thousands.

    Spreadsheets put semicolons between columns where commas are in numbers: there 1,250 is one and a quarter.
    """
    commas, points, unclear = [], [], []
    whole = [row for row in records if len(row) == len(records[0])]
    for name, *cells in zip(*whole, strict=True):
        texts = [text for text in cells if text not in missing]
        marked = [text for text in texts if not _WHOLE.fullmatch(text)]
        if not marked:
            continue
        if all(_POINT.fullmatch(text) for text in marked):
            points.append(name)
        elif all(_COMMA.fullmatch(text) for text in marked) and (
            name in numbers or sep == ";" or not all(_GROUPED.fullmatch(text) for text in marked)
        ):
            commas.append(name)
        elif all(_COMMA.fullmatch(text) or _GROUPED.fullmatch(text) for text in marked):
            unclear.append(name)
    return commas, points, unclear


def _words(path: Path, reading: Reading, found: Dialect, commas: list[str]) -> str:
    parts = []
    if reading.sep is None and found.sep != _usual(path):
        parts.append(f"separated by {'tabs' if found.sep == chr(9) else repr(found.sep)}")
    if reading.decimal is None and found.decimal == ",":
        shown = commas[:3] + (["..."] if len(commas) > 3 else [])
        parts.append(f"with decimal commas ({', '.join(shown)})")
    if reading.encoding is None and found.encoding != "utf-8":
        parts.append("in cp1252 (Western European)" if found.encoding == "cp1252" else f"in {found.encoding}")
    if not parts:
        return ""
    return f"{path.name} is read as text {' and '.join(parts)}; --sep, --decimal and --encoding say otherwise"
