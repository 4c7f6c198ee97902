"""Releases that cost: entered in a count before anything of them is drawn, of records the flow was not trained on."""

import copy
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from withhold.contracts.errors import DataError
from withhold.methods.cadp.fitted_rows import FittedRows, ReleaseCount, names_of
from withhold.methods.cadp.settings import Settled
from withhold.methods.estimator.fitted_release import FittedRelease
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.ledger import ReleaseLedger
from withhold.privacy.record_names import Naming


class CountedReleases:
    """The part of `CADP` that counts."""

    count_: ReleaseCount | ReleaseLedger
    fitted_rows_: FittedRows
    settled_: Settled
    release_: FittedRelease
    noise_seed: int | None
    flow_training: str
    _counting = True
    _paid: "_Paid | None" = None

    def charge_to(self, ledger: ReleaseLedger) -> Self:
        """Count releases in a file from now on."""
        self.count_ = ledger
        return self

    @contextmanager
    def charged(self, identifiers: Iterable[Any], named: Naming = "identifier") -> Iterator[Self]:
        """Enter one release of records, all of them or none, and yield what draws it in pieces that cost no more.

        Parameters
        ----------
        identifiers : iterable
            One for each row that will be drawn.
        named : {"identifier", "content"}
            What they are.

        Yields
        ------
        CADP
            Draws as many rows as were entered, within the block. What this object itself draws meanwhile is another
            release and costs as ever, so that blocks may interleave and threads may share it.

        Raises
        ------
        BudgetExceededError
            Some record would cost more than `total`; nothing is entered then.
        """
        names = list(identifiers)
        self._enter(names, named)
        drawing = copy.copy(self)
        drawing._paid = _Paid(len(names))
        try:
            yield drawing
        finally:
            drawing._paid = None

    @contextmanager
    def uncounted(self) -> Iterator[Self]:
        """Yield what draws, within the block, what is not released and costs nothing."""
        drawing = copy.copy(self)
        drawing._counting = False
        try:
            yield drawing
        finally:
            drawing._counting = True

    def _start_counting(self, *, fitted: np.ndarray | None = None, loaded: bool = False) -> None:
        """Count from zero: after a fit, or after loading a file, which holds no count."""
        self.count_ = ReleaseCount(self.settled_.total, unknown_before=loaded)
        self.fitted_rows_ = FittedRows(fitted)

    def _charge(self, rows: np.ndarray | None, identifiers: Any = None) -> None:
        """Count a release before anything of it is drawn."""
        if self.noise_seed is not None or rows is None or not self._counting:
            return
        if self.flow_training == "public":
            self.fitted_rows_.check(rows, type(self).__name__)
        if self._paid is not None:
            self._paid.take(len(rows))
            return
        self._enter(names_of(rows, identifiers), "content" if identifiers is None else "identifier")

    def _enter(self, identifiers: Iterable[Any], named: Naming) -> None:
        if self.noise_seed is not None:  # nothing is promised of draws that can be repeated
            return
        loss = PrivacyLoss(self.settled_.epsilon)
        self.count_.charge(identifiers, loss, note=f"{type(self).__name__} {self.release_.digest[:12]}", named=named)


class _Paid:
    """How many rows that were entered have not been drawn yet."""

    def __init__(self, rows: int) -> None:
        self.rows, self._left, self._lock = rows, rows, threading.Lock()

    def take(self, rows: int) -> None:
        """Draw some, or refuse."""
        with self._lock:
            if rows > self._left:
                raise DataError(
                    f"This release was entered with {self.rows:,} rows, and more are to be drawn. Enter every row that "
                    "is released; where they come from a file, do not change it meanwhile."
                )
            self._left -= rows
