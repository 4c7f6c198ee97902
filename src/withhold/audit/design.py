"""The design of an audit: who is trained on what and scored on what, the same for every attack."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.audit.effort import Effort
from withhold.audit.statistics.arrays import Codes
from withhold.contracts.errors import DataError
from withhold.contracts.seeds import stream
from withhold.data.splits import split_rows

# Share of a training fold, and most rows of it, kept for calibration and for choosing among attackers.
INNER, MOST_INNER = 0.15, 10_000


@dataclass(frozen=True)
class Design:
    """Who is trained on what and scored on what, the same for every attack of one audit.

    Attributes
    ----------
    fold : ndarray of shape (n,)
        Fold of each row.
    groups : ndarray of shape (n,) or None
        Subjects.
    scored_folds : tuple of int
        Folds that are scored.
    trainable : ndarray of bool, shape (n,)
        Rows attackers may train on.
    scorable : ndarray of bool, shape (n,)
        Rows that are scored.
    """

    fold: Codes
    groups: Codes | None
    scored_folds: tuple[int, ...]
    trainable: NDArray[np.bool_]
    scorable: NDArray[np.bool_]
    effort: Effort
    seed: int

    def folds(self, known: NDArray[np.bool_]) -> Iterator[tuple[int, Codes, Codes]]:
        """Yield fold, training rows, scored rows among the rows `known`."""
        for number in self.scored_folds:
            train = np.flatnonzero(known & self.trainable & (self.fold != number))
            test = np.flatnonzero(known & self.scorable & (self.fold == number))
            if len(test):
                yield number, train, test

    def inner(self, train: Codes, s: Codes | None, number: int) -> tuple[Codes, Codes]:
        """Divide training rows into those attackers are fitted on and those they are calibrated on."""
        rng = stream(self.seed, "audit", "inner", number)
        groups = None if self.groups is None else self.groups[train]
        fraction = min(INNER, MOST_INNER / max(1, len(train)))
        try:
            kept, held = split_rows(len(train), fraction, rng, groups, None if s is None else s[train])
        except DataError:
            return train, train[:0]
        return train[kept], train[held]
