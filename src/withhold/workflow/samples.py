"""samples.html: some records before and after, for the private folder."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.contracts.images import image_array, image_names
from withhold.contracts.seeds import stream
from withhold.data.attributes import Attributes
from withhold.io.png import png_text
from withhold.report.samples import render_samples
from withhold.workflow.job import Job

SAMPLES = "samples.html"
# Records shown: enough to see every digit, few enough for a phone.
SHOWN = 24
# What samples are drawn again under, beside the epsilon of the release.
EPSILONS = (Fraction(1, 5), Fraction(1), Fraction(4), Fraction(10))
NOT_RELEASED = (
    "The versions that are not marked as released were drawn for this page alone and are not in the ledger: whoever "
    "sees them has further answers about these records, each at its own epsilon: it must not leave this folder."
)


def samples_of(job: Job, features: pa.Table, sanitizer: Any = None) -> str | None:
    """Return the page for a run whose release is of images, else None.

    Parameters
    ----------
    job : Job
        The request with its data.
    features : pyarrow.Table
        What the method released of every row.
    sanitizer : Sanitizer, optional
        One under differential privacy also shows what it would have made of these records under other epsilons.
    """
    names = image_names(features)
    if len(names) != 1 or names != image_names(job.table.select(list(job.roles.features))):
        return None
    original, released = (image_array(table.column(names[0])) for table in (job.table, features))
    if original.shape != released.shape:
        return None
    rows = chosen(job.attributes, job.parts.audit_rows, job.request.seed)
    shown = (*job.roles.sensitive, *job.roles.utility)
    values = {name: job.table.column(name).take(pa.array(rows)).to_pylist() for name in shown}
    captions = [
        f"row {row} · " + " · ".join(f"{name} {values[name][i]}" for name in shown) for i, row in enumerate(rows)
    ]
    versions = [("original", original[rows]), ("release", released[rows])]
    drawn = by_epsilon(sanitizer, job, rows)
    if not drawn:
        return samples_page(job.summary.name, versions, captions)
    drawn[sanitizer.settled_.epsilon] = released[rows], " (released)"
    ordered = [(f"epsilon {float(e):g}{which}", images) for e, (images, which) in sorted(drawn.items())]
    return samples_page(job.summary.name, [versions[0], *ordered], captions, NOT_RELEASED)


def by_epsilon(sanitizer: Any, job: Job, rows: NDArray[np.int64]) -> dict[Fraction, tuple[NDArray[Any], str]]:
    """Draw some released records again under other epsilons, for their owner's eyes only: nothing is counted.

    Empty for methods without epsilon, and where the class is answered at random: the true one is not at hand here.
    """
    if not getattr(sanitizer, "fresh_noise", False) or sanitizer.label != "public":
        return {}
    chosen_rows = job.table.take(pa.array(rows))
    features = chosen_rows.select(image_names(chosen_rows))
    classes = chosen_rows.select([sanitizer.condition_.name]) if sanitizer.condition_.levels else None
    found: dict[Fraction, tuple[NDArray[Any], str]] = {}
    for epsilon in EPSILONS:
        other = sanitizer.with_mechanism(epsilon=epsilon, total=None)
        with other.uncounted():
            drawn, _ = other.release(features, classes)
        found[other.settled_.epsilon] = image_array(drawn.column(0)), ""
    return found


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
