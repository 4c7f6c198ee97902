"""A ledger of releases: what each record has cost so far, and a total that is not exceeded.

One SQLite file, kept beside the artifact in the private folder. A record's row is named by an HMAC of its identifier
under the release's secret, so that the file alone names nobody. Costs are exact fractions. A charge is entered whole or
not at all, for all records of a release or for none, and **before** the release is written: a release that fails
afterwards has been paid for, one that came out unpaid cannot be.

The ledger is advisory. It adds up what goes through it and cannot forbid anything else: whoever copies the artifact
without it, or deletes it, starts from zero.
"""

import hashlib
import hmac
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from withhold.contracts.errors import DataError, FileError, InvalidParameterError, sentence
from withhold.io.atomic import write_error
from withhold.privacy.composition import PrivacyLoss, refuse_beyond
from withhold.privacy.noise_key import NoiseKey

ADVISORY = (
    "The ledger adds up the releases that go through it and forbids no others: "
    "a copy of the sanitiser without the ledger starts from zero."
)
"""To be printed wherever a total is."""

Naming = Literal["identifier", "content"]
"""What names a record: an identifier that its owner gives, or its own bytes."""

_FORMAT = "withhold release ledger 1"
_WAIT_SECONDS = 30.0
_NEW = ("0", "0", 0)  # epsilon, delta and releases of a record that has no row
_TABLES = (
    "CREATE TABLE about (format TEXT, key TEXT, epsilon TEXT, delta TEXT)",
    "CREATE TABLE releases (number INTEGER PRIMARY KEY, at TEXT, rows INTEGER, epsilon TEXT, delta TEXT, note TEXT)",
    "CREATE TABLE records (name BLOB PRIMARY KEY, epsilon TEXT, delta TEXT, releases INTEGER) WITHOUT ROWID",
)


class LedgerKey(NoiseKey):
    """The secret that names records in a ledger; no noise hangs on it.

    Who has it and the ledger can look up what a record that he knows has cost, and so that it was released.

    Examples
    --------
    >>> LedgerKey.from_seed(0)
    LedgerKey(secret hidden, shareable=False)
    """

    __slots__ = ()
    first_line = "withhold ledger key 1 - keep it secret: with it and the ledger a known record can be looked up"
    why = "With another key every record would start from zero."
    remedy = "Pass the key file that was written with the ledger."


class ReleaseLedger:
    """What every record has cost.

    Parameters
    ----------
    path : path
        The file; made, readable by its owner only, if there is none.
    key : LedgerKey
        Names the records; a ledger made with another key is refused, as every record would start from zero.
    total : PrivacyLoss, optional
        What no record may exceed. It is set when the file is made and cannot be changed afterwards.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "ledger.sqlite"
    >>> ledger = ReleaseLedger(path, LedgerKey.from_seed(0), total=PrivacyLoss(Fraction(4)))
    >>> ledger.charge(["anna", "bert"], PrivacyLoss(Fraction(3)))
    >>> ledger.spent("anna").epsilon, ledger.spent("carl").epsilon
    (Fraction(3, 1), Fraction(0, 1))
    >>> ledger.charge(["bert"], PrivacyLoss(Fraction(2)))
    Traceback (most recent call last):
    withhold.contracts.errors.BudgetExceededError: The epsilon of every record, this release included, must be...
    """

    def __init__(self, path: str | os.PathLike[str], key: NoiseKey, total: PrivacyLoss | None = None) -> None:
        self.path = Path(path)
        self._key = key
        self._secret = hmac.new(key.reveal(), _FORMAT.encode(), hashlib.sha256).digest()
        if not self.path.exists():
            self._create(total)
        with self._connected() as connection:
            kept, owner, epsilon, delta = connection.execute("SELECT * FROM about").fetchone() or [None] * 4
        self.total = None if epsilon is None else PrivacyLoss(Fraction(epsilon), Fraction(delta))
        if kept != _FORMAT:
            raise _unusable(self.path, f"one of format '{kept}'")
        if owner != key.fingerprint:
            raise _unusable(self.path, "one made with another key")
        if total is not None and total != self.total:
            why = "A total that could be raised at every release would limit nothing."
            remedy = "Leave it out; for another total, decide anew what each record may cost and start a new ledger."
            raise InvalidParameterError(
                sentence(f"The total of '{self.path}'", _words(self.total), _words(total), why, remedy)
            )

    def charge(
        self, identifiers: Iterable[Any], loss: PrivacyLoss, note: str = "", named: Naming = "identifier"
    ) -> None:
        """Enter a release of records, each as often as it occurs.

        Parameters
        ----------
        identifiers : iterable
            One for each released row: text, whole numbers or bytes. The same person has the same one in every release.
        loss : PrivacyLoss
            What the release of one row costs.
        note : str
            What was released; no personal data.
        named : {"identifier", "content"}
            What the names are; all releases of a ledger name records in one way.

        Raises
        ------
        BudgetExceededError
            Some record would exceed the total. Nothing is entered then, and nothing must be released.
        DataError
            Records were named in the other way before: each would start from zero.
        """
        counts = Counter(self._name(identifier) for identifier in identifiers)
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")  # no other process reads or writes between the check and the entry
            connection.execute("CREATE TABLE IF NOT EXISTS naming (how TEXT)")
            known = connection.execute("SELECT how FROM naming").fetchone()
            check_naming(None if known is None else known[0], named)
            if known is None:
                connection.execute("INSERT INTO naming VALUES (?)", (named,))
            before = self._rows(connection, list(counts))
            # Most records have the same history: fractions are added once for each that occurs.
            histories = {name: (*before.get(name, _NEW), count) for name, count in counts.items()}
            spent = {kind: _loss(*kind[:2]) for kind in set(histories.values())}
            refuse_beyond(Counter((spent[kind], kind[3]) for kind in histories.values()), loss, self.total)
            after = {kind: cost + loss * kind[3] for kind, cost in spent.items()}
            rows = {kind: (str(cost.epsilon), str(cost.delta), kind[2] + kind[3]) for kind, cost in after.items()}
            connection.executemany(
                "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)",
                ((name, *rows[kind]) for name, kind in histories.items()),
            )
            written = datetime.now(UTC).isoformat(timespec="seconds")
            row = (written, counts.total(), str(loss.epsilon), str(loss.delta), note)
            connection.execute("INSERT INTO releases VALUES (NULL, ?, ?, ?, ?, ?)", row)
            connection.execute("COMMIT")

    def spent(self, identifier: Any) -> PrivacyLoss:
        """Return what one record has cost so far."""
        name = self._name(identifier)
        with self._connected() as connection:
            return _loss(*self._rows(connection, [name]).get(name, _NEW)[:2])

    def largest(self) -> PrivacyLoss:
        """Return the largest epsilon and the largest delta that any record has cost."""
        return largest_spent(self.path)

    @property
    def releases(self) -> int:
        """How many releases were entered."""
        with self._connected() as connection:
            return int(connection.execute("SELECT COUNT(*) FROM releases").fetchone()[0])

    def _name(self, identifier: Any) -> bytes:
        return hmac.digest(self._secret, identifier_bytes(identifier), "sha256")[:16]

    def _rows(self, connection: sqlite3.Connection, names: list[bytes]) -> dict[bytes, tuple[str, str, int]]:
        connection.execute("CREATE TEMP TABLE asked (name BLOB PRIMARY KEY)")
        connection.executemany("INSERT INTO asked VALUES (?)", ((name,) for name in names))
        found = "SELECT name, epsilon, delta, releases FROM records JOIN asked USING (name)"
        rows = {name: (epsilon, delta, count) for name, epsilon, delta, count in connection.execute(found)}
        connection.execute("DROP TABLE asked")
        return rows

    def _create(self, total: PrivacyLoss | None) -> None:
        kept = (None, None) if total is None else (str(total.epsilon), str(total.delta))
        temporary = self.path.with_name(f".withhold-tmp-{os.urandom(8).hex()}")
        try:
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            try:
                with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
                    for table in _TABLES:
                        connection.execute(table)
                    connection.execute("INSERT INTO about VALUES (?, ?, ?, ?)", (_FORMAT, self._key.fingerprint, *kept))
                try:
                    os.link(temporary, self.path)  # unlike a rename, never replaces what another process made meanwhile
                except FileExistsError:
                    return
                except OSError:  # a file system without links
                    os.replace(temporary, self.path)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            raise write_error(self.path, error) from error
        except sqlite3.Error as error:
            raise _unusable(self.path, f"'{error}'") from error

    def _connected(self) -> AbstractContextManager[sqlite3.Connection]:
        return _connected(self.path)


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection; what was not committed is undone, also after a kill."""
    try:
        uri = f"{path.resolve().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_WAIT_SECONDS)) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA temp_store = MEMORY")  # the names asked for leave no file behind
            yield connection
    except sqlite3.Error as error:
        raise _unusable(path, f"'{error}'") from error


def largest_spent(path: Path) -> PrivacyLoss:
    """Return the largest epsilon and the largest delta that any record of a ledger has cost; no secret is needed."""
    with _connected(path) as connection:
        rows = connection.execute("SELECT DISTINCT epsilon, delta FROM records").fetchall()
    spent = [_loss(*row) for row in [_NEW[:2], *rows]]
    return PrivacyLoss(max(loss.epsilon for loss in spent), max(loss.delta for loss in spent))


def check_naming(before: str | None, now: Naming) -> None:
    """Refuse records that are named otherwise than in the releases before.

    Examples
    --------
    >>> check_naming(None, "content")
    >>> check_naming("identifier", "content")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.DataError: The records of a release must be named as in the releases before, by an...
    """
    if before in (None, now):
        return
    words = {"identifier": "by an identifier", "content": "by their content"}
    remedy = {
        "identifier": "Name the same column (identifiers=, on the command line --key COL).",
        "content": "Leave the identifiers out.",
    }
    raise DataError(
        sentence(
            "The records of a release",
            f"named as in the releases before, {words[str(before)]}",
            words[now],
            "Under another name every record would start from zero.",
            remedy[str(before)],
        )
    )


def _loss(epsilon: str, delta: str) -> PrivacyLoss:
    return PrivacyLoss(Fraction(epsilon), Fraction(delta))


def identifier_bytes(identifier: Any) -> bytes:
    """Return the canonical bytes of an identifier: a whole number is the same as its decimal text.

    Examples
    --------
    >>> identifier_bytes(7) == identifier_bytes(" 7 ") == identifier_bytes(7.0)
    True
    """
    if isinstance(identifier, np.generic):
        identifier = identifier.item()
    if isinstance(identifier, float) and identifier.is_integer():
        identifier = int(identifier)  # a column of whole numbers with gaps comes as floats
    if isinstance(identifier, bytes):
        return b"bytes " + identifier
    if isinstance(identifier, str | int) and not isinstance(identifier, bool) and str(identifier).strip():
        return b"text " + str(identifier).strip().encode()
    raise DataError(
        sentence(
            "The identifier of every record",
            "text, a whole number or bytes",
            repr(identifier)[:40] if not isinstance(identifier, str) else "an empty one",
            "Releases of one record can only be added up if it has the same name in all of them.",
            "Name a column without gaps.",
        )
    )


def _words(loss: PrivacyLoss | None) -> str:
    if loss is None:
        return "none, as when it was made"
    return f"epsilon {float(loss.epsilon):g}" + (f", delta {float(loss.delta):g}" if loss.delta else "")


def _unusable(path: Path, got: str) -> FileError:
    why = "What records have cost is known from it alone; without it they would start from zero."
    return FileError(
        sentence(f"The ledger '{path}'", "one that withhold wrote with this key", got, why, "Restore it from a copy.")
    )
