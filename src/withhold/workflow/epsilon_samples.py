"""Some released records as they would have come out under other epsilons: for the private page, never counted."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.report.samples import render_values
from withhold.workflow.job import Job
from withhold.workflow.release import as_table, features_of

# What samples are drawn again under, beside the epsilon of the release.
EPSILONS = (Fraction(1, 5), Fraction(1), Fraction(4), Fraction(10))
NOT_RELEASED = (
    "The versions that are not marked as released were drawn for this page alone and are not in the ledger: whoever "
    "sees them has further answers about these records, each at its own epsilon: it must not leave this folder."
)
MOST_COLUMNS = 40  # shown of a record


def by_epsilon(sanitizer: Any, job: Job, features: pa.Table, rows: NDArray[np.int64]) -> list[tuple[str, pa.Table]]:
    """Return released records under each epsilon in turn; that of the release itself is the release.

    Where the class is answered at random the release stands alone: the true class is not at hand here.

    Parameters
    ----------
    sanitizer : CADP
        Fitted.
    job : Job
        About the released rows.
    features : pyarrow.Table
        The release of each.
    rows : ndarray of int
        Those to show.
    """
    own = sanitizer.settled_.epsilon
    drawn = {own: features.take(pa.array(rows))}
    shown = job.table.take(pa.array(rows))
    classes = shown.select([sanitizer.condition_.name]) if sanitizer.condition_.levels else None
    for epsilon in EPSILONS if sanitizer.label == "public" else ():
        other = sanitizer.with_mechanism(epsilon=epsilon, total=None)
        with other.uncounted() as drawing:
            released, _ = drawing.release(features_of(shown, job.roles), classes)
        drawn.setdefault(other.settled_.epsilon, as_table(released, job.roles, sanitizer))
    return [(f"epsilon {float(e):g}" + " (released)" * (e == own), table) for e, table in sorted(drawn.items())]


def values_page(job: Job, features: pa.Table, sanitizer: Any, rows: NDArray[np.int64], captions: Sequence[str]) -> str:
    """Return the private page for records of a table; parameters as for `by_epsilon`, and what is said of each."""
    drawn = by_epsilon(sanitizer, job, features, rows)
    tables = [job.table.take(pa.array(rows)), *(table for _, table in drawn)]
    names = [name for name in features.column_names if name in job.table.column_names][:MOST_COLUMNS]
    values = {
        name: [[as_text(value) for value in table.column(name).to_pylist()] for table in tables] for name in names
    }
    records = [(caption, [(n, [one[i] for one in values[n]]) for n in names]) for i, caption in enumerate(captions)]
    return render_values(job.name, ["original", *(label for label, _ in drawn)], records, NOT_RELEASED)


def as_text(value: Any) -> str:
    """Return a value as a reader wants it.

    Examples
    --------
    >>> as_text(3.14159265), as_text(None), as_text("Rome")
    ('3.142', '', 'Rome')
    """
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
