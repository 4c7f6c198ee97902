"""Columns of which a part reached no attacker: what is cut off, averaged away, or not decoded."""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from withhold.audit.attackers.registry import BESIDE_COLUMNS
from withhold.audit.findings.wording import finding
from withhold.audit.leakage.gaps import UNREAD
from withhold.audit.view.characters import TEXT_PLACES, given_by_place, identifies, is_text, rooms
from withhold.audit.view.pixels import block_side, channels_first
from withhold.audit.view.reading import DECIMAL_DIGITS, Reading, read_columns
from withhold.audit.view.units import PLACES, named_subjects, names_units
from withhold.audit.view.words import in_words, told_by_words
from withhold.contracts.finding import Finding
from withhold.contracts.images import image_array, image_names
from withhold.contracts.wording import listed

Codes = npt.NDArray[np.int64]


# Share of the records from which what is unread counts: about an even yes or no, fewer could hold at most .035 nat.
LEAST = 0.05
# What is said of the columns, and what can be done about it.
TEXT = (
    "Attackers were given each value of {} as a whole and its first characters one by one; its words are in no other.",
    "Leave it out, or release what it says as categories.",
)
BYTES = (
    "Attackers were given the bytes of {} as they stand; what they encode was not decoded.",
    "Release numbers as columns and pictures as images.",
)
NESTED = (
    "Attackers were given each value of {} as one text, not its entries.",
    "Release the entries as columns, or as lists of one length without gaps.",
)
DIGITS = (
    "Attackers were given {} with the digits that a float holds, not those beyond.",
    "Round it to 15 digits.",
)
PICTURES = (
    "Attackers were given averages over blocks of {}, not its pixels: nobody in this panel looks at pictures.",
    "Add the attackers cnn and pixels.",
)
PIXELS = (
    "Attackers were given 0 for the pixels of {} that are no numbers.",
    "Write a number there.",
)
What = tuple[str, str]


def unread_columns(
    table: pa.Table, groups: Codes | None = None, read: Collection[str] = BESIDE_COLUMNS
) -> dict[str, What]:
    """Return the columns of which a part reached no attacker, and what of each.

    A value that is known of several records is looked up as a whole. One of its own can only be read by its parts: of a
    number by its size, of a text by characters at their places.

    Parameters
    ----------
    table : pyarrow.Table
        What is attacked.
    groups : ndarray of int, shape (n,), optional
        Subjects: what only the records of one have, nobody learns from others.
    read : collection of {"images", "words"}
        What somebody in the panel reads beside columns.

    Examples
    --------
    >>> words = pa.array([f"{i**5 % 9973:x} {i**7 % 99991:x} {i**9 % 99989:x}" for i in range(99)])
    >>> table = pa.table({"note": words, "code": [f"{i:04d}" for i in range(99)], "size": range(99)})
    >>> list(unread_columns(table))
    ['note']
    """
    return dict(chain(_values(table, groups, read), _decimals(table), _images(table, "images" in read)))


def partly_read(found: Mapping[str, What]) -> list[Finding]:
    """Say what of which columns reached no attacker.

    Examples
    --------
    >>> partly_read({"note": TEXT, "memo": TEXT})[0].text[:62]
    "Attackers were given each value of 'note' and 'memo' as a whol"
    """
    out = []
    for what in dict.fromkeys(found.values()):
        columns = [name for name, other in found.items() if other == what]
        said, remedy = what
        text = f"{said.format(listed(columns))} What is left unread may tell all, so this release cannot pass. {remedy}"
        out.append(finding(UNREAD, "warning", text, columns))
    return out


def _values(table: pa.Table, groups: Codes | None, read: Collection[str]) -> Iterator[tuple[str, What]]:
    kinds = dict(
        zip(reversed(table.column_names), reversed(table.schema.types), strict=True)
    )  # of equal names the first
    texts: list[Reading] = []
    count = {True: 0, False: 0}
    for reading in read_columns(table):
        if identifies(reading):
            count[is_text(reading)] += 1
        if is_text(reading) and reading.numbers is None and len(reading.levels):
            texts.append(reading)
    places = rooms(count[True], count[False])[True][1] if count[True] else 0
    subjects = [] if groups is None else named_subjects(table, groups)
    for reading in texts:
        unread = _alone(reading, groups)
        if _much(unread):
            # Characters are given of what is nearly unique, of names of subjects, and of codes of other units.
            unit = PLACES if "relations" in read and names_units(reading) else 0
            room = places if identifies(reading) else TEXT_PLACES if reading.name in subjects else unit
            unread &= ~np.append(given_by_place(reading, room), True)[reading.codes]
        if "words" in read and _much(unread) and in_words(reading):
            unread &= ~np.append(told_by_words(reading, groups), True)[reading.codes]
        if _much(unread):
            yield reading.source, _said(kinds.get(reading.source))


def _alone(reading: Reading, groups: Codes | None) -> npt.NDArray[np.bool_]:
    """Say which rows have a value that no other record, or no other subject, has."""
    known = ~reading.missing
    codes = reading.codes[known].astype(np.int64)
    if groups is not None:
        subjects = np.unique(groups[known], return_inverse=True)[1]
        codes = np.unique(codes * (int(subjects.max(initial=0)) + 1) + subjects) // (int(subjects.max(initial=0)) + 1)
    owners = np.bincount(codes, minlength=len(reading.levels))
    return np.asarray(known & (np.append(owners, 0)[reading.codes] == 1))


def _much(rows: npt.NDArray[np.bool_]) -> bool:
    return bool(rows.sum() >= LEAST * max(1, len(rows)))


def _said(kind: pa.DataType | None) -> What:
    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if kind is not None and pa.types.is_struct(kind):
        return next((what for field in kind if (what := _said(field.type)) != TEXT), TEXT)
    if kind is not None and pa.types.is_nested(kind) and not pa.types.is_dictionary(kind):
        return NESTED
    byte = kind in (pa.binary(), pa.large_binary()) or isinstance(kind, pa.FixedSizeBinaryType)
    return BYTES if byte else TEXT


def _decimals(table: pa.Table) -> Iterator[tuple[str, What]]:
    for index, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type) and field.type.scale > 0 and field.type.precision > DECIMAL_DIGITS:
            column = table.column(index)
            held = pc.count_distinct(column.cast(pa.float64(), safe=False)).as_py()
            if pc.count_distinct(column.cast(pa.string())).as_py() > held:
                yield field.name, DIGITS


def _images(table: pa.Table, pictures: bool) -> Iterator[tuple[str, What]]:
    for name in image_names(table):
        images = channels_first(image_array(table.column(name), f"The images {name!r}"))
        if block_side(images.shape[1:]) > 1 and not pictures:
            yield name, PICTURES
        elif images.dtype.kind == "f" and not np.isfinite(images).all():
            yield name, PIXELS
