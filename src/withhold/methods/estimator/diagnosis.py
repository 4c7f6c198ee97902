"""Signs that a representation has collapsed or that its noise does not reach the output."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.contracts.finding import Finding
from withhold.data.arrow_types import comparable, family
from withhold.data.attribute import Attributes
from withhold.information.measures.effective_rank import effective_rank

# A representation that had two or more directions to begin with and ends with about one has thrown the data away;
# collapsed runs of games without release noise measured 1.1 to 1.4, healthy ones 4 and more.
COLLAPSED_RANK = 1.5
HEALTHY_RANK = 2.0
LOST = 4  # noise of fewer units in the last place than this is not noise
COUNTED = 50_000  # rows searched for copies
DISTINCT = 0.5  # share of different records below which keyed noise repeats itself for most rows
FEW = 100  # records below which a class, a quantile or a held-out score rests on a handful of them
CHANGED = 0.01  # share of a column's values below which the noise of a table is said to be lost


def few_records(n: int, sensitive: Attributes) -> list[Finding]:
    """Say where a fit rests on too few records, or on classes of which it saw one record each.

    Examples
    --------
    >>> few_records(10, Attributes(()))[0].code
    'few_records'
    >>> few_records(100, Attributes(()))
    []
    """
    found = []
    if n < FEW:
        text = (
            f"The sanitiser was fitted on {n} records. What it learned from so few may be chance, and no audit of them "
            f"can tell. Fit on at least {FEW}."
        )
        found.append(Finding(code="few_records", severity="warning", text=text))
    for attribute in sensitive:
        if attribute.kind != "categorical":
            continue
        counts = np.bincount(attribute.codes[attribute.known])
        single, known = int((counts == 1).sum()), int(attribute.known.sum())
        if 2 * single > known:
            text = (
                f"{single} of {known} records have a value of '{attribute.name}' that no other record has. What goes "
                "with such a value cannot be learned, so it is not hidden. Group the values, or declare a number "
                "continuous."
            )
            found.append(Finding(code="classes_of_one", severity="warning", text=text, column=attribute.name))
    return found


def spread(Z: np.ndarray) -> float:
    """Return the root mean variance of the columns of Z."""
    return float(np.sqrt(np.asarray(Z, dtype=np.float64).var(axis=0).mean()))


def diagnose(
    H: np.ndarray, Z: np.ndarray, noise: float | np.ndarray, pixels: bool = False
) -> tuple[dict[str, float], list[Finding]]:
    """Measure a representation against what went in and against its noise.

    Parameters
    ----------
    H : ndarray of shape (n_samples, n_encoded)
        What went in.
    Z : ndarray of shape (n_samples, n_dimensions)
        The deterministic part of what comes out, before noise.
    noise : float or ndarray of shape (n_dimensions,)
        Standard deviation of the noise added to it.
    pixels : bool
        Whether the columns are places of a picture: neighbours move together, so that noise as large as the spread of
        one pixel leaves the picture, and is compared with the spread along the directions that are used.

    Returns
    -------
    (dict, list of Finding)
        ``effective_rank``, ``noise_scale`` (root mean square over the columns) and, unless Z is constant,
        ``noise_to_spread``; findings `collapse` and `noise_below_rounding`.
    """
    scales = np.broadcast_to(np.asarray(noise, dtype=np.float64), Z.shape[1:])
    sd = float(np.sqrt((scales**2).mean())) if scales.size else 0.0
    rank, width = effective_rank(Z), spread(Z)
    measured = {"effective_rank": rank, "noise_scale": sd}
    findings = []
    if width > 0:
        measured["noise_to_spread"] = sd / width
    if rank < COLLAPSED_RANK and effective_rank(H) >= HEALTHY_RANK:
        findings.append(
            _collapse(f"its effective rank is {rank:.2f}: little more than one direction of the data is left")
        )
    elif sd > width * (np.sqrt(Z.shape[1] / rank) if pixels and rank > 0 else 1.0):
        findings.append(_collapse(f"the noise (sd {sd:.3g}) exceeds the spread of the signal ({width:.3g})"))
    rounding = np.spacing(np.abs(Z).max(axis=0)) if len(Z) else np.zeros(scales.shape)
    lost = (scales > 0) & (scales < LOST * rounding)
    if lost.any():
        findings.append(
            Finding(
                code="noise_below_rounding",
                severity="warning",
                text=f"Rounding removes the noise in {int(lost.sum())} of {lost.size} columns of Z. Standardise the "
                "data, or raise the noise.",
            )
        )
    return measured, findings


def repeated_records(rows: np.ndarray) -> tuple[dict[str, float], list[Finding]]:
    """Say when most records are copies of each other, so that keyed noise is one offset a kind of record.

    Noise that is the same for the same record cannot be averaged over releases; by the same token, where few different
    records exist, a reader who knows some of each kind learns what each kind turns into.

    Parameters
    ----------
    rows : ndarray of uint8, shape (n_samples, n_bytes)
        Canonical bytes of the records.

    Examples
    --------
    >>> measured, found = repeated_records(np.array([[1], [1], [1], [2], [2]], dtype=np.uint8))
    >>> measured, [finding.code for finding in found]
    ({'distinct_records': 0.4}, ['noise_repeats'])
    """
    part = np.ascontiguousarray(rows[:COUNTED])
    distinct = len(np.unique(part.view(np.dtype((np.void, part.shape[1])))))
    share = distinct / len(part)
    if share >= DISTINCT:
        return {"distinct_records": share}, []
    text = (
        f"There are only {100 * share:.2g} different records per 100 rows. Copies of a record get the same noise, so a "
        "reader with examples learns to undo it. Do not rely on the noise; the audit shows what it hides."
    )
    return {"distinct_records": share}, [Finding(code="noise_repeats", severity="warning", text=text)]


def lost_in_table(plain: pa.Table, noisy: pa.Table) -> list[Finding]:
    """Say when the noise changes almost nothing once the numbers are rounded and the categories chosen.

    Examples
    --------
    >>> [f.code for f in lost_in_table(pa.table({"a": [1, 2]}), pa.table({"a": [1, 2]}))]
    ['noise_below_rounding']
    """
    shares = []
    for a, b in zip(plain.columns, noisy.columns, strict=True):
        if family(a.type) == "null":
            continue
        same = pc.fill_null(pc.equal(comparable(a), comparable(b)), True)
        shares.append(1.0 - float(pc.mean(same.cast(pa.float64())).as_py() or 0.0))
    if not shares or max(shares) >= CHANGED:
        return []
    text = f"Rounding removes the noise: it changes less than {100 * CHANGED:g} % of the values of any column."
    return [Finding(code="noise_below_rounding", severity="warning", text=text)]


def _collapse(reason: str) -> Finding:
    text = f"The representation has collapsed: {reason}. Low leakage only shows that little of anything was kept."
    return Finding(code="collapse", severity="warning", text=text)
