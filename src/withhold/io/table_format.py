"""Which kind of table a path is, and the errors for paths that cannot be read."""

import os
import stat
from collections import Counter
from pathlib import Path
from typing import Literal

from withhold.contracts.errors import DataError, FileError, sentence
from withhold.contracts.wording import printable


def check_regular(path: str | os.PathLike[str]) -> None:
    """Refuse a pipe, a device or a socket, which may never end, and a name that is no text.

    A path where nothing is passes: whoever opens it says so.

    Examples
    --------
    >>> check_regular("absent.csv")
    >>> check_regular(os.devnull)
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.FileError: '/dev/null' is no file but a device. Save what it gives to a file first.
    """
    check_name(path)
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return
    kind = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
    raise FileError(f"'{Path(path)}' is no file but a {kind}. Save what it gives to a file first.")


def check_name(path: str | os.PathLike[str]) -> None:
    r"""Refuse a name whose bytes are not UTF-8, which not every library can open and no JSON can hold.

    Examples
    --------
    >>> check_name("K\udcf6ln.csv")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.FileError: The name 'K\udcf6ln.csv' is not UTF-8. Rename it.
    """
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        raise FileError(f"The name '{printable(os.fspath(path))}' is not UTF-8. Rename it.") from None


Format = Literal["parquet", "csv", "feather", "npz"]

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".feather": "feather",
    ".arrow": "feather",
    ".npz": "npz",
}

# A folder of images: the column that names each, and the table that is written beside them.
FILE, LABELS = "file", "labels.csv"
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".dcm", ".nii"})


def table_format(path: str | os.PathLike[str]) -> Format:
    """Return the format that the suffix of `path` stands for.

    Examples
    --------
    >>> table_format("records.PARQUET"), table_format("z.arrow")
    ('parquet', 'feather')
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise FileError(
            sentence(
                f"The table file '{path}'",
                "named *.parquet, *.csv, *.feather, *.arrow or *.npz",
                f"'{suffix}'" if suffix else "no suffix",
                "The format follows from the name.",
                "Convert or rename the file.",
            )
        )
    return SUFFIXES[suffix]


def source_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that make up the table at `path`: itself, or the Parquet parts of a folder in order of name.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.parquet", "a.parquet", "_SUCCESS"):
    ...     (folder / name).touch()
    >>> [part.name for part in source_files(folder)]
    ['a.parquet', 'b.parquet']
    """
    source = Path(path)
    check_regular(source)
    if not source.exists():
        why = "The records are read from it."
        raise FileError(
            sentence(f"The table '{path}'", "an existing file or folder", "nothing there", why, "Check the path.")
        )
    if not source.is_dir():
        table_format(source)
        return [source]
    visible = sorted(item for item in source.iterdir() if not item.name.startswith((".", "_")))
    strangers = [item for item in visible if item.is_dir() or item.suffix.lower() not in (".parquet", ".pq")]
    if any(item.suffix.lower() in IMAGE_SUFFIXES for item in visible):
        remedy = "Name its labels (--labels FILE), where images can be used, or store them as an array in an .npz file."
        raise _folder_error(source, "images", "Images need a table that says what each shows.", remedy)
    if strangers:
        got = f"'{strangers[0].name}' in it"
        remedy = "Move other files away; write partitions as plain files with their column."
        raise _folder_error(source, got, "All parts must be read as one table.", remedy)
    if not visible:
        raise _folder_error(source, "no such file", "The records are read from them.", "Check the path.")
    for item in visible:
        check_regular(item)
    return visible


def image_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the images in a folder and below it, in order of name; none for anything else.

    Examples
    --------
    >>> image_files("absent")
    []
    """
    folder = Path(path)
    if not folder.is_dir():
        return []
    return sorted(item for item in folder.rglob("*") if item.suffix.lower() in IMAGE_SUFFIXES and item.is_file())


def check_columns(path: str | os.PathLike[str], names: list[str]) -> None:
    """Refuse tables without columns and those with two columns of one name.

    Examples
    --------
    >>> check_columns("a.csv", ["age", "age"])
    Traceback (most recent call last):
    withhold.contracts.errors.DataError: The columns of 'a.csv' must be named differently. Got 'age' 2 times. ...
    """
    if not names:
        why = "Without a column there is nothing to release."
        raise DataError(sentence(f"The table '{path}'", "one with columns", "none", why, "Check the file."))
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise DataError(
            sentence(
                f"The columns of '{path}'",
                "named differently",
                f"'{name}' {count} times",
                "Columns are addressed by name, and the wrong one could stay in a release.",
                "Rename or remove one of them.",
            )
        )


def damaged(path: str | os.PathLike[str], kind: str) -> DataError:
    """Return the error for a file that is not, or no longer, what its name says."""
    why = "It is damaged, cut short or of another kind, and part of the records cannot be read."
    return DataError(
        sentence(f"The file '{path}'", f"a readable {kind} file", "something else", why, "Copy or export it again.")
    )


def _folder_error(folder: Path, got: str, why: str, remedy: str) -> FileError:
    return FileError(sentence(f"The folder '{folder}'", "one of Parquet parts (*.parquet)", got, why, remedy))
