"""samples.html: some records before and after, under other epsilons too, for the private folder."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.contracts.images import image_array, image_names
from withhold.contracts.seeds import stream
from withhold.data.attributes import Attributes
from withhold.io.image_writer import png_text
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.report.samples import render_samples, render_values
from withhold.workflow.job import Job
from withhold.workflow.release import as_table, features_of

# What samples are drawn again under, beside the epsilon of the release.
EPSILONS = (Fraction(1, 5), Fraction(1), Fraction(4), Fraction(10))
NOT_RELEASED = (
    "The versions that are not marked as released were drawn for this page alone and are not in the ledger: whoever "
    "sees them has further answers about these records, each at its own epsilon: it must not leave this folder."
)
MOST_COLUMNS = 40  # shown of a record


def by_epsilon(
    sanitizer: Sanitizer, job: Job, features: pa.Table, rows: NDArray[np.int64]
) -> list[tuple[str, pa.Table]]:
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


def values_page(
    job: Job, features: pa.Table, sanitizer: Sanitizer, rows: NDArray[np.int64], captions: Sequence[str]
) -> str:
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


SAMPLES = "samples.html"
# Records shown: enough to see every digit, few enough for a phone.
SHOWN = 24


def samples_of(job: Job, features: pa.Table, sanitizer: Sanitizer) -> str | None:
    """Return the page for a run whose release is of images, or under differential privacy, else None.

    Parameters
    ----------
    job : Job
        The request with its data.
    features : pyarrow.Table
        What the method released of every row.
    sanitizer : Sanitizer
        One under differential privacy also shows what it would have made of these records under other epsilons.
    """
    names = image_names(features)
    private = sanitizer.fresh_noise
    if not names and private:
        rows = chosen(job.attributes, job.parts.audit_rows, job.request.seed)
        return values_page(job, features, sanitizer, rows, captions_of(job, rows))
    if len(names) != 1 or names != image_names(job.table.select(list(job.roles.features))):
        return None
    original, released = (image_array(table.column(names[0])) for table in (job.table, features))
    if original.shape != released.shape:
        return None
    rows = chosen(job.attributes, job.parts.audit_rows, job.request.seed)
    captions, versions = captions_of(job, rows), [("original", original[rows]), ("release", released[rows])]
    if not private:
        return samples_page(job.name, versions, captions)
    drawn = by_epsilon(sanitizer, job, features, rows)
    images = [(label, image_array(table.column(names[0]))) for label, table in drawn]
    return samples_page(job.name, [versions[0], *images], captions, NOT_RELEASED)


def captions_of(job: Job, rows: NDArray[np.int64]) -> list[str]:
    """Return what is said of each record: its row, and its values of S and U."""
    shown = (*job.roles.sensitive, *job.roles.utility)
    values = {name: job.table.column(name).take(pa.array(rows)).to_pylist() for name in shown}
    return [f"row {row} · " + " · ".join(f"{name} {values[name][i]}" for name in shown) for i, row in enumerate(rows)]


def samples_page(
    name: str, columns: Sequence[tuple[str, NDArray[Any]]], captions: Sequence[str], note: str = ""
) -> str:
    """Return a page of records side by side, with what changed between the first version and the last.

    Parameters
    ----------
    name : str
        Of the data.
    columns : sequence of (str, ndarray of shape (n, h, w) or (n, h, w, c))
        What each version is called, the originals first; several budgets make several versions.
    captions : sequence of str
        One for each record.
    note : str
        About all versions.

    Examples
    --------
    >>> x = np.zeros((2, 8, 8), np.uint8)
    >>> page = samples_page("x.npz", [("original", x), ("budget 0.2", x), ("budget 0.05", x)], ["row 0", "row 1"])
    >>> page.count("<img")
    8
    """
    first, last = columns[0][1], columns[-1][1]
    low, high = _range(first)
    drawn = [(label, [png_text(image, low, high) for image in images]) for label, images in columns]
    if len(columns) > 1:
        # Grey: unchanged; lighter and darker as the last version is.
        changes = (np.asarray(last, np.float64) - first) / (high - low)
        drawn.append(("change; grey: none", [png_text(change, -1.0, 1.0) for change in changes]))
    return render_samples(name, drawn, captions, note)


def chosen(attributes: Attributes, rows: NDArray[np.int64], seed: int, count: int = SHOWN) -> NDArray[np.int64]:
    """Choose `count` of `rows` at random, as many of each class of the first attribute as there are.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> s = read_attributes(np.array(["a"] * 90 + ["b"] * 10))
    >>> picked = chosen(s, np.arange(100), 0, 8)
    >>> (picked < 90).sum(), len(picked)
    (np.int64(4), 8)
    """
    mixed = stream(seed, "workflow", "samples").permutation(rows)
    codes = attributes[0].codes[mixed] if len(attributes) else np.zeros(len(mixed), np.int64)
    # The first of every class, then the second of every class, and so on.
    turn = np.zeros(len(mixed), dtype=np.int64)
    for code in np.unique(codes):
        turn[codes == code] = np.arange((codes == code).sum())
    return np.sort(mixed[np.lexsort((codes, turn))][:count])


def _range(images: NDArray[Any]) -> tuple[float, float]:
    if images.dtype.kind == "u":
        return 0.0, float(np.iinfo(images.dtype).max)
    low, high = float(images.min()), float(images.max())
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high if high > low else low + 1.0)
