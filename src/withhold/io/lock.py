"""One command at a time, on Linux, macOS and Windows: the system frees a lock when its holder ends, however it ends."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from withhold.contracts.errors import FileError


@contextmanager
def held(path: Path, busy: str) -> Iterator[None]:
    """Hold the lock of a file while the block runs; never wait for it.

    Parameters
    ----------
    path : Path
        An empty file that is made for it and stays: two commands that remove it under each other would both hold it.
    busy : str
        What to say when another command holds it.

    Raises
    ------
    FileError
        Another command, or another thread of this one, holds it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lock"
    >>> with held(path, "busy"):
    ...     with held(path, "Another command is at work."):
    ...         pass
    Traceback (most recent call last):
    withhold.contracts.errors.FileError: Another command is at work.
    """
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise FileError(busy) from error
    try:
        yield
    finally:
        lock.release()


def remove_lock(path: Path) -> None:
    """Remove the file of a lock that this process holds, where the system allows that (Windows does not)."""
    with suppress(OSError):
        path.unlink()
