"""The memory of one process: rows that a flow was trained on, and what each record has cost; nothing is saved."""

import hashlib
import os
import threading
import warnings
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from withhold.contracts.checks import check_rows
from withhold.contracts.errors import DataError, FittedRecordsWarning
from withhold.contracts.wording import advice
from withhold.privacy.composition import PrivacyLoss, refuse_beyond
from withhold.privacy.ledger import check_naming
from withhold.privacy.record_names import Naming, name_bytes

CHANCE = 1e-6
"""Coincidences that are less likely are no coincidences."""


class FittedRows:
    """Digests of the rows of a fit, under a secret of this process; a pickle or a deep copy holds none of them.

    Parameters
    ----------
    rows : ndarray of uint8, shape (n, m), optional
        Canonical bytes of the records; without them nothing is known and nothing is said.

    Examples
    --------
    >>> rows = np.arange(200, dtype=np.uint8).reshape(100, 2)
    >>> fitted = FittedRows(rows)
    >>> fitted.among(rows[:3]), fitted.among(rows[:3] + 1), FittedRows().among(rows)
    (3, 0, 0)
    """

    def __init__(self, rows: NDArray[np.uint8] | None = None) -> None:
        self._secret = os.urandom(32)
        self.n = 0 if rows is None else len(rows)
        self._known = np.sort(np.empty(0, np.uint64) if rows is None else self._digests(rows))
        _, counts = np.unique(self._known, return_counts=True)
        self.repeated = float(1 - (counts == 1).sum() / max(1, self.n))
        """Share of rows with a copy among the others: how likely a new record has the values of one (Good, 1953)."""

    def among(self, rows: NDArray[np.uint8]) -> int:
        """Return how many of some records are, value for value, rows of the fit."""
        return int(np.isin(self._digests(rows), self._known).sum()) if self.n else 0

    def check(self, rows: NDArray[np.uint8], method: str) -> None:
        """Refuse records that the flow was trained on where its rows are declared not to be released.

        Raises
        ------
        DataError
            More of them have the values of a row of the fit than other records would by chance; never for one alone.

        Warns
        -----
        FittedRecordsWarning
            Some do, which might be chance. Of one alone nothing is said: the message would tell that record's values.
        """
        found, n = self.among(rows), len(rows)
        if found < 2:
            return
        expected = self.repeated * n
        # At least the chance that is compatible with no repetition among n rows.
        if binom.sf(found - 1, n, max(self.repeated, 3 / self.n)) < CHANCE:
            raise DataError(
                f"{found:,} of {n:,} records to release have the values of rows that trained the flow, which {method} "
                "does not protect with flow_training='public'. Release others, or fit with flow_training='same-data', "
                "which promises nothing for them."
            )
        if found > expected:
            warnings.warn(
                f"{found:,} of {n:,} records to release have the values of rows that trained the flow ({expected:.2g} "
                "expected by chance). If they are the same records, nothing protects them.",
                FittedRecordsWarning,
                stacklevel=4,
            )

    def _digests(self, rows: NDArray[np.uint8]) -> NDArray[np.uint64]:
        digests = b"".join(blake2b(row.tobytes(), key=self._secret, digest_size=8).digest() for row in rows)
        return np.frombuffer(digests, np.uint64)

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        return type(self), ()

    def __deepcopy__(self, memo: Any) -> Self:
        return type(self)()


ZERO = PrivacyLoss(Fraction(0))


class ReleaseCount:
    """Counts releases by what identifies a record, and refuses one that would exceed a total.

    Parameters
    ----------
    total : PrivacyLoss, optional
        What no record may exceed.
    unknown_before : bool
        Whether there may have been releases that this count does not know: those before a sanitiser was loaded.

    Notes
    -----
    Threads and copies within a process share one count. Another process has a copy of its own, whether it was forked
    or was sent a pickle, and the total of several copies limits nothing: with a total, a copy refuses to release. A
    `ReleaseLedger` is shared by processes.

    Examples
    --------
    >>> count = ReleaseCount(PrivacyLoss(Fraction(4)))
    >>> count.charge(["anna", "bert"], PrivacyLoss(Fraction(3)))
    >>> count.spent("anna").epsilon, count.spent("carl").epsilon
    (Fraction(3, 1), Fraction(0, 1))
    >>> count.charge(["bert"], PrivacyLoss(Fraction(2)))
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.BudgetExceededError: 1 of 1 record would reach epsilon 5 with this release; ...
    """

    def __init__(self, total: PrivacyLoss | None = None, unknown_before: bool = False) -> None:
        self.total, self.unknown_before = total, unknown_before
        self._secret = os.urandom(32)
        self._book = _Book()

    @property
    def releases(self) -> int:
        """How many releases were entered."""
        return self._book.releases

    def under(self, total: PrivacyLoss | None) -> Self:
        """Return the same count, which goes on being one, with another total."""
        other = type(self).__new__(type(self))
        other.__dict__ = {**self.__dict__, "total": total}  # the book is shared, whoever enters in it
        return other

    def charge(
        self, identifiers: Iterable[Any], loss: PrivacyLoss, note: str = "", named: Naming = "identifier"
    ) -> None:
        """Enter a release of records, each as often as it occurs, or nothing at all.

        Raises
        ------
        BudgetExceededError
            Some record would exceed the total.
        DataError
            Records were named in the other way before, so that each would start from zero; or there is a total, and
            releases are not known that another process may have made.
        """
        book = self._book
        if self.total is not None and (self.unknown_before or book.elsewhere):
            where = "once a sanitiser was loaded" if self.unknown_before else "after the process was forked"
            raise DataError(
                f"The total of these releases cannot be kept {where}: a count in memory does not know the releases of "
                "other processes. "
                + advice(
                    "Call charge_to(ReleaseLedger(path, key)).",
                    "Keep ledger.sqlite and ledger.key beside the sanitiser.",
                )
            )
        counts = Counter(self._name(identifier, named) for identifier in identifiers)
        with book.lock:  # nobody enters between the check and the entry
            check_naming(book.naming, named)
            before = {name: book.spent.get(name, ZERO) for name in counts}
            refuse_beyond(Counter((before[name], count) for name, count in counts.items()), loss, self.total)
            book.spent |= {name: before[name] + loss * count for name, count in counts.items()}
            book.naming = named
            book.releases += 1

    def spent(self, identifier: Any) -> PrivacyLoss:
        """Return what one record has cost so far."""
        return self._book.spent.get(self._name(identifier, self._book.naming or "identifier"), ZERO)

    def _name(self, identifier: Any, named: Naming) -> bytes:
        return hashlib.blake2b(name_bytes(identifier, named), key=self._secret, digest_size=16).digest()

    def __deepcopy__(self, memo: Any) -> Self:
        return self.under(self.total)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = {**state, "unknown_before": True}  # a pickle may be read by many


class _Book:
    """What was entered, by all who share a count."""

    def __init__(self) -> None:
        self.spent: dict[bytes, PrivacyLoss] = {}
        self.naming: Naming | None = None
        self.releases = 0
        self._process = os.getpid()
        self._locks: dict[int, threading.Lock] = {}

    @property
    def elsewhere(self) -> bool:
        """Whether this process was forked from the one that began to count."""
        return os.getpid() != self._process

    @property
    def lock(self) -> threading.Lock:
        """Of this process: one that another thread held at a fork would never be released."""
        return self._locks.setdefault(os.getpid(), threading.Lock())

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_locks": {}}


def names_of(rows: np.ndarray, identifiers: Any) -> list[Any]:
    """Return what records are counted under: their identifiers, or else their own bytes.

    Examples
    --------
    >>> names_of(np.array([[65, 66]], np.uint8), None)
    [b'AB']
    """
    names = [row.tobytes() for row in rows] if identifiers is None else list(identifiers)
    check_rows("identifiers", len(names), len(rows), "the release")
    return names
