"""Cross-fitted log-ratios: how much more likely each attacker held the truth of a record than the prior did.

Their mean is H(S) minus the cross-entropy of the attacker: a lower bound on the information the release holds.
"""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from withhold.audit.statistics.arrays import Codes, Matrix, Reals


@dataclass(frozen=True)
class InnerPart:
    """What the panel said about the inner held-out rows of one fold: material to calibrate sums of records on.

    Attributes
    ----------
    scored : ndarray
        Rows scored in this fold.
    rows, truth : ndarray
        Held-out training rows and their classes.
    classes : dict
        log q(c|z) - log p(c) of every class c for each held-out row, by attacker that could be fitted.
    """

    scored: Codes
    rows: Codes
    truth: Codes
    classes: dict[str, Matrix]

    def with_columns(self, other: "InnerPart", suffix: str) -> "InnerPart":
        """Add the attackers of `other` under names with `suffix`, if they were held out on the same rows."""
        if not (np.array_equal(self.rows, other.rows) and np.array_equal(self.scored, other.scored)):
            return self
        both = {**self.classes, **{name + suffix: table for name, table in other.classes.items()}}
        return replace(self, classes=both)


@dataclass(frozen=True)
class HeldRows:
    """What attackers said of the inner held-out rows of one fold, whose truth they were not fitted on.

    Attributes
    ----------
    scored, rows : ndarray
        Rows scored in this fold; held-out training rows.
    values : dict
        log q(s|z) - log p(s) at the true s of each held-out row, by attacker.
    """

    scored: Codes
    rows: Codes
    values: dict[str, Reals]

    def renamed(self, suffix: str) -> "HeldRows":
        """Return the same with `suffix` after each name."""
        return replace(self, values={name + suffix: ratio for name, ratio in self.values.items()})


@dataclass(frozen=True)
class LogRatios:
    """What a panel said about the records it was scored on.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Row numbers of the scored records, ascending.
    names : tuple of str
        The attackers.
    values : ndarray of shape (m, j)
        log q(s|z) - log p(s) at the true s.
    least : ndarray of shape (j,)
        The smallest log-ratio each attacker's guesses allow, whatever the truth.
    most : float
        The largest log-ratio possible: the surprise of the rarest class.
    inner : ndarray of shape (m, j)
        What each attacker reached on the inner held-out rows of the record's fold; decides whom a record is judged by.
    classes : dict
        log q(c|z) - log p(c) of every class c, shape (m, k), by attacker; empty for a continuous attribute.
    truth : ndarray of shape (m,) or None
        Class codes; None for a continuous attribute.
    failures : dict
        Attackers that could not be fitted in some fold (they answered the prior there) and why.
    seconds : dict
        Processor seconds by attacker.
    parts : tuple of InnerPart
        The inner held-out rows, fold by fold; kept only where there are subjects.
    held : tuple of HeldRows
        What was said of them, fold by fold of each attack.
    """

    rows: Codes
    names: tuple[str, ...]
    values: Reals
    least: Reals
    most: float
    inner: Reals
    classes: dict[str, Reals] = field(default_factory=dict)
    truth: Codes | None = None
    failures: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    parts: tuple[InnerPart, ...] = ()
    held: tuple[HeldRows, ...] = ()

    @property
    def chosen(self) -> Codes:
        """Index of the attacker chosen on inner rows, record by record (the same within a fold)."""
        return np.asarray(self.inner.argmax(axis=1), dtype=np.int64)

    def with_columns(self, other: "LogRatios", suffix: str) -> "LogRatios":
        """Add the attackers of `other`, scored on the same records, under names with `suffix`."""
        return LogRatios(
            self.rows,
            self.names + tuple(name + suffix for name in other.names),
            np.hstack([self.values, other.values]),
            np.concatenate([self.least, other.least]),
            max(self.most, other.most),
            np.hstack([self.inner, other.inner]),
            {**self.classes, **{name + suffix: table for name, table in other.classes.items()}},
            self.truth,
            {**self.failures, **{name + suffix: why for name, why in other.failures.items()}},
            {**self.seconds, **{name + suffix: seconds for name, seconds in other.seconds.items()}},
            tuple(mine.with_columns(theirs, suffix) for mine, theirs in zip(self.parts, other.parts, strict=False)),
            (*self.held, *(part.renamed(suffix) for part in other.held)),
        )

    def minus(self, base: Reals) -> "LogRatios":
        """Take the log-ratio `base` of each record off: what is known beyond what `base` already says."""
        return LogRatios(
            self.rows,
            self.names,
            self.values - base[:, None],
            self.least - max(0.0, float(base.max(initial=0.0))),
            self.most - min(0.0, float(base.min(initial=0.0))),
            self.inner,
            {},
            None,
            self.failures,
            self.seconds,
        )

    def plus(self, other: "LogRatios") -> "LogRatios":
        """Chain rule: the sum over two steps of the chosen attackers, as one attacker, on records that both scored."""
        _, mine, theirs = np.intersect1d(self.rows, other.rows, assume_unique=True, return_indices=True)
        total = self.best()[mine] + other.best()[theirs]
        return LogRatios(
            self.rows[mine],
            ("chain",),
            total[:, None],
            np.array([self.least.min() + other.least.min()]),
            self.most + other.most,
            np.zeros((len(mine), 1)),
            failures={**self.failures, **other.failures},
            seconds={"chain": sum(self.seconds.values()) + sum(other.seconds.values())},
        )

    def best(self) -> Reals:
        """Return the log-ratio of each record under the attacker chosen on inner rows."""
        return np.asarray(self.values[np.arange(len(self.rows)), self.chosen])

    def take(self, keep: np.ndarray) -> Self:
        """Return the records where `keep` is true."""
        return type(self)(
            self.rows[keep],
            self.names,
            self.values[keep],
            self.least,
            self.most,
            self.inner[keep],
            {name: table[keep] for name, table in self.classes.items()},
            None if self.truth is None else self.truth[keep],
            self.failures,
            self.seconds,
        )
