"""The file a job starts from, read once, with its digest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.contracts.errors import DataError, FileError
from withhold.data.arrow_types import family, plain_encodings, value_type
from withhold.data.attributes import Attribute, Attributes, read_attributes
from withhold.data.schema import pandas_index
from withhold.io.absent import absent
from withhold.io.columnar import columnar_rows
from withhold.io.csv_files import find_reading
from withhold.io.image_folder import unnamed_images
from withhold.io.reading import FOUND_OUT, Reading
from withhold.io.table_format import FILE, check_regular, image_files, is_text, source_files, written_suffix
from withhold.io.tables import digest, read_table
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.workflow.alignment import read_rows
from withhold.workflow.request import declared
from withhold.workflow.roles import check_columns
from withhold.workflow.rooms import ROOMS, results_of

# The suffix of a folder of images.
FOLDER = ""
# A class is only seen by an attacker and by its judge when some rows of it are on either side.
FEWEST_OF_A_CLASS = 2
# A class of fewer rows is named, so many of them.
SMALL_CLASS, MOST_NAMED = 10, 5


@dataclass(frozen=True)
class Source:
    """A table with where it came from.

    Attributes
    ----------
    digest : str
        SHA-256 of the file.
    suffix : str
        Format in which results are written, the same as came in: none for a folder of images.
    rows : ndarray or None
        Numbers of the rows of the file that the table holds; None for all.
    reading : Reading
        How a text file was read: what was said of it, and what it showed.
    """

    path: Path
    table: pa.Table
    digest: str
    suffix: str
    rows: NDArray[np.int64] | None = None
    reading: Reading = FOUND_OUT

    @property
    def name(self) -> str:
        """What messages and reports call it: the file's name, never its folder."""
        return self.path.name


def read_source(
    path: Path,
    array: str | None = None,
    labels: Path | None = None,
    rows: NDArray[np.int64] | None = None,
    types: Mapping[str, pa.DataType] | None = None,
    reading: Reading = FOUND_OUT,
    log: Callable[[str], None] = lambda text: None,
) -> Source:
    """Read a file, a folder of Parquet parts, or with `labels` a folder of images.

    Parameters
    ----------
    path : Path
        What to read.
    array : str or None
        The array of an `.npz` file that holds the features.
    labels : Path or None
        The table that says what the images of a folder show.
    rows : ndarray or None
        Row numbers to read, ascending; None for all.
    types : mapping of str to DataType or None
        What is known of the columns of a CSV file.
    reading : Reading
        What is said of how files are to be read.
    log : callable
        Told how a text file is read, where that is not with commas, points and UTF-8.
    """
    check_exists(path)
    reading = found_reading(path, reading, types, log)
    table = (
        read_table(path, array=array, labels=labels, types=types, reading=reading)
        if rows is None
        else read_rows(path, rows, types, reading)
    )
    table = plain_encodings(table, path.name)
    if table.num_rows == 0:
        raise DataError(f"{path.name} has no rows. Check the file.")
    if labels is not None:
        return Source(path, table, f"{digest(path)}+{digest(labels)}", FOLDER, reading=reading)
    suffix = ".parquet" if path.is_dir() else written_suffix(path)
    return Source(path, table, digest(path), suffix, rows, reading)


PART = "file of the row"


def with_part_names(source: Source) -> Source:
    """Add the file that each row of a folder of Parquet parts lies in: its name is handed over as a value is.

    Examples
    --------
    >>> import tempfile
    >>> from withhold.io.tables import write_table
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("men", "women"):
    ...     write_table(folder / f"{name}.parquet", pa.table({"age": [31, 58]}))
    >>> with_part_names(read_source(folder)).table.column(PART).to_pylist()
    ['men.parquet', 'men.parquet', 'women.parquet', 'women.parquet']
    """
    path = source.path
    files = source_files(path) if path.is_dir() and not image_files(path) else []
    if len(files) < 2 or PART in source.table.column_names:
        return source
    names = [file.relative_to(path).as_posix() for file in files]
    rows = np.repeat(np.arange(len(files)), [columnar_rows(file) or 0 for file in files])
    chosen = rows if source.rows is None else rows[source.rows]
    return replace(source, table=source.table.append_column(PART, pa.array(names).take(pa.array(chosen))))


def found_reading(
    path: Path,
    reading: Reading,
    types: Mapping[str, pa.DataType] | None = None,
    log: Callable[[str], None] = lambda text: None,
) -> Reading:
    """Return how a file is to be read, so that nothing need be found out again; what was found is said."""
    if not is_text(path):
        return reading
    found, words = find_reading(path, reading, types)
    if words:
        log(words)
    return found


def fitted_types(method: Sanitizer) -> dict[str, pa.DataType]:
    """Return the types that a fitted sanitiser knows its columns by: a part of a CSV file is read as the whole was.

    Parameters
    ----------
    method : Sanitizer
        Fitted.
    """
    condition = getattr(method, "condition_", None)  # a class that records are released under is no feature
    return method.encoding_.types() | ({} if condition is None else condition.types())


def read_alike(sources: Sequence[Source]) -> list[Source]:
    """Read CSV files again where a column is text in another file of the same records.

    A CSV file states no types, so that codes such as 90210 look like numbers where none of them begins with a zero.
    """
    fields = [field for source in sources for field in source.table.schema]
    text = {field.name: pa.string() for field in fields if family(value_type(field.type)) == "text"}
    return [_read_as(source, text) for source in sources]


def _read_as(source: Source, types: Mapping[str, pa.DataType]) -> Source:
    """Read a CSV file again where a column is of another type."""
    own = {field.name: value_type(field.type) for field in source.table.schema}
    other = {name: value_type(kind) for name, kind in types.items() if own.get(name) not in (None, value_type(kind))}
    if not is_text(source.path) or all(family(own[name]) == family(kind) == "text" for name, kind in other.items()):
        return source
    path, rows, said, types = source.path, source.rows, source.reading, own | other
    known = read_table(path, types=types, reading=said) if rows is None else read_rows(path, rows, types, said)
    return replace(source, table=known)


def _types(source: Source) -> dict[str, pa.DataType]:
    return {field.name: field.type for field in source.table.schema}


def names_of_files(labels: Path | None) -> tuple[str, ...]:
    """Return the column that says where the images of a folder are: a name may tell S, so it is no feature.

    Examples
    --------
    >>> names_of_files(None), names_of_files(Path("labels.csv"))
    ((), ('file',))
    """
    return () if labels is None else (FILE,)


def say_left_out(folder: Path, labels: Path | None, log: Callable[[str], None], reading: Reading = FOUND_OUT) -> None:
    """Say how many images of a folder its labels do not name: they are neither fitted nor released."""
    left = 0 if labels is None else unnamed_images(folder, read_table(labels, reading=reading))
    if left:
        log(f"{left:,} images of {folder.name} have no row in {labels.name if labels else ''} and are left out")


def check_declared(reading: Reading, columns: Sequence[str], where: str) -> None:
    """Refuse a column that is declared and is not there.

    Examples
    --------
    >>> check_declared(Reading(text=("zip",)), ["zip", "sex"], "t.csv")
    """
    check_columns([*reading.text, *(name for name, _ in reading.dates)], columns, where)


def check_exists(path: Path) -> None:
    """Refuse a path that is not there, and the folder of a run in place of its release.

    Examples
    --------
    >>> check_exists(Path("."))
    """
    check_regular(path)
    if not path.exists():
        raise absent(path)
    room = results_of(path.parent if path.name in ROOMS else path) if path.is_dir() else None
    released = [] if room is None else sorted(room.glob("release*"))
    if released and path != released[0]:
        raise FileError(f"'{path}' is a folder of `withhold run`. Name the file in it: {quote(str(released[0]))}")


def with_test_file(train: Source, test: Source) -> tuple[Source, np.ndarray]:
    """Put the rows of a test file below those of the fitted one.

    Returns
    -------
    source : Source
        Both, under the first one's name and the digest of both.
    fit : ndarray of bool
        True for the rows of the first.
    """
    test = _read_as(test, _types(train))
    train = _read_as(train, _types(test))
    labels = [name for name in pandas_index(train.table.schema) if name not in test.table.column_names]
    known = train.table.drop_columns(labels)  # row labels that only one file has are no columns of the table
    missing = [name for name in known.column_names if name not in test.table.column_names]
    if missing:
        raise DataError(
            f"{test.name} has no column {missing[0]!r}, which {train.name} has. Give both the same columns."
        )
    try:
        below = test.table.select(known.column_names).cast(known.schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise DataError(
            f"{test.name} does not have the types of {train.name} ({error}). Write both in one format."
        ) from error
    table = pa.concat_tables([known, below])
    fit = np.arange(table.num_rows) < known.num_rows
    return Source(train.path, table, f"{train.digest}+{test.digest}", train.suffix), fit


def sensitive_attributes(table: pa.Table, names: tuple[str, ...], kinds: dict[str, str]) -> Attributes:
    """Read and check the columns to hide: an attribute that cannot be learned or judged is refused.

    Parameters
    ----------
    table : pyarrow.Table
        The whole table.
    names : tuple of str
        Columns to hide.
    kinds : dict
        Declared kinds.
    """
    if not names:
        return Attributes(())
    attributes = read_attributes(table.select(list(names)), kinds=declared(kinds, names), role="sensitive_features")
    for attribute in attributes:
        _check_sensitive(attribute)
    return attributes


def say_small_classes(attributes: Attributes, log: Callable[[str], None]) -> None:
    """Name classes of few rows, such as a line of totals at the end of a file; they stand in no record that is shared.

    Examples
    --------
    >>> say_small_classes(read_attributes(["f"] * 20 + ["m"] * 20 + ["Total"], role="sex"), print)
    'sex' has a class of few rows: 'Total' (1). Remove such rows if they are totals or typing errors.
    """
    for attribute in attributes:
        if attribute.kind != "categorical":
            continue
        counts = np.bincount(attribute.codes[attribute.known], minlength=attribute.n_classes)
        few = np.flatnonzero((counts > 0) & (counts < SMALL_CLASS))
        small = [f"{attribute.levels[j]!r} ({counts[j]})" for j in few]
        if small:
            more = f" and {len(small) - MOST_NAMED} more" if len(small) > MOST_NAMED else ""
            shown = ", ".join(small[:MOST_NAMED]) + more
            classes = "a class" if len(small) == 1 else f"{len(small)} classes"
            log(
                f"{attribute.name!r} has {classes} of few rows: {shown}. Remove such rows if they are totals or typing "
                "errors."
            )


def read_utility(table: pa.Table, names: Sequence[str], kinds: dict[str, str]) -> Attributes:
    """Read the columns that are to stay useful."""
    if not names:
        return Attributes(())
    return read_attributes(table.select(list(names)), kinds=declared(kinds, names), role="utility")


def group_codes(table: pa.Table, name: str | None) -> np.ndarray | None:
    """Return the subject of each row as an integer, None without a subject column."""
    if name is None:
        return None
    column = table.column(name)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    codes = column.dictionary_encode(null_encoding="encode").indices
    return np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.int64)


def _check_sensitive(attribute: Attribute) -> None:
    if attribute.kind != "categorical":
        return
    counts = np.bincount(attribute.codes[attribute.known])
    classes = int((counts > 0).sum())
    name, known, single = attribute.name, int(counts.sum()), int(counts[counts < FEWEST_OF_A_CLASS].sum())
    if 2 * single > known:
        raise DataError(
            f"{name!r} has {classes:,} values in {known:,} rows, {single:,} of them once, and a value that is not "
            f"repeated cannot be learned. Group the values, or pass --continuous {quote(name)} if it is a number."
        )
