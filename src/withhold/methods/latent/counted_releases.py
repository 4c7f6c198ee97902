"""Releases that cost: entered in a count before anything of them is drawn, of records the flow was not trained on."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from withhold.contracts.errors import DataError, sentence
from withhold.methods.latent.cadp_settings import Settled
from withhold.methods.latent.fitted_rows import FittedRows
from withhold.methods.latent.release_count import ReleaseCount, names_of
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.ledger import Naming, ReleaseLedger


class CountedReleases:
    """The part of `CADP` that counts."""

    count_: ReleaseCount | ReleaseLedger
    fitted_rows_: FittedRows
    settled_: Settled
    digest_: str
    noise_seed: int | None
    flow_training: str
    _counting = True

    def charge_to(self, ledger: ReleaseLedger) -> Self:
        """Count releases in a file from now on."""
        self.count_ = ledger
        return self

    @contextmanager
    def charged(self, identifiers: Iterable[Any], named: Naming = "identifier") -> Iterator[None]:
        """Enter one release of records, all of them or none, and let it be drawn in pieces that cost no more.

        Parameters
        ----------
        identifiers : iterable
            One for each row that will be drawn.
        named : {"identifier", "content"}
            What they are.

        Raises
        ------
        BudgetExceededError
            Some record would cost more than `total`; nothing is entered then.
        """
        self._enter(identifiers, named)
        with self.uncounted():
            yield

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Draw what is already paid for, or what is not released."""
        before, self._counting = self._counting, False
        try:
            yield
        finally:
            self._counting = before

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
        self._enter(names_of(rows, identifiers), "content" if identifiers is None else "identifier")

    def _enter(self, identifiers: Iterable[Any], named: Naming) -> None:
        count = self.count_
        if self.noise_seed is not None:  # nothing is promised of draws that can be repeated
            return
        if isinstance(count, ReleaseCount) and count.unknown_before and count.total is not None:
            name = type(self).__name__
            why = "What records have cost before is not in the file, and a total that starts anew limits nothing."
            remedy = (
                "Call charge_to(ReleaseLedger(path, key)) with the ledger of earlier releases, on the command line "
                "keep ledger.sqlite and ledger.key beside the sanitiser."
            )
            got = "no ledger"
            subject = f"The releases of a loaded {name} with a total"
            raise DataError(sentence(subject, "counted in a ledger", got, why, remedy))
        loss = PrivacyLoss(self.settled_.epsilon, self.settled_.delta)
        count.charge(identifiers, loss, note=f"{type(self).__name__} {self.digest_[:12]}", named=named)
