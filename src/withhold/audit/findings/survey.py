"""All findings about a release, in one call."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.findings.certain import certain_values
from withhold.audit.findings.coding import integer_attributes, integer_classes
from withhold.audit.findings.collapse import collapse
from withhold.audit.findings.constant import constant_columns
from withhold.audit.findings.determining import REVEALS, beyond, single_columns, within_class
from withhold.audit.findings.duplicates import duplicates_across_splits
from withhold.audit.findings.evidence import Evidence, classes, column_evidence
from withhold.audit.findings.formulas import formula_cells
from withhold.audit.findings.images import blank_images, single_pixels
from withhold.audit.findings.missing import missing_values
from withhold.audit.findings.order import row_order
from withhold.audit.findings.origins import origins
from withhold.audit.findings.rare import rare_levels, shifted_values
from withhold.audit.findings.rounding import noise_below_rounding
from withhold.audit.findings.row_labels import row_labels
from withhold.audit.findings.size import small_sample
from withhold.audit.findings.unchanged import unchanged_columns
from withhold.audit.view.numbers import numeric_matrix
from withhold.audit.view.reading import Reading, read_columns
from withhold.contracts.finding import Finding
from withhold.data.attribute import Attribute

Codes = npt.NDArray[np.int64]

# Classes of a task that a released column may hold; columns of more values are measurements.
MOST_CLASSES = 20
# Rows looked at by the searches that go column by column; order and copies are judged on all.
MOST_ROWS = 200_000
SEVERITIES = ("critical", "warning", "info")


@dataclass(frozen=True)
class Survey:
    """What was found, critical findings first; and by attribute the columns that alone tell more than the budget."""

    findings: list[Finding]
    telling: dict[str, list[str]]


def survey(
    release: pa.Table,
    sensitive: Sequence[Attribute],
    folds: npt.NDArray[np.integer],
    rng: np.random.Generator,
    original: pa.Table | None = None,
    fit_rows: npt.NDArray[np.bool_] | None = None,
    mean_retention: float | None = None,
    groups: Codes | None = None,
    utility: Sequence[Attribute] = (),
    budget: float | None = None,
) -> Survey:
    """Look for everything that has a name.

    Parameters
    ----------
    release : pyarrow.Table
        What is handed over, without the columns judged apart.
    sensitive : sequence of Attribute
        Known for the same rows.
    folds : ndarray of int, shape (n,)
        Fold of each row; subjects do not straddle folds.
    rng : numpy.random.Generator
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
    budget : float or None
        Nats that no column may tell alone.

    Returns
    -------
    Survey

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.integers(0, 2, 600)
    >>> table = pa.table({"shift": rng.integers(0, 2, 600) + 0.1 * sex, "noise": rng.normal(size=600)})
    >>> [f.code for f in survey(table, list(read_attributes(sex)), np.arange(600) % 5, rng).findings]
    ['column_determines_s', 'value_implies_s']
    """
    out = duplicates_across_splits(release, fit_rows, original) + list(integer_attributes(sensitive))
    out += row_labels(release)
    for attribute in sensitive:
        out += small_sample(attribute) + row_order(
            attribute.name, classes(attribute), np.asarray(folds, np.int64), groups
        )
    rows = np.arange(release.num_rows)
    if len(rows) > MOST_ROWS:
        rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
        release, folds = release.take(pa.array(rows)), folds[rows]
        groups = None if groups is None else groups[rows]
        original = None if original is None else original.take(pa.array(rows))
    after = list(read_columns(release))
    before = [] if original is None else list(read_columns(original))
    origin = origins(after, before)
    fold_codes = np.asarray(folds, np.int64)
    out += blank_images(release, original) + constant_columns(after, before)
    out += formula_cells(after) + integer_classes(after, origin) + noise_below_rounding(after, origin)
    telling = {}
    for attribute in sensitive:
        chosen = attribute.take(rows)
        s = classes(chosen)
        found = {reading.name: column_evidence(reading, s, fold_codes, groups) for reading in after}
        earlier = {name: column_evidence(reading, s, fold_codes, groups) for name, reading in origin.items()}
        tasks = [classes(one.take(rows)) for one in utility] + _kept_classes(after, origin, found)
        columns = {reading.name: reading for reading in after}

        def told_by_class(
            name: str, s: Codes = s, columns: dict[str, Reading] = columns, tasks: list[Codes] = tasks
        ) -> bool:
            return within_class(columns[name], origin[name], s, fold_codes, tasks)

        out += single_columns(attribute.name, found, earlier, told_by_class, budget)
        telling[attribute.name] = beyond(found, budget)
        out += single_pixels(attribute.name, release, s, fold_codes)
        if attribute.kind == "categorical":
            out += certain_values(attribute.name, after, s, attribute.levels, groups)
        out += rare_levels(attribute.name, after, origin, found)
        out += shifted_values(attribute.name, after, origin, s, fold_codes)
        out += unchanged_columns(attribute.name, after, origin, found)
        out += missing_values(after, attribute.name, s, fold_codes)
    out += collapse(numeric_matrix(release, after), mean_retention)
    return Survey(sorted(out, key=lambda finding: SEVERITIES.index(finding.severity)), telling)


def _kept_classes(after: Sequence[Reading], origin: dict[str, Reading], found: dict[str, Evidence]) -> list[Codes]:
    """Return the columns of few classes that were released as they were and tell of S: a task, declared or not."""
    return [
        reading.codes.astype(np.int64)
        for reading in after
        if reading.name in origin
        and len(reading.levels) <= MOST_CLASSES
        and found[reading.name].share >= REVEALS
        and reading.levels.tolist() == origin[reading.name].levels.tolist()
        and np.array_equal(reading.codes, origin[reading.name].codes)
    ]
