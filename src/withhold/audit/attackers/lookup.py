"""Boosting on exact values: finds what repeated values of a many-valued column give away.

Trees see at most 255 cells of a column and networks its size; a value shared by members of one class (a survey weight
computed by sex, a batch number, a timestamp) is visible to neither. On a census table this reads .43 nat about sex
where boosting alone reads .34.
"""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from withhold.audit.attackers.attacker import Attacker, InputKind
from withhold.audit.attackers.boosting import Boosting
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# Fewer distinct values are told apart by the trees themselves.
MANY = 128
# Among fewer rows of repeated values than this there is nothing to learn from.
LEAST_REPEATS = 100
# Shares of a training row come from the other parts only. Left-out single rows would tell their own class inversely.
PARTS = 10
PRIOR_ROWS = 1.0
# The screen compares rows of one value with rows beside it in order, this far on either side.
BESIDE = 8
# Standard errors by which equal rows must agree more often than rows beside each other.
SCREEN = 2.0


class Table:
    """How often each class occurs at each exact value of one column."""

    def __init__(self, column: Matrix, own: Reals) -> None:
        self.values, self.which = np.unique(column, return_inverse=True)
        self.counts = np.zeros((len(self.values), own.shape[1]))
        np.add.at(self.counts, self.which, own)

    def find(self, column: Matrix) -> Reals:
        """Return the counts at each value; nothing where it never occurred."""
        place = np.searchsorted(self.values, column).clip(0, len(self.values) - 1)
        return np.where((self.values[place] == column)[:, None], self.counts[place], 0.0)


def tells_by_value(column: Matrix, s: Codes) -> bool:
    """Return whether rows of one value agree in class more than rows of neighbouring values do.

    A column whose size tells as much as its exact value is left to the trees: it would cost a second boosting and add
    nothing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> owner, size = rng.integers(0, 2, 500), rng.integers(0, 500, 2000)
    >>> tells_by_value(size.astype(np.float32), owner[size]), tells_by_value(size.astype(np.float32), 1 * (size > 250))
    (True, False)
    """
    order = np.argsort(column, kind="stable")
    value, code = column[order], s[order]
    if np.isnan(value[-1]):
        known = ~np.isnan(value)
        value, code = value[known], code[known]
    start = np.flatnonzero(np.r_[True, value[1:] != value[:-1]]) if len(value) else np.zeros(0, dtype=np.int64)
    if len(start) <= MANY:
        return False
    equal = np.flatnonzero(value[1:] == value[:-1])
    if len(equal) < LEAST_REPEATS:
        return False
    # Each pair of equal rows beside each other, against its row and the nearest rows of other values.
    run = np.repeat(np.arange(len(start)), np.diff(np.r_[start, len(value)]))
    ends = np.r_[start[1:], len(value)]
    below = (start[run[equal]][:, None] - 1 - np.arange(BESIDE)).ravel()
    above = (ends[run[equal]][:, None] + np.arange(BESIDE)).ravel()
    rows = np.repeat(equal, BESIDE)
    agree = np.zeros(len(equal))
    seen = np.zeros(len(equal))
    for side in (below, above):
        inside = (side >= 0) & (side < len(value))
        same = inside & (code[side.clip(0, len(value) - 1)] == code[rows])
        agree += same.reshape(-1, BESIDE).sum(axis=1)
        seen += inside.reshape(-1, BESIDE).sum(axis=1)
    usable = seen > 0
    difference = (code[equal + 1] == code[equal])[usable] - agree[usable] / seen[usable]
    # Pairs within one value depend on each other: the spread is taken over values.
    by_value = np.bincount(run[equal][usable], weights=difference, minlength=len(start))
    error = float(np.sqrt((by_value**2).sum()))
    return bool(by_value.sum() > SCREEN * max(error, 1e-12))


class Lookup(Attacker):
    """Gradient boosting on ordinal codes and on shares of the classes among other rows of exactly the same value."""

    name: ClassVar[str] = "lookup"
    inputs: ClassVar[InputKind] = "ordinal"

    def fit(self, X: Matrix, s: Codes, rng: np.random.Generator) -> Self:
        """Count classes by value, then fit on counts that do not hold the row itself; nothing where no column tells."""
        classes = int(s.max()) + 1
        self._prior = np.bincount(s, minlength=classes) / len(s)
        self._tables: dict[int, Table] = {}
        own = np.eye(classes)[s]
        part = rng.integers(PARTS, size=len(s))
        shares: list[NDArray[np.float64]] = []
        for column in range(X.shape[1]):
            if not tells_by_value(X[:, column], s):
                continue
            table = self._tables[column] = Table(X[:, column], own)
            # Counts of value and part together, taken off where the row belongs to that part.
            cell, which = np.unique(table.which * PARTS + part, return_inverse=True)
            inside = np.zeros((len(cell), classes))
            np.add.at(inside, which, own)
            shares.append(self._shares(table.counts[table.which] - inside[which]))
        if shares:
            self._boosting = Boosting(self.effort).fit(np.column_stack([X, *shares]).astype(np.float32), s, rng)
        return self

    def log_proba(self, X: Matrix) -> Reals:
        """Return log-probabilities of the classes; the prior where no column tells by its exact values."""
        if not self._tables:
            return np.tile(np.log(self._prior), (len(X), 1))
        shares = [self._shares(table.find(X[:, column])) for column, table in self._tables.items()]
        return self._boosting.log_proba(np.column_stack([X, *shares]).astype(np.float32))

    def _shares(self, counts: Reals) -> NDArray[np.float64]:
        total = counts.sum(axis=1, keepdims=True)
        return np.column_stack([(counts + PRIOR_ROWS * self._prior) / (total + PRIOR_ROWS), total])
