"""The scene that finders look at: a release, what is known of its records, and what several of them need, made once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.findings.evidence import Evidence, classes, column_evidence, lookup
from withhold.audit.findings.origins import origins
from withhold.audit.view.digests import Recipe, find_recipe, is_digest, values_told
from withhold.audit.view.reading import Reading, read_columns
from withhold.contracts.budgets import NO_BUDGET, Budgets
from withhold.contracts.fidelity_record import FidelityResult
from withhold.data.attribute import Attribute

Codes = npt.NDArray[np.int64]

# Rows looked at by the searches that go column by column; order and copies are judged on all.
MOST_ROWS = 200_000


@dataclass(frozen=True, eq=False)
class Rows:
    """Records of a release, and what is known of each.

    Attributes
    ----------
    release, original : pyarrow.Table
        What is handed over, without the columns judged apart; the same rows before, where they are at hand.
    folds, groups : ndarray of int, shape (n,)
        Fold of each row; its subject, where there are subjects.
    """

    release: pa.Table
    original: pa.Table | None
    folds: Codes
    groups: Codes | None
    sensitive: tuple[Attribute, ...]
    utility: tuple[Attribute, ...]

    def take(self, rows: Codes) -> "Rows":
        """Return some of the rows."""
        index = pa.array(rows)
        return Rows(
            self.release.take(index),
            None if self.original is None else self.original.take(index),
            self.folds[rows],
            None if self.groups is None else self.groups[rows],
            tuple(one.take(rows) for one in self.sensitive),
            tuple(one.take(rows) for one in self.utility),
        )

    @cached_property
    def after(self) -> list[Reading]:
        """Columns of the release."""
        return list(read_columns(self.release))

    @cached_property
    def before(self) -> list[Reading]:
        """Columns of the original."""
        return [] if self.original is None else list(read_columns(self.original))

    @cached_property
    def origin(self) -> dict[str, Reading]:
        """The original of each released column, where it is known."""
        return origins(self.after, self.before)


@dataclass(frozen=True, eq=False)
class Asked:
    """One sensitive attribute, and what each column alone tells of it.

    Attributes
    ----------
    every, attribute : Attribute
        Of every record, and of the rows looked at.
    rows : Rows
        The rows looked at.
    """

    every: Attribute
    attribute: Attribute
    rows: Rows

    @property
    def name(self) -> str:
        """Name of the attribute."""
        return self.attribute.name

    @cached_property
    def s(self) -> Codes:
        """Class of each row looked at, -1 where unknown."""
        return classes(self.attribute)

    @cached_property
    def told(self) -> dict[str, Evidence]:
        """Evidence of each released column."""
        told = {one.name: column_evidence(one, self.s, self.rows.folds, self.rows.groups) for one in self.rows.after}
        for reading in self.rows.after:
            if reading.name in self.recipes:
                cells = values_told(self.recipes[reading.name], reading, self.rows.after, self.attribute.levels)
                told[reading.name] = lookup(cells, self.s, self.rows.folds, self.rows.groups)
        return told

    @cached_property
    def recipes(self) -> dict[str, Recipe]:
        """How the digests of a release are made of the attribute, where a common recipe gives them."""
        if self.attribute.kind != "categorical":
            return {}
        digests = [one for one in self.rows.after if is_digest(one)]
        tried = {one.name: find_recipe(one, self.rows.after, self.attribute.levels, self.s) for one in digests}
        return {name: recipe for name, recipe in tried.items() if recipe is not None}

    @cached_property
    def told_before(self) -> dict[str, Evidence]:
        """Evidence of the original of each released column, where it is known."""
        rows = self.rows
        return {name: column_evidence(one, self.s, rows.folds, rows.groups) for name, one in rows.origin.items()}


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that a finder may look at.

    Attributes
    ----------
    every, rows : Rows
        All records; and those looked at column by column, a random part of very long tables.
    asked : tuple of Asked
        The sensitive attributes.
    fit_rows : ndarray of bool or None
        Records the sanitiser was fitted on.
    mean_retention : float or None
        Mean retention of the original columns, where it was measured.
    budgets : Budgets
        Nats that no column may tell alone, by attribute.
    fidelity : FidelityResult or None
        How far analyses of the release come out as those of the original, where it was measured.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> sex = np.arange(600) % 2
    >>> scene = Scene.of(pa.table({"size": 7 * sex}), list(read_attributes(sex)), np.arange(600) // 2 % 5)
    >>> round(scene.asked[0].told["size"].share, 2)
    1.0
    """

    every: Rows
    rows: Rows
    asked: tuple[Asked, ...]
    fit_rows: npt.NDArray[np.bool_] | None = None
    mean_retention: float | None = None
    budgets: Budgets = NO_BUDGET
    fidelity: FidelityResult | None = None

    @classmethod
    def of(
        cls,
        release: pa.Table,
        sensitive: Sequence[Attribute],
        folds: npt.NDArray[np.integer],
        rng: np.random.Generator | None = None,
        original: pa.Table | None = None,
        fit_rows: npt.NDArray[np.bool_] | None = None,
        mean_retention: float | None = None,
        groups: Codes | None = None,
        utility: Sequence[Attribute] = (),
        budgets: Budgets = NO_BUDGET,
        fidelity: FidelityResult | None = None,
    ) -> Self:
        """Set the scene.

        Parameters
        ----------
        release : pyarrow.Table
            What is handed over, without the columns judged apart.
        sensitive : sequence of Attribute
            Known for the same rows.
        folds : ndarray of int, shape (n,)
            Fold of each row; subjects do not straddle folds.
        rng : numpy.random.Generator or None
            Chooses the rows of very long tables.
        original : pyarrow.Table or None
            The same rows before the release, without the sensitive columns.
        fit_rows : ndarray of bool or None
            Rows the sanitiser was fitted on.
        mean_retention : float or None
            Mean retention of the original columns, where it was measured.
        groups : ndarray of int or None
            Subjects.
        utility : sequence of Attribute
            What the release is for: a column that tells S because it tells this is not held against whoever made it.
        budgets : Budgets
            Nats that no column may tell alone, by attribute.
        fidelity : FidelityResult or None
            How far analyses of the release come out as those of the original, where it was measured.
        """
        every = Rows(release, original, np.asarray(folds, np.int64), groups, tuple(sensitive), tuple(utility))
        rows = every
        if release.num_rows > MOST_ROWS:
            draw = np.random.default_rng(0) if rng is None else rng
            rows = every.take(np.sort(draw.choice(release.num_rows, MOST_ROWS, replace=False)))
        asked = tuple(Asked(whole, part, rows) for whole, part in zip(every.sensitive, rows.sensitive, strict=True))
        return cls(every, rows, asked, fit_rows, mean_retention, budgets, fidelity)

    def only(self, asked: Asked) -> Self:
        """Return the same scene with one attribute."""
        return replace(self, asked=(asked,))
