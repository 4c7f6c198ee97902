"""Paths that can be read to an end, several times, and be named in messages."""

import os
import stat
from pathlib import Path

from withhold.contracts.errors import FileError
from withhold.contracts.printable import printable


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
