"""What a packed file may grow to when it is read: files that are made to fill memories are refused."""

import zipfile
from pathlib import Path

from withhold.contracts.errors import DataError
from withhold.io.table_format import damaged

# A packed file may grow to so many bytes, or to so many times its size: tables shrink to a tenth, and one value
# throughout to a thousandth (the limit of DEFLATE is 1,032), so that more than this is made to fill memories.
ALWAYS_BYTES, MOST_GROWTH = 1 << 30, 300


def check_growth(path: Path, unpacked: int) -> None:
    """Refuse a file that takes far more memory than its size suggests.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "small"
    >>> _ = path.write_bytes(bytes(1000))
    >>> check_growth(path, 10**6)
    >>> check_growth(path, 10**12)
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.DataError: '...small' grows to more than 300 times its size, as files made to fill a ...
    """
    if unpacked > max(ALWAYS_BYTES, MOST_GROWTH * path.stat().st_size):
        raise DataError(
            f"'{path}' grows to more than {MOST_GROWTH} times its size, as files made to fill a memory do. "
            "Export it again, or unpack it yourself if you trust it."
        )


def check_archive(path: Path) -> None:
    """Refuse a zip archive whose members take far more memory than its size suggests, by what it states of them.

    A member that unpacks to more than it states is damaged to whoever reads it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, EOFError, ValueError) as error:
        raise damaged(path, path.suffix) from error
    check_growth(path, unpacked)
