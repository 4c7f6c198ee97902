"""Which kind of table a path is, and the errors for paths that cannot be read."""

import os
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from withhold.contracts.errors import DataError, FileError
from withhold.contracts.wording import printable
from withhold.io.absent import absent


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


Format = Literal["parquet", "csv", "feather", "npz", "foreign"]

# Formats of other programs that are read and not written, each with its reader in `formats`: the one list of them.
FOREIGN = {
    ".xlsx": "spreadsheet",
    ".xlsm": "spreadsheet",
    ".sav": "statistics_package",
    ".zsav": "statistics_package",
    ".por": "statistics_package",
    ".dta": "statistics_package",
    ".sas7bdat": "statistics_package",
    ".xpt": "statistics_package",
    ".npy": "single_array",
    ".h5ad": "annotated_matrix",
}
# Of these --array names the part that is read.
_OF_SEVERAL_PARTS = frozenset({".npz", ".npy", ".xlsx", ".xlsm", ".h5ad"})
# What is written for a format that is not: a workbook is opened by who opens CSV files, types are kept by Parquet.
_WRITTEN = {".xlsx": ".csv", ".xlsm": ".csv", ".npy": ".npz"}
KNOWN = "*.parquet, *.csv, *.tsv (.gz too), *.feather, *.arrow or *.npz"

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".csv.gz": "csv",
    ".tsv.gz": "csv",
    ".feather": "feather",
    ".arrow": "feather",
    ".npz": "npz",
    **dict.fromkeys(FOREIGN, "foreign"),
}

# A folder of images: the column that names each, and the table that is written beside them.
FILE, LABELS = "file", "labels.csv"
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".dcm", ".nii"})


def table_suffix(path: str | os.PathLike[str]) -> str:
    """Return the ending of a name that says what kind of table it is: of a compressed file, two.

    Examples
    --------
    >>> table_suffix("a.CSV"), table_suffix("2024.05.tsv.gz"), table_suffix("images")
    ('.csv', '.tsv.gz', '')
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return "".join(suffixes[-2:] if suffixes[-1:] == [".gz"] else suffixes[-1:])


def is_text(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path names a text file with separators.

    Examples
    --------
    >>> is_text("a.csv.gz"), is_text("a.parquet")
    (True, False)
    """
    return SUFFIXES.get(table_suffix(path)) == "csv"


def table_format(path: str | os.PathLike[str]) -> Format:
    """Return the format that the suffix of `path` stands for.

    Examples
    --------
    >>> table_format("records.PARQUET"), table_format("z.arrow")
    ('parquet', 'feather')
    """
    suffix = table_suffix(path)
    if suffix not in SUFFIXES:
        others = ", ".join(f"*{kind}" for kind in FOREIGN)
        raise FileError(f"'{path}' must be named {KNOWN}. Read as well: {others}. Convert or rename it.")
    return SUFFIXES[suffix]


def check_writable(path: str | os.PathLike[str]) -> Format:
    """Return the format that a new file is written in; one that is only read is refused.

    Examples
    --------
    >>> check_writable("z.xlsx")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.FileError: .xlsx files are read, not written. Name 'z.csv' instead.
    """
    kind = table_format(path)
    if kind == "foreign":
        suffix = table_suffix(path)
        better = Path(path).with_suffix(written_suffix(path)).name
        raise FileError(f"{suffix} files are read, not written. Name '{better}' instead.")
    return kind


def written_suffix(path: str | os.PathLike[str]) -> str:
    """Return the ending under which a release of a file is written: its own, where that format is written.

    Examples
    --------
    >>> written_suffix("a.tsv.gz"), written_suffix("a.sav"), written_suffix("a.xlsx")
    ('.tsv.gz', '.parquet', '.csv')
    """
    suffix = table_suffix(path)
    return _WRITTEN.get(suffix, ".parquet") if suffix in FOREIGN else suffix


def has_parts(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file may hold several arrays or sheets, of which one is named.

    Examples
    --------
    >>> has_parts("a.npz"), has_parts("a.csv")
    (True, False)
    """
    return table_suffix(path) in _OF_SEVERAL_PARTS


def is_whole(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file can only be read whole.

    Examples
    --------
    >>> is_whole("a.xlsx"), is_whole("a.parquet")
    (True, False)
    """
    return SUFFIXES.get(table_suffix(path)) in ("npz", "foreign")


def source_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that make up the table at `path`: itself, or the Parquet parts of a folder in order of name.

    Folders below it that are named like year=2024 hold parts too.

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
        raise unreadable(path, FileNotFoundError())
    if not source.is_dir():
        table_format(source)
        return [source]
    visible = sorted(_visible(source))
    strangers = [item for item in visible if item.is_dir() or item.suffix.lower() not in (".parquet", ".pq")]
    if any(item.suffix.lower() in IMAGE_SUFFIXES for item in visible):
        raise FileError(
            f"'{path}' is a folder of images. Name its labels (--labels FILE), where images can be used, "
            "or store them as an array in an .npz file."
        )
    if strangers:
        raise FileError(
            f"'{path}' must hold Parquet parts (*.parquet) alone (got '{strangers[0].name}'). "
            "Move other files away; name folders of partitions like year=2024."
        )
    if not visible:
        raise FileError(f"'{path}' holds no Parquet parts (*.parquet).")
    for item in visible:
        check_regular(item)
    return visible


def _visible(folder: Path) -> Iterator[Path]:
    for item in folder.iterdir():
        if item.is_dir() and "=" in item.name:
            yield from _visible(item)
        elif not item.name.startswith((".", "_")):
            yield item


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
    withhold.contracts.errors.DataError: 'a.csv' has 2 columns named 'age'. Rename or remove all but one.
    """
    if not names:
        raise DataError(f"'{path}' has no columns.")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise DataError(f"'{path}' has {count} columns named '{name}'. Rename or remove all but one.")


def damaged(path: str | os.PathLike[str], kind: str) -> DataError:
    """Return the error for a file that is not, or no longer, what its name says."""
    return DataError(
        f"'{path}' is not a readable {kind} file: it is damaged, cut short or of another kind. Copy or export it again."
    )


def unreadable(path: str | os.PathLike[str], error: OSError) -> FileError:
    """Return the error for a file that is not there or cannot be opened.

    Examples
    --------
    >>> print(unreadable("nofile.csv", FileNotFoundError()))
    File not found: 'nofile.csv'.
    """
    if isinstance(error, FileNotFoundError):
        return absent(Path(path))
    return FileError(f"Cannot read '{path}': {error.strerror}.")
