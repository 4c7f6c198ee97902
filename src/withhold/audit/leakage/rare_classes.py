"""Making a sensitive attribute fit to be attacked: classes too rare to learn are pooled, and said to be."""

import numpy as np

from withhold.contracts.errors import DataError
from withhold.contracts.finding import Finding
from withhold.data.attribute import MAX_JOINT_CELLS, Attribute

# Classes with fewer rows cannot be in every training and scored part.
LEAST_ROWS = 10
POOLED = "other"


def attackable(attribute: Attribute) -> tuple[Attribute, list[Finding]]:
    """Return the attribute with at most 50 classes of at least ten rows, the rest pooled into one.

    A pooled attribute is a function of the full one, so what is learned about it is a lower bound for the full one.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> s = read_attributes(["a"] * 20 + ["b"] * 20 + ["c", "d"])[0]
    >>> attackable(s)[0].levels
    ('a', 'b', 'other')
    """
    findings = []
    if attribute.became is not None and attribute.became.any():
        text = (
            f"{attribute.became.sum():,} rows say 'nan', 'NaN', 'NaT' or '<NA>' of '{attribute.name}', which was taken "
            "for a missing value: nobody attacked who they are. If it is a class, write it as another word."
        )
        findings.append(Finding(code="text_taken_for_missing", severity="warning", text=text, column=attribute.name))
    if attribute.kind == "continuous":
        distinct = np.unique(attribute.values[attribute.known])
        if len(distinct) < 2:
            raise _too_few(attribute.name, f"{len(distinct)} known value" + "s" * (len(distinct) != 1))
        return attribute, findings
    counts = np.bincount(attribute.codes[attribute.known], minlength=attribute.n_classes)
    present = np.flatnonzero(counts)
    if len(present) < 2:
        raise _too_few(attribute.name, f"{len(present)} known class" + "es" * (len(present) != 1))
    if len(present) > 2 and counts.max() == 1:
        raise _too_few(attribute.name, "a single row per class")
    order = present[np.argsort(-counts[present], kind="stable")]
    keep = order[: MAX_JOINT_CELLS - 1] if len(order) > MAX_JOINT_CELLS else order
    frequent = keep[counts[keep] >= LEAST_ROWS]
    # Two classes are always left apart, however rare: pooling them would leave nothing to attack.
    keep = np.sort(frequent if len(frequent) >= 2 else order[: max(1, min(2, len(order)))])
    rest = np.setdiff1d(present, keep)
    if len(rest) == 1 and len(present) <= MAX_JOINT_CELLS:
        keep, rest = np.sort(present), rest[:0]
    codes = np.full(len(attribute.codes), -1, dtype=np.int64)
    for new, old in enumerate(keep):
        codes[attribute.codes == old] = new
    codes[np.isin(attribute.codes, rest)] = len(keep)
    levels = tuple(attribute.levels[i] for i in keep) + ((POOLED,) if len(rest) else ())
    if len(rest):
        findings.append(
            Finding(
                code="classes_pooled",
                severity="info",
                text=f"{len(rest)} classes of '{attribute.name}' are too rare or too many to attack one by one; "
                f"they were judged as one class. What is learned about the rest still counts in full.",
                column=attribute.name,
            )
        )
    return Attribute(attribute.name, "categorical", codes, attribute.values, levels), findings


def _too_few(name: str, got: str) -> DataError:
    who = "The sensitive attribute" if name == "sensitive_features" else repr(name)
    return DataError(
        f"{who} cannot be attacked: it has {got}. Check the column, merge its classes, or declare it continuous."
    )
