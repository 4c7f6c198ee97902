"""The rows an audit reads of its files: a sample, labels of images, the S of another file by key or position."""

import re
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.contracts.errors import DataError
from withhold.contracts.finding import Finding
from withhold.contracts.images import image_names
from withhold.contracts.seeds import root, stream
from withhold.data.arrow_types import family, plain_encodings, value_type
from withhold.data.schema import pandas_index
from withhold.io.chosen_rows import chosen_rows
from withhold.io.csv_files import Types
from withhold.io.image_folder import first_unmatched
from withhold.io.reading import FOUND_OUT, Reading
from withhold.io.table_format import FILE, LABELS, image_files, is_whole
from withhold.io.tables import count_rows, read_table, table_batches
from withhold.workflow.roles import check_columns


def labels_of(folder: Path, given: Path | None) -> Path | None:
    """Return the labels table of a folder of images: the one given, if it names images of this folder, else its own.

    Two folders seldom have the same names: a release numbers its images. So what is given as --labels holds for the
    folder whose images it names, and `labels.csv` in a folder for that folder.

    Parameters
    ----------
    folder : Path
        Anything else than a folder of images has no labels.
    given : Path or None
        What the user named.

    Returns
    -------
    Path or None
        None for a folder of images too, where there is neither.

    Raises
    ------
    DataError
        If one was given, and neither it nor the folder's own names images that are there.

    Examples
    --------
    >>> labels_of(Path("records.csv"), None) is None
    True
    """
    if not image_files(folder):
        return given if folder.is_dir() else None
    own = folder / LABELS
    if given is None:
        return own if own.is_file() else None
    absent = first_unmatched(folder, read_table(given))
    if absent is None:
        return given
    if own.is_file():
        return own
    raise DataError(
        f"The folder {folder.name!r} has no {absent!r}, which {given.name} names. Name its images as the table does, "
        f"or write a {LABELS} with a column 'file' into the folder."
    )


# Only files of many times the rows that are judged: others are read whole, and sampled by the audit itself.
MANY = 4
BATCH = 65_536


def sample_rows(
    files: Sequence[Path], most: int, seed: int, reading: Reading = FOUND_OUT
) -> tuple[NDArray[np.int64], int] | None:
    """Choose rows at random where files that belong together row by row are much longer than what is judged.

    Parameters
    ----------
    files : sequence of Path
        All of one length, or nothing is chosen; so it is where one is read whole anyway, as arrays and images are.
    most : int
        Rows that are judged.
    reading : Reading
        What is said of how the files are to be read.

    Returns
    -------
    (ndarray, int) or None
        Row numbers, ascending, and how many there are in all.
    """
    if any(is_whole(path) or not path.exists() or image_files(path) for path in files):
        return None
    lengths = {count_rows(path, reading) for path in files}
    total = lengths.pop()
    if lengths or total <= MANY * most:
        return None
    chosen = stream(root(seed), "audit", "rows of a long file").choice(total, most, replace=False)
    return np.sort(chosen).astype(np.int64), total


def read_rows(
    path: Path, rows: NDArray[np.int64], types: Types | None = None, reading: Reading = FOUND_OUT
) -> pa.Table:
    """Return some rows of a file, in ascending order, in the memory of these and of one batch.

    `types` are what is known of the columns of a CSV file; all its rows decide the others, not those that are chosen.

    Examples
    --------
    >>> import tempfile
    >>> from withhold.io.tables import write_table
    >>> path = Path(tempfile.mkdtemp()) / "a.parquet"
    >>> write_table(path, pa.table({"a": range(9)}))
    >>> read_rows(path, np.array([2, 7])).column("a").to_pylist()
    [2, 7]
    """
    batches = table_batches(path, BATCH, types=types, reading=reading)
    pieces = (plain_encodings(pa.Table.from_batches([batch]), path.name) for batch in batches)
    return pa.concat_tables(chosen_rows(pieces, rows)).unify_dictionaries().combine_chunks()


def sampling_note(judged: int, total: int, effort: str) -> Finding:
    """Say how many rows were judged.

    Examples
    --------
    >>> sampling_note(60_000, 10_000_000, "quick").text[:48]
    '60,000 of 10,000,000 rows were judged, chosen at'
    """
    text = (
        f"{judged:,} of {total:,} rows were judged, chosen at random: the {effort} effort stops there, and a file of "
        "this length is not read whole. Attackers with all rows may learn more; a higher effort uses more."
    )
    return Finding(code="rows_sampled", severity="warning", text=text)


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
            raise DataError(
                f"{where} has {other.num_rows:,} rows and the release {release.num_rows:,}. Match them with "
                "--key COL, a column of both that names a record."
            )
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
        raise DataError(
            f"{len(unmatched):,} of {len(ours):,} keys in {key!r} are not in {where}. Pass the file they came from."
        )
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
    raise DataError(
        f"{where} has {'the same pandas row labels in another order' if same else 'other pandas row labels'}, so each "
        f"record would get the values of another. Pass --key {quote(names[0][0])}, or write both files without an "
        "index (index=False) if positions are right."
    )


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
    return DataError(
        f"The key {key!r} of {where} is not unique: {'a value' if word is None else repr(word)} occurs twice"
        f"{' or is missing' if word is None else ''}. Use another column."
    )
