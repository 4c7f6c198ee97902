"""Outputs that are there whole or not at all, and one writer at a time."""

import errno
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from withhold.contracts.errors import FileError
from withhold.io.table_format import check_regular


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


# How a file begins that no output replaces: SQLite's header (https://www.sqlite.org/fileformat.html), and our keys.
_KEPT = {
    b"SQLite format 3\0": "a database, such as a ledger of releases",
    b"withhold noise key ": "the secret key of a release",
    b"withhold ledger key ": "the secret key of a ledger",
}
# What SQLite keeps beside a database: a foreign file of that name would be taken for changes to undo or to add.
_BESIDE = ("-journal", "-wal", "-shm")


def refuse_irreplaceable(path: str | os.PathLike[str]) -> None:
    """Refuse to write over a ledger or a key, whose loss nothing makes good, or beside a ledger under SQLite's names.

    Raises
    ------
    FileError
        For these, whatever may be overwritten elsewhere.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "key"
    >>> _ = path.write_text("withhold noise key 1")
    >>> refuse_irreplaceable(path)
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.FileError: '...key' is the secret key of a release, which no output may replace. Name ...
    """
    place = Path(os.path.realpath(path))
    if (what := _kept(place)) is not None:
        raise FileError(f"'{place}' is {what}, which no output may replace. Name another file.")
    for end in _BESIDE:
        if place.name.endswith(end) and _kept(owner := place.with_name(place.name.removesuffix(end))) is not None:
            raise FileError(f"'{place}' belongs to the database '{owner.name}'. Name another file.")


def not_a_folder(path: Path) -> str | None:
    """Say what lies where a folder of ours belongs, None where that or nothing does: a link would lead elsewhere.

    Examples
    --------
    >>> not_a_folder(Path(__file__)), not_a_folder(Path(__file__).parent)
    ('a file', None)
    """
    if path.is_symlink():
        return "a symbolic link"
    return "a file" if path.exists() and not path.is_dir() else None


def _kept(place: Path) -> str | None:
    if not place.is_file():
        return None
    try:
        with place.open("rb") as file:
            begin = file.read(max(map(len, _KEPT)))
    except OSError:
        return None
    return next((what for form, what in _KEPT.items() if begin.startswith(form)), None)


TEMPORARY_PREFIX = ".withhold-tmp-"
# Beside a temporary name, and whatever a library makes of it, while somebody writes there.
_LOCK, _TOKEN_BYTES, _ABANDONED_SECONDS = ".lock", 8, 60

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
    refuse_irreplaceable(target)
    if target.is_dir():
        raise _unwritable(target, "there is a directory of that name", "Choose another name.")
    try:
        if mode is None and target.exists():
            mode = target.stat().st_mode & 0o777  # a release someone made private stays private when made again
    except OSError as error:
        raise write_error(target, error) from error
    with temporary_beside(target) as temporary:
        try:
            writable = 0o666 if mode is None else mode & 0o666 | 0o600
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, writable))
        except OSError as error:
            raise write_error(target, error) from error
        try:
            yield temporary
            flush_to_disk(temporary)
            if mode is not None:
                os.chmod(temporary, mode)  # exactly this, whatever the umask
            os.replace(temporary, target)
            flush_folder(target.parent)
        except OSError as error:
            if error.errno in DISK_FULL and not isinstance(error, FileError):
                raise write_error(target, error) from error
            raise


@contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """Yield an unused name in the folder of `target`; what still has that name at the end is removed.

    What killed commands left there under such names is removed first.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with temporary_beside(folder / "a.txt") as temporary:
    ...     _ = temporary.write_text("half")
    >>> list(folder.iterdir())
    []
    """
    if not target.parent.is_dir():  # taking the lock would make it
        raise write_error(target, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
    sweep(target.parent)
    temporary = target.parent / f"{TEMPORARY_PREFIX}{secrets.token_hex(_TOKEN_BYTES)}{target.suffix}"
    lock = _lock_of(temporary)
    try:
        # Nobody else knows the name: a lock that cannot be had means that the folder takes no files.
        with held(lock, str(write_error(target, PermissionError(errno.EACCES, os.strerror(errno.EACCES))))):
            try:
                yield temporary
            finally:
                _remove(temporary)
    except OSError as error:
        if error.filename is not None and Path(os.fsdecode(error.filename)) == lock:
            raise write_error(target, error) from error
        raise
    finally:
        with suppress(OSError):
            lock.unlink()


def sweep(folder: Path) -> None:
    """Remove what killed commands left in a folder under temporary names; what a living one writes stays.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / ".withhold-tmp-0123.csv").touch()
    >>> sweep(folder)
    >>> list(folder.iterdir())
    []
    """
    with suppress(OSError):
        for left in folder.glob(f"{TEMPORARY_PREFIX}*"):
            if left.suffix == _LOCK:
                _remove_abandoned(left)
                continue
            # Its lock was taken before it was made, so that a free lock means that nobody writes to it.
            with suppress(OSError), held(_lock_of(left), f"{left} is in use."):
                _remove(left)
                _lock_of(left).unlink(missing_ok=True)


def _remove_abandoned(lock: Path) -> None:
    """Remove the lock of a command that was killed before it made its file, or after it had put it in place."""
    with suppress(OSError):
        # A lock that is being taken right now looks the same until it is held.
        old = time.time() - lock.stat().st_mtime > _ABANDONED_SECONDS
        if old and not any(one != lock for one in lock.parent.glob(f"{lock.stem}*")):
            with held(lock, f"{lock} is in use."):
                remove_lock(lock)


def _lock_of(temporary: Path) -> Path:
    return temporary.with_name(temporary.name[: len(TEMPORARY_PREFIX) + 2 * _TOKEN_BYTES] + _LOCK)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


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
    Cannot write 'out.csv': No space left on device. Earlier files are intact. Free some space, or use another disk.
    """
    if isinstance(error, FileError):  # it says so already
        return error
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in DISK_FULL:
        return _unwritable(target, reason, "Free some space, or use another disk.")
    if error.errno == errno.ENOENT:
        return _unwritable(target, f"there is no folder '{target.parent}'", "Create the folder first.")
    return _unwritable(target, reason, "Check the permissions, or write to another folder.")


def _unwritable(target: Path, got: str, remedy: str) -> FileError:
    return FileError(f"Cannot write '{target}': {got}. Earlier files are intact. {remedy}")
