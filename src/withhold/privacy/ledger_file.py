"""The file of a ledger: one SQLite database whose content is sealed under the ledger's secret.

Rows stand on pages: records by the first byte of their name, releases by the thousand. A page has a seal, an HMAC over
all its rows, and `about` has one over itself and the seals of all pages. Whoever edits, adds or deletes a row from
outside breaks a seal, which the next charge of that page finds; so does whoever changes the total. The file is small
enough that a charge of few records reads few pages. What no seal can find is an **earlier state of the whole file** put
back in its place: it was valid once.
"""

import hmac
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Literal

from withhold.contracts.errors import FileError
from withhold.io.atomic import temporary_beside, write_error

FORMAT = "withhold release ledger 2"
Kind = Literal["records", "releases"]
Row = tuple[Any, ...]

_WAIT_SECONDS = 120.0
_PER_PAGE = 1000  # releases
_SEAL_BYTES = 16
_TABLES = (
    "CREATE TABLE about (format TEXT, key TEXT, epsilon TEXT, delta TEXT, seal BLOB)",
    "CREATE TABLE naming (how TEXT)",
    "CREATE TABLE pages (kind TEXT, number INTEGER, seal BLOB, PRIMARY KEY (kind, number)) WITHOUT ROWID",
    "CREATE TABLE records (name BLOB PRIMARY KEY, epsilon TEXT, delta TEXT, releases INTEGER) WITHOUT ROWID",
    "CREATE TABLE releases (number INTEGER PRIMARY KEY, at TEXT, rows INTEGER, epsilon TEXT, delta TEXT, note TEXT)",
)
_READ = {
    "records": "SELECT name, epsilon, delta, releases FROM records WHERE name >= ? AND name < ? ORDER BY name",
    "releases": "SELECT number, at, rows, epsilon, delta, note FROM releases "
    "WHERE number >= ? AND number < ? ORDER BY number",
}
_WRITE = {
    "records": "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)",
    "releases": "INSERT INTO releases VALUES (?, ?, ?, ?, ?, ?)",
}


class Book:
    """A ledger's content within one transaction; what is read of it has been checked.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction.
    path : Path
        Of the file, for messages.
    fingerprint : str
        Of the key.
    secret : bytes
        For the seals.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, fingerprint: str, secret: bytes) -> None:
        self._connection, self._path, self._secret = connection, path, secret
        _check_form(connection, path)
        about = connection.execute("SELECT format, key, epsilon, delta, seal, how FROM about, naming").fetchall()
        if len(about) != 1:
            raise changed(path)
        *self._fixed, seal, self.naming = about[0]
        if self._fixed[1] != fingerprint:
            raise FileError(
                f"The ledger '{path}' was made with another key, under which every record has another name. "
                "Pass the key file that was written with it."
            )
        found = connection.execute("SELECT kind, number, seal FROM pages").fetchall()
        self._pages = {(kind, number): page for kind, number, page in found}
        if not _equal(seal, self._whole()):
            raise changed(path)

    @property
    def total(self) -> tuple[str, str] | None:
        """Epsilon and delta that no record may exceed."""
        return None if self._fixed[2] is None else (self._fixed[2], self._fixed[3])

    @property
    def releases(self) -> int:
        """How many were entered."""
        last = max((number for kind, number in self._pages if kind == "releases"), default=0)
        return last * _PER_PAGE + len(self.rows("releases", last))

    def rows(self, kind: Kind, page: int) -> list[Row]:
        """Return the rows of a page in their order."""
        rows = self._connection.execute(_READ[kind], _bounds(kind, page)).fetchall()
        known = self._pages.get((kind, page))
        if (rows or known is not None) and not _equal(known, self._seal(kind, page, rows)):
            raise changed(self._path)
        return rows

    def all_records(self) -> Iterator[Row]:
        """Yield every record's row."""
        for page in range(256):
            yield from self.rows("records", page)

    def write(self, kind: Kind, page: int, rows: Sequence[Row]) -> None:
        """Put rows on a page; those of the same name are replaced."""
        whole = {row[0]: row for row in self.rows(kind, page)} | {row[0]: row for row in rows}
        self._connection.executemany(_WRITE[kind], rows)
        seal = self._seal(kind, page, [whole[name] for name in sorted(whole)])
        self._connection.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", (kind, page, seal))
        self._pages[kind, page] = seal

    def append(self, release: Row) -> None:
        """Write down a release."""
        number = self.releases + 1
        self.write("releases", (number - 1) // _PER_PAGE, [(number, *release)])

    def close(self) -> None:
        """Seal what was written, and keep it."""
        self._connection.execute("UPDATE naming SET how = ?", (self.naming,))
        self._connection.execute("UPDATE about SET seal = ?", (self._whole(),))
        self._connection.execute("COMMIT")

    def _whole(self) -> bytes:
        return _sealed(self._secret, ("about", *self._fixed, self.naming), sorted(self._pages.items(), key=repr))

    def _seal(self, kind: Kind, page: int, rows: Iterable[Row]) -> bytes:
        return _sealed(self._secret, (kind, page), rows)


def record_page(name: bytes) -> int:
    """Return the page that a record of this name stands on."""
    return name[0]


def create(path: Path, fingerprint: str, secret: bytes, total: tuple[str, str] | None) -> None:
    """Make an empty ledger, unless there is one by now; never replaces a file."""
    fixed = (FORMAT, fingerprint, *(total or (None, None)))
    try:
        with temporary_beside(path) as temporary:
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
                for table in _TABLES:
                    connection.execute(table)
                seal = _sealed(secret, ("about", *fixed, None), ())
                connection.execute("INSERT INTO about VALUES (?, ?, ?, ?, ?)", (*fixed, seal))
                connection.execute("INSERT INTO naming VALUES (NULL)")
            _put_if_none(temporary, path)
    except OSError as error:
        raise write_error(path, error) from error
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection; what was not committed is undone, also after a kill."""
    try:
        uri = f"{path.resolve().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_WAIT_SECONDS)) as connection:
            connection.text_factory = _decoded
            connection.execute("PRAGMA synchronous = FULL")
            yield connection
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


def changed(path: Path) -> FileError:
    """Return the refusal of a file that something else wrote in."""
    return FileError(
        f"The ledger '{path}' was changed from outside: its content is not what withhold wrote there, so that what "
        "records have cost is not known. Nothing was entered or released. Restore it from a backup."
    )


def _check_form(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse another file, another format, and tables, triggers or columns that are not the ledger's."""
    form = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    if [sql for (sql,) in form] == list(_TABLES):
        return
    try:
        kept = connection.execute("SELECT format FROM about").fetchone()
    except sqlite3.Error:
        raise FileError(
            f"The ledger '{path}' is empty or holds something else, and what records have cost is known from it alone. "
            "Restore it from a backup."
        ) from None
    if kept is not None and kept[0] == FORMAT:
        raise changed(path)
    raise FileError(
        f"The ledger '{path}' was written by an earlier version of withhold, in which one person could have several "
        "names, so that it cannot be continued. Keep it, and start a new one in another folder with a total that "
        "leaves room for what these records have cost."
    )


def _put_if_none(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)  # unlike a rename, never replaces what another process made meanwhile
    except FileExistsError:
        return
    except OSError:  # a file system without links; who opens it half-written is refused
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            return
        with os.fdopen(handle, "wb") as out:
            out.write(temporary.read_bytes())
            out.flush()
            os.fsync(out.fileno())


def _bounds(kind: Kind, page: int) -> tuple[Any, Any]:
    if kind == "releases":
        return page * _PER_PAGE + 1, (page + 1) * _PER_PAGE + 1
    return bytes([page]), bytes([page + 1]) if page < 255 else b"\xff" * 64


def _sealed(secret: bytes, head: Row, rows: Iterable[Row]) -> bytes:
    # The representation of text, numbers and bytes tells their types and ends, so that no two contents are alike.
    content = "\n".join(map(repr, (head, *rows))).encode()
    return hmac.digest(secret, content, "sha256")[:_SEAL_BYTES]


def _equal(seal: Any, expected: bytes) -> bool:
    return isinstance(seal, bytes) and hmac.compare_digest(seal, expected)


def _decoded(text: bytes) -> str:
    return text.decode(errors="surrogateescape")  # what is no text breaks a seal, not the reading


def _unusable(path: Path, error: sqlite3.Error) -> FileError:
    reason, undone = str(error), "Nothing was entered or released."
    if "locked" in reason:
        return FileError(f"The ledger '{path}' was kept busy by others for {_WAIT_SECONDS:g} s. {undone} Try again.")
    if isinstance(error, sqlite3.OperationalError):
        return FileError(f"The ledger '{path}' cannot be read and written: {reason}. {undone} Check folder and disk.")
    return FileError(f"The ledger '{path}' is damaged: {reason}. {undone} Restore it from a backup.")
