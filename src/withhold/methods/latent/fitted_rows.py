"""Which records a flow was trained on, for as long as the process lives: nothing of it is saved."""

import os
import warnings
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from withhold.contracts.errors import DataError, FittedRecordsWarning, sentence

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
            Some do, which might be chance.
        """
        found, n = self.among(rows), len(rows)
        if not found:
            return
        got = f"{found:,} of {n:,} that are, value for value, rows of the fit"
        expected = self.repeated * n
        # At least the chance that is compatible with no repetition among n rows.
        if found > 1 and binom.sf(found - 1, n, max(self.repeated, 3 / self.n)) < CHANCE:
            why = "The decoder is fitted to these rows, and nothing would be promised for them."
            remedy = (
                "Release others, or fit with flow_training='same-data', which says that nothing is promised for them."
            )
            subject = f"The records that {method} with flow_training='public' releases"
            raise DataError(sentence(subject, "others than the flow was trained on", got, why, remedy))
        if found > expected:
            warnings.warn(
                f"Of the records to release {found:,} of {n:,} are, value for value, rows that the flow was trained on "
                f"(by chance one would expect {expected:.2g}). If they are the same records, nothing is promised for "
                "them: the decoder was fitted to them.",
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
