"""Bringing the sensitive attribute of another file to the rows of a release: by key, or by position to be proven."""

import re
from typing import Literal

import pyarrow as pa

from withhold.contracts.errors import DataError, sentence
from withhold.contracts.images import image_names
from withhold.data.arrow_types import family, value_type
from withhold.data.schema import pandas_index
from withhold.io.table_format import FILE
from withhold.workflow.roles import check_columns

# Sign, whole digits without leading zeros, decimals.
_NUMBER = re.compile(r"\s*\+?(-?)0*([0-9]+)(?:\.([0-9]*))?\s*")

Alignment = Literal["given", "key", "rows"]


def align(
    release: pa.Table, other: pa.Table, key: str | None, where: str, partial: bool = False
) -> tuple[pa.Table, Alignment]:
    """Return the rows of `other` in the order of `release`, and what that order rests on.

    Parameters
    ----------
    release, other : pyarrow.Table
        The released table and the one that holds the attribute.
    key : str or None
        A column of both that names a record; None: equal row counts, and the audit must prove the order. Images of the
        same file names are matched by them.
    where : str
        What `other` is called in messages.
    partial : bool
        Whether `other` may lack some of the records: its columns are missing there.

    Returns
    -------
    table : pyarrow.Table
    alignment : {"key", "rows"}

    Examples
    --------
    >>> table, how = align(pa.table({"id": [2, 1]}), pa.table({"id": [1, 2], "sex": ["f", "m"]}), "id", "s.csv")
    >>> table.column("sex").to_pylist(), how
    (['m', 'f'], 'key')
    """
    if key is None:
        if release.num_rows != other.num_rows:
            got = f"{other.num_rows} rows in {where} and {release.num_rows} in the release"
            why = "Without a key, rows are matched by position."
            remedy = "Pass --key COL, a column of both files that names a record."
            raise DataError(sentence("Two files without --key", "of equal length", got, why, remedy))
        _check_labels(release, other, where)
        return other, "key" if _same_images(release, other) else "rows"
    check_columns([key], release.column_names, "the release")
    check_columns([key], other.column_names, where)
    ours, theirs = _words(release.column(key), other.column(key))
    place: dict[str, int] = {}
    for position, word in enumerate(theirs):
        if word is None or word in place:
            raise _not_unique(key, where, word)
        place[word] = position
    if None in ours or len(set(ours)) != len(ours):
        raise _not_unique(key, "the release", None)
    unmatched = [word for word in ours if word not in place]
    if unmatched and not (partial and len(unmatched) < len(ours)):
        got = f"{len(unmatched)} of {len(ours)} keys that are not in {where}"
        why = "Rows are matched by it." if partial else "Every released record needs its attribute."
        raise DataError(sentence(f"The key {key!r}", "found in both files", got, why, "Pass the file they came from."))
    return other.take(pa.array([place.get(word or "") for word in ours], pa.int64())), "key"


def _same_images(release: pa.Table, other: pa.Table) -> bool:
    """Whether both are folders of images of the same names, in one order."""
    folders = all(image_names(table) and FILE in table.column_names for table in (release, other))
    return folders and release.column(FILE).to_pylist() == other.column(FILE).to_pylist()


def _check_labels(release: pa.Table, other: pa.Table, where: str) -> None:
    """Refuse files whose pandas row labels contradict the match by position; labels that one file lacks say nothing."""
    names = [pandas_index(table.schema) for table in (release, other)]
    if not names[0] or not names[1]:
        return
    ours, theirs = (
        [table.column(name).to_pylist() for name in own] for table, own in zip((release, other), names, strict=True)
    )
    if ours == theirs:
        return
    rows = [sorted(map(str, zip(*labels, strict=True))) for labels in (ours, theirs)]
    same = rows[0] == rows[1]
    if not same and any(labels == [list(range(release.num_rows))] for labels in (ours, theirs)):
        return  # numbered anew
    got = f"{'another order of the same labels' if same else 'other labels'} in {where}"
    why = "Without a key, rows are matched by position, so each record would get the values of another."
    remedy = f"Pass --key {names[0][0]}, or write both files without an index (index=False) if position is right."
    raise DataError(sentence("The pandas row labels of two files", "the same", got, why, remedy))


def _words(ours: pa.ChunkedArray, theirs: pa.ChunkedArray) -> tuple[list[str | None], list[str | None]]:
    """Return the keys of two files as text: as written where they are text in both, else by their number.

    So the text 000012 is the text 000012 and not 12; and 7, 7.0 and "007" are one key where one file has numbers.
    """
    columns = [column.to_pylist() for column in (ours, theirs)]
    texts = all(family(value_type(column.type)) == "text" for column in (ours, theirs))
    first, second = ([None if value is None else _word(str(value), texts) for value in column] for column in columns)
    return first, second


def _word(text: str, as_written: bool) -> str:
    number = None if as_written else _NUMBER.fullmatch(text)
    if number is None:
        return text
    sign, whole, decimals = number.groups()
    decimals = (decimals or "").rstrip("0")
    return f"{sign}{whole}{'.' if decimals else ''}{decimals}"


def _not_unique(key: str, where: str, word: str | None) -> DataError:
    got = "a key twice or missing" if word is None else f"{word!r} twice"
    why = "A record that is named twice cannot be matched."
    return DataError(sentence(f"The key {key!r} of {where}", "unique and known", got, why, "Use another column."))
