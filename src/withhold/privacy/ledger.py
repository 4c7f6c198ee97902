"""A ledger of releases: what each record has cost so far, and a total that is not exceeded.

One SQLite file, kept beside the artifact in the private folder. A record's row is named by an HMAC of its identifier
under the release's secret, so that the file alone names nobody. Costs are exact fractions. A charge is entered whole or
not at all, for all records of a release or for none, and **before** the release is written: a release that fails
afterwards has been paid for, one that came out unpaid cannot be.

What was changed in the file without the secret is found (`ledger_file`), and stops every release. The ledger is
advisory all the same. It adds up what goes through it and cannot forbid anything else: whoever copies the artifact
without it, deletes it, or puts an earlier state of the whole file back, starts from there. So never copy or replace it
while it is in use; SQLite's own backup (``sqlite3 ledger.sqlite ".backup copy.sqlite"``) is safe at any time.
"""

import hmac
import os
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.wording import advice
from withhold.privacy.composition import PrivacyLoss, refuse_beyond
from withhold.privacy.ledger_file import FORMAT, Book, connected, create, record_page
from withhold.privacy.noise_key import NoiseKey
from withhold.privacy.record_names import Naming, name_bytes

ADVISORY = (
    "The ledger adds up the releases that go through it and forbids no others: "
    "a copy of the sanitiser without the ledger starts from zero."
)
"""To be printed wherever a total is."""

_NEW = ("0", "0", 0)  # epsilon, delta and releases of a record that has no row


class LedgerKey(NoiseKey):
    """The secret that names records in a ledger and seals what is entered; no noise hangs on it.

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
    withhold.contracts.errors.BudgetExceededError: 1 of 1 record would reach epsilon 5 with this release; ...
    """

    def __init__(self, path: str | os.PathLike[str], key: NoiseKey, total: PrivacyLoss | None = None) -> None:
        self.path = Path(path)
        self._fingerprint = key.fingerprint
        self._secret = hmac.digest(key.reveal(), FORMAT.encode(), "sha256")
        self._sealing = hmac.digest(key.reveal(), f"{FORMAT} seals".encode(), "sha256")
        if not self.path.exists():
            asked = None if total is None else (str(total.epsilon), str(total.delta))
            create(self.path, self._fingerprint, self._sealing, asked)
        with self._opened() as book:
            self.total = None if book.total is None else _loss(*book.total)
        if os.name == "posix" and self.path.stat().st_mode & 0o077:
            warnings.warn(f"The ledger '{path}' can be read by other users; run chmod 600 on it.", stacklevel=2)
        if total is not None and total != self.total:
            raise InvalidParameterError(
                f"'{self.path}' was made with {_words(self.total)}, which cannot change (got {_words(total)}). "
                "Leave the total out, or decide anew what each record may cost and start a new ledger."
            )

    def charge(
        self, identifiers: Iterable[Any], loss: PrivacyLoss, note: str = "", named: Naming = "identifier"
    ) -> None:
        """Enter a release of records, each as often as it occurs.

        Parameters
        ----------
        identifiers : iterable
            One for each released row: text, whole numbers or bytes. The same person has the same one in every release,
            in any of the forms that `record_names` takes for one.
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
        FileError
            The file was changed from outside, is damaged or cannot be written. Nothing is entered.
        """
        pages: dict[int, Counter[bytes]] = defaultdict(Counter)
        for identifier in identifiers:
            name = self._name(identifier, named)
            pages[record_page(name)][name] += 1
        with self._opened(write=True) as book:  # no other process reads or writes between the check and the entry
            check_naming(book.naming, named)
            book.naming = named
            # Most records have the same history: fractions are added once for each that occurs.
            histories = {}
            for page, counts in pages.items():
                before = {name: kept for name, *kept in book.rows("records", page) if name in counts}
                histories[page] = {name: (*before.get(name, _NEW), count) for name, count in counts.items()}
            kinds = Counter(kind for page in histories.values() for kind in page.values())
            spent = {kind: _loss(*kind[:2]) for kind in kinds}
            alike: Counter[tuple[PrivacyLoss, int]] = Counter()
            for kind, records in kinds.items():
                alike[spent[kind], kind[3]] += records
            refuse_beyond(alike, loss, None if book.total is None else _loss(*book.total))
            after = {kind: cost + loss * kind[3] for kind, cost in spent.items()}
            rows = {kind: (str(cost.epsilon), str(cost.delta), kind[2] + kind[3]) for kind, cost in after.items()}
            for page, of_page in histories.items():
                book.write("records", page, [(name, *rows[kind]) for name, kind in of_page.items()])
            written = datetime.now(UTC).isoformat(timespec="seconds")
            charged = sum(counts.total() for counts in pages.values())
            book.append((written, charged, str(loss.epsilon), str(loss.delta), note))

    def spent(self, identifier: Any) -> PrivacyLoss:
        """Return what one record has cost so far."""
        with self._opened() as book:
            name = self._name(identifier, book.naming or "identifier")
            rows = {row[0]: row[1:] for row in book.rows("records", record_page(name))}
            return _loss(*rows.get(name, _NEW)[:2])

    def largest(self) -> PrivacyLoss:
        """Return the largest epsilon and the largest delta that any record has cost."""
        with self._opened() as book:
            spent = [_loss(*costs) for costs in {_NEW[:2], *(row[1:3] for row in book.all_records())}]
        return PrivacyLoss(max(loss.epsilon for loss in spent), max(loss.delta for loss in spent))

    @property
    def releases(self) -> int:
        """How many releases were entered."""
        with self._opened() as book:
            return book.releases

    def _name(self, identifier: Any, named: Naming) -> bytes:
        return hmac.digest(self._secret, name_bytes(identifier, named), "sha256")[:16]

    @contextmanager
    def _opened(self, write: bool = False) -> Iterator[Book]:
        """Yield the content; what was written to it is kept if the block ends without an exception."""
        with connected(self.path) as connection:
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            book = Book(connection, self.path, self._fingerprint, self._sealing)
            yield book
            if write:
                book.close()


def check_naming(before: str | None, now: Naming) -> None:
    """Refuse records that are named otherwise than in the releases before.

    Examples
    --------
    >>> check_naming(None, "content")
    >>> check_naming("identifier", "content")
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.DataError: Earlier releases named records by an identifier, this one by their content...
    """
    if before in (None, now):
        return
    words = {"identifier": "by an identifier", "content": "by their content"}
    remedy = {
        "identifier": f"Name the same column with {advice('identifiers=', '--key COL')}.",
        "content": "Leave the identifiers out.",
    }
    raise DataError(
        f"Earlier releases named records {words[str(before)]}, this one {words[now]}, so every record would start from "
        f"zero. {remedy[str(before)]}"
    )


def _loss(epsilon: str, delta: str) -> PrivacyLoss:
    return PrivacyLoss(Fraction(epsilon), Fraction(delta))


def _words(loss: PrivacyLoss | None) -> str:
    if loss is None:
        return "no total"
    return f"epsilon {float(loss.epsilon):g}" + (f", delta {float(loss.delta):g}" if loss.delta else "")
