"""Outputs that are there whole or not at all: temporary name in the same folder, flush to disk, rename.

After a kill or a power cut the earlier file is intact; at most a file whose name starts with `TEMPORARY_PREFIX` stays
behind, which can be deleted.
"""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from withhold.contracts.errors import FileError, sentence
from withhold.io.regular import check_regular

TEMPORARY_PREFIX = ".withhold-tmp-"

# What the operating system says when there is no more room: full disk, quota, size limit of the process.
DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def atomic_path(path: str | os.PathLike[str], mode: int | None = None) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` when the block ends without an exception.

    Parameters
    ----------
    path : path
        The file to create or replace. A symbolic link is followed: the file it points at is replaced.
    mode : int, optional
        Permissions of the new file; by default those of the file that is replaced, or the user's usual ones.

    Yields
    ------
    pathlib.Path
        An existing, empty file in the same folder, with the same suffix.

    Raises
    ------
    FileError
        The folder is missing or not writable, or the disk is full. `path` is then as it was before.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "answer.txt"
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("42")
    >>> target.read_text()
    '42'
    """
    target = Path(os.path.realpath(path))
    check_regular(target)
    if target.is_dir():
        raise _unwritable(target, "a directory of that name", "Choose another name for the output.")
    try:
        if mode is None and target.exists():
            mode = target.stat().st_mode & 0o777  # a release someone made private stays private when made again
        temporary = _create_beside(target, mode)
    except OSError as error:
        raise write_error(target, error) from error
    try:
        yield temporary
        flush_to_disk(temporary)
        if mode is not None:
            os.chmod(temporary, mode)  # exactly this, whatever the umask
        os.replace(temporary, target)
        flush_folder(target.parent)
    except BaseException as error:
        with suppress(FileNotFoundError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno in DISK_FULL and not isinstance(error, FileError):
            raise write_error(target, error) from error
        raise


def write_bytes(path: str | os.PathLike[str], data: bytes, mode: int | None = None) -> None:
    """Write `data` to `path`, whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.bin"
    >>> write_bytes(target, b"abc")
    >>> target.read_bytes()
    b'abc'
    """
    with atomic_path(path, mode) as temporary:
        temporary.write_bytes(data)


def write_text(path: str | os.PathLike[str], text: str, mode: int | None = None) -> None:
    """Write `text` to `path` as UTF-8 with Unix line ends, whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> write_text(target, "word")
    >>> target.read_text()
    'word'
    """
    write_bytes(path, text.encode(), mode)


def flush_to_disk(path: Path) -> None:
    """Make sure that what was written to `path` survives a power cut."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_folder(folder: Path) -> None:
    """Make sure that a rename or a new name in `folder` survives a power cut, where the system can."""
    with suppress(OSError):  # some systems cannot open or flush a folder; the rename itself is atomic there too
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_error(target: Path, error: OSError) -> FileError:
    """Say in the user's words why `target` could not be written.

    Examples
    --------
    >>> print(write_error(Path("out.csv"), OSError(errno.ENOSPC, "No space left on device")))
    The output file 'out.csv' must be on a disk with room for it. Got 'No space left on device'. ...
    """
    reason = error.strerror or str(error)
    if error.errno in DISK_FULL:
        message = sentence(
            f"The output file '{target}'",
            "on a disk with room for it",
            f"'{reason}'",
            "The disk, quota or size limit is full; nothing was changed and an earlier file of that name is intact.",
            "Free some space or write to another disk.",
        )
        return FileError(message)
    if error.errno == errno.ENOENT:
        return _unwritable(target, f"no folder '{target.parent}'", "Create the folder first.")
    return _unwritable(target, f"'{reason}'", "Check the permissions or write to another folder.")


def _unwritable(target: Path, got: str, remedy: str) -> FileError:
    why = "Nothing was written and earlier outputs are intact."
    return FileError(sentence(f"The output file '{target}'", "a file that can be written", got, why, remedy))


def _create_beside(target: Path, mode: int | None) -> Path:
    temporary = target.parent / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}{target.suffix}"
    writable = 0o666 if mode is None else mode & 0o666 | 0o600
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, writable))
    return temporary
