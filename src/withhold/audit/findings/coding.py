"""Classes written as integers that were treated as a number."""

from collections.abc import Mapping, Sequence

import numpy as np

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.reading import Reading
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed, verb
from withhold.data.attribute import Attribute

FEW_CLASSES = 20
# Share of released values that must lie between classes.
BETWEEN = 0.05
INTEGER_CLASSES = Code("integer_classes", ("warning",), "If they are classes, declare them categorical.")


def integer_classes(release: Sequence[Reading], origin: Mapping[str, Reading]) -> list[Finding]:
    """Name the columns of few whole numbers whose released values lie between them.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> before = read_column(pa.table({"site": [1, 2, 3] * 20}), "site")
    >>> after = read_column(pa.table({"site": [1.2, 2.0, 2.7] * 20}), "site")
    >>> integer_classes([after], {"site": before})[0].code
    'integer_classes'
    """
    found = []
    for reading in release:
        before = origin.get(reading.name)
        if before is None or before.kind != "number" or reading.kind != "number" or before.name != reading.name:
            continue
        if 3 <= len(before.levels) <= FEW_CLASSES and _whole(before.levels):
            between = reading.counts[reading.levels != np.round(reading.levels)].sum() / max(1, reading.counts.sum())
            if between >= BETWEEN:
                found.append(reading.name)
    if not found:
        return []
    text = f"{listed(found)} {verb(found, 'holds', 'hold')} few whole numbers in the original and values between "
    text += "them in the release. If they are classes they were treated as a number: declare them categorical."
    return [INTEGER_CLASSES.found(text, found)]


def integer_attributes(attributes: Sequence[Attribute]) -> list[Finding]:
    """Name the attributes judged as numbers that hold only a few whole values.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> centre = read_attributes([1.0, 2.0, 4.0] * 10)
    >>> integer_attributes(list(centre))[0].column
    'sensitive_features'
    """
    out = []
    for attribute in attributes:
        if attribute.kind == "continuous":
            distinct = np.unique(attribute.values[attribute.known])
            if 2 <= len(distinct) <= FEW_CLASSES and _whole(distinct):
                text = f"'{attribute.name}' is judged as a number but holds only {len(distinct)} whole values. "
                text += "If they are classes, declare it categorical: a linear relation says little about codes."
                out.append(INTEGER_CLASSES.found(text, [attribute.name]))
    return out


def _whole(levels: np.ndarray) -> bool:
    return bool(np.isfinite(levels).all() and (levels == np.round(levels)).all())


ATTRIBUTES = Finder((INTEGER_CLASSES,), lambda scene: integer_attributes(scene.every.sensitive), place=11)
COLUMNS = Finder((INTEGER_CLASSES,), lambda scene: integer_classes(scene.rows.after, scene.rows.origin), place=33)
