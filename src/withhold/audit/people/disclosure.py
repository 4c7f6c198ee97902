"""Attribute disclosure: whether a file tells more about the people it was made from than about others.

The rows of a synthetic file, or of one whose rows were suppressed and shuffled, cannot be matched to individuals, so
that no record can be attacked. An attacker learns from the file how the sensitive attribute hangs on the rest, looks up
the person he asks about, and names the class. Of people who are not in the original (the control) he learns what the
file tells of everybody. What he learns more about those who are in it is the disclosure; Giomi et al. (PoPETs 2023,
https://doi.org/10.56553/popets-2023-0055) compare success rates in this way, here it is information in nats.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from withhold.audit.design import Design
from withhold.audit.effort import Effort
from withhold.audit.leakage.attack import Panel
from withhold.audit.leakage.crossfit import cross_fit, smoothed_log_prior
from withhold.audit.people.matching import NAME as NEAREST
from withhold.audit.people.matching import TOGETHER, Matches
from withhold.audit.statistics.arrays import Codes, Reals
from withhold.audit.statistics.interval import simultaneous_intervals
from withhold.audit.view.view import AttackView
from withhold.contracts.disclosure_record import DisclosureResult
from withhold.contracts.quantity import Kind, Quantity
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute
from withhold.data.splits import fold_numbers

# Share of the original that is copied into the file as a test leak: what the budget is worth, within these.
_LEAST_COPIED, _USUAL_COPIED, _MOST_COPIED = 0.02, 0.1, 0.5
# Original and control that differ by more than so many nats a record cannot be compared.
_SAME_PEOPLE = 0.005
_FILE, _ORIGINAL, _CONTROL = 0, 1, 2


@dataclass(frozen=True)
class People:
    """A file with the people of the original and the control below it, in the columns that all have.

    Attributes
    ----------
    table : pyarrow.Table
        What an attacker knows of a person, of all three.
    part : ndarray of shape (n,)
        0 for rows of the file, 1 for the original, 2 for the control.
    """

    table: pa.Table
    part: Codes
    effort: Effort
    seed: int
    level: float

    def disclosed(self, attribute: Attribute, panel: Panel, budget: float | None) -> DisclosureResult:
        """Attack one attribute, and once more with records of the original copied into the file."""
        s = attribute.codes
        excess, told = self._attack(self.table, s, attribute, panel, "file")
        truth = s[self.part == _CONTROL]
        control = told[_CONTROL]
        unknown = float(-told.log_prior[truth[truth >= 0]].mean()) - control.value
        share = _USUAL_COPIED if budget is None else budget / max(unknown, 1e-9)
        share = float(np.clip(share, _LEAST_COPIED, _MOST_COPIED))
        table, codes, copied = self._with_copies(share, s)
        planted = copied * unknown
        found, _ = self._attack(table, codes, attribute, panel, "copies")
        seen = found.low is not None and found.low > 0 and found.value >= planted / 2
        recovery = min(1.0, found.value / planted) if planted > 0 else 0.0
        known = s[self.part == _ORIGINAL]
        shares = np.bincount(known[known >= 0]) / (known >= 0).sum()
        return DisclosureResult(
            classes=attribute.n_classes,
            entropy=float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum()),
            original=told[_ORIGINAL],
            control=control,
            excess=excess,
            right_original=told.right[_ORIGINAL],
            right_control=told.right[_CONTROL],
            chance=float(np.bincount(truth[truth >= 0]).max() / (truth >= 0).sum()),
            planted=planted,
            recovered=recovery,
            found=bool(seen),
            budget=budget,
            corrected_high=None if not seen or excess.high is None else max(0.0, excess.high) / recovery,
        )

    def alike(self, panel: Panel) -> bool:
        """Whether original and control are the same kind of people, as far as attackers can tell."""
        rows = np.flatnonzero(self.part != _FILE)
        view = _plain(AttackView.fit(self.table.take(pa.array(rows)), row_order=False))
        s = (self.part[rows] == _ORIGINAL).astype(np.int64)
        everywhere = np.ones(len(rows), bool)
        fold = fold_numbers(len(rows), 3, stream(self.seed, "audit", "disclosure", "control"), None, s)
        design = Design(fold, None, (0, 1, 2), everywhere, everywhere, self.effort, self.seed)
        found = cross_fit(view, s, 2, panel.classes, design, "control")
        rng = stream(self.seed, "audit", "disclosure", "alike")
        return bool(
            simultaneous_intervals(found.values, found.least, found.most, self.level, rng).low.max() < _SAME_PEOPLE
        )

    def copies(self) -> tuple[float, float]:
        """Return the share of people of original and control of whom the file holds an equal row."""
        columns = [column.combine_chunks().dictionary_encode(null_encoding="encode") for column in self.table.columns]
        codes = np.column_stack([np.asarray(column.indices) for column in columns])
        _, row = np.unique(codes, axis=0, return_inverse=True)
        held = np.isin(row.ravel(), row.ravel()[self.part == _FILE])
        return float(held[self.part == _ORIGINAL].mean()), float(held[self.part == _CONTROL].mean())

    def _attack(
        self, table: pa.Table, s: Codes, attribute: Attribute, panel: Panel, purpose: str
    ) -> tuple[Quantity, "_Told"]:
        view = _plain(AttackView.fit(table, row_order=False))
        people, classes = self.part != _FILE, attribute.n_classes
        fold = np.where(people, 0, 1)
        design = Design(fold, None, (0,), ~people, people, self.effort, self.seed)
        name = f"disclosure {purpose} {attribute.name}"
        found = cross_fit(view, s, classes, panel.classes, design, name)
        file = np.flatnonzero(~people & (s >= 0))
        log_prior = smoothed_log_prior(s[file], classes)
        matched = Matches.of(view.dense[file], s[file], view.dense[found.rows])
        rng = stream(self.seed, "audit", name)
        half = stream(self.seed, "audit", name).permutation(len(found.rows)) % 2
        tables: dict[str, Reals] = {one: np.asarray(table, np.float64) for one, table in found.classes.items()}
        tables[NEAREST] = matched.log_ratios(s[found.rows], log_prior, half)
        guess = matched.together(tables, s[found.rows], log_prior, half)
        values = guess[np.arange(len(guess)), s[found.rows]][:, None]
        least, rng = guess.min(keepdims=True).ravel(), stream(self.seed, "audit", name, "intervals")
        sides = {side: self.part[found.rows] == side for side in (_ORIGINAL, _CONTROL)}
        first, second = (
            simultaneous_intervals(values[rows], least, found.most, self.level, rng) for rows in sides.values()
        )
        # The interval of a difference from those of its parts (Zou and Donner, Statistics in Medicine 2008).
        mean = float(first.mean[0] - second.mean[0])
        low = mean - np.hypot(first.mean - first.low, second.high - second.mean)[0]
        high = mean + np.hypot(first.high - first.mean, second.mean - second.low)[0]
        named = (guess + log_prior).argmax(axis=1) == s[found.rows]
        told = {
            side: self._quantity(float(one.mean[0]), (float(one.low[0]), float(one.high[0])), one.n, list(tables))
            for side, one in zip(sides, (first, second), strict=True)
        }
        excess = self._quantity(mean, (float(low), float(high)), len(named), list(tables), "estimate")
        return excess, _Told(told, {side: float(named[rows].mean()) for side, rows in sides.items()}, log_prior)

    def _quantity(
        self, value: float, ends: tuple[float, float], n: int, against: list[str], kind: Kind = "lower_bound"
    ) -> Quantity:
        return Quantity(
            value=value,
            low=ends[0],
            high=ends[1],
            kind=kind,
            level=self.level,
            n=n,
            attacker=TOGETHER,
            against=tuple(against),
            seed=self.seed,
        )

    def _with_copies(self, share: float, s: Codes) -> tuple[pa.Table, Codes, float]:
        """Put records of the original in the place of rows of the file; return the share of the original there."""
        rng = stream(self.seed, "audit", "disclosure", "copied records")
        file, original = (np.flatnonzero(self.part == side) for side in (_FILE, _ORIGINAL))
        count = min(max(1, round(share * len(original))), len(file))
        rows = np.arange(len(self.part))
        rows[rng.choice(file, count, replace=False)] = rng.choice(original, count, replace=False)
        return self.table.take(pa.array(rows)), s[rows], count / len(original)


@dataclass(frozen=True)
class _Told:
    quantities: dict[int, Quantity]
    right: dict[int, float]
    log_prior: Reals

    def __getitem__(self, side: int) -> Quantity:
        return self.quantities[side]


def _plain(view: AttackView) -> AttackView:
    """Return what is about single rows: whether a row occurs again would tell people of the original by themselves."""
    return replace(view, relations=None, links=None)


def gathered(tables: Sequence[pa.Table]) -> tuple[pa.Table, Codes]:
    """Return tables of equal columns below each other, and which each row came from.

    Examples
    --------
    >>> gathered([pa.table({"a": [1, 2]}), pa.table({"a": [3]}), pa.table({"a": [4]})])[1].tolist()
    [0, 0, 1, 2]
    """
    part = np.repeat(np.arange(len(tables)), [table.num_rows for table in tables])
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks(), part
