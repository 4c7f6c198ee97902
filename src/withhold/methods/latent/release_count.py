"""What each record has cost since a sanitiser was fitted or loaded: the ledger of one process, without a file."""

import copy
import hashlib
import os
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Self

import numpy as np

from withhold.contracts.errors import DataError, sentence
from withhold.privacy.composition import PrivacyLoss, refuse_beyond
from withhold.privacy.ledger import Naming, check_naming, identifier_bytes

ZERO = PrivacyLoss(Fraction(0))


class ReleaseCount:
    """Counts releases by what identifies a record, and refuses one that would exceed a total.

    Parameters
    ----------
    total : PrivacyLoss, optional
        What no record may exceed.
    unknown_before : bool
        Whether there may have been releases that this count does not know: those before a sanitiser was loaded.

    Examples
    --------
    >>> count = ReleaseCount(PrivacyLoss(Fraction(4)))
    >>> count.charge(["anna", "bert"], PrivacyLoss(Fraction(3)))
    >>> count.spent("anna").epsilon, count.spent("carl").epsilon
    (Fraction(3, 1), Fraction(0, 1))
    >>> count.charge(["bert"], PrivacyLoss(Fraction(2)))
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.BudgetExceededError: The epsilon of every record, this release included, must be...
    """

    def __init__(self, total: PrivacyLoss | None = None, unknown_before: bool = False) -> None:
        self.total, self.unknown_before = total, unknown_before
        self._secret = os.urandom(32)
        self._spent: dict[bytes, PrivacyLoss] = {}
        self._naming: set[Naming] = set()
        self.releases = 0

    def under(self, total: PrivacyLoss | None) -> Self:
        """Return the same count, which goes on being one, with another total."""
        other = copy.copy(self)  # what records have cost is in one dictionary, whoever adds to it
        other.total = total
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
            Records were named in the other way before: each would start from zero.
        """
        check_naming(next(iter(self._naming), None), named)
        counts = Counter(self._name(identifier) for identifier in identifiers)
        before = {name: self._spent.get(name, ZERO) for name in counts}
        refuse_beyond(Counter((before[name], count) for name, count in counts.items()), loss, self.total)
        self._spent |= {name: before[name] + loss * count for name, count in counts.items()}
        self._naming.add(named)
        self.releases += 1

    def spent(self, identifier: Any) -> PrivacyLoss:
        """Return what one record has cost so far."""
        return self._spent.get(self._name(identifier), ZERO)

    def _name(self, identifier: Any) -> bytes:
        return hashlib.blake2b(identifier_bytes(identifier), key=self._secret, digest_size=16).digest()


def names_of(rows: np.ndarray, identifiers: Any) -> list[Any]:
    """Return what records are counted under: their identifiers, or else their own bytes.

    Examples
    --------
    >>> names_of(np.array([[65, 66]], np.uint8), None)
    [b'AB']
    """
    names = [row.tobytes() for row in rows] if identifiers is None else list(identifiers)
    if len(names) != len(rows):
        why, remedy = "Every record costs, and is counted under its name.", "Pass one for each record."
        subject, expected = "The 'identifiers' of a release", f"one for each of {len(rows)} records"
        raise DataError(sentence(subject, expected, str(len(names)), why, remedy))
    return names
