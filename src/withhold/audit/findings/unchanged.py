"""Columns that came out as they went in although they reveal the attribute."""

from collections.abc import Mapping, Sequence

import numpy as np

from withhold.audit.findings.evidence import Evidence, holm
from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.reading import Reading
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed, percent, verb

SAME, TELLS = 0.99, 0.02
UNCHANGED = Code("column_unchanged", ("warning",), "Withhold more, or leave the columns out.")


def unchanged_columns(
    name: str, release: Sequence[Reading], origin: Mapping[str, Reading], after: Mapping[str, Evidence]
) -> list[Finding]:
    """Name the columns that tell the attribute and are the original in nearly every row.

    A linear erasure in one-hot space moves values by less than it takes to change the category, so that choosing the
    nearest category undoes it.
    """
    passed = dict(zip(after, holm([evidence.p_value for evidence in after.values()]), strict=True))
    found = []
    for reading in release:
        before = origin.get(reading.name)
        if (
            before is None
            or before.kind != reading.kind
            or not passed[reading.name]
            or after[reading.name].share < TELLS
        ):
            continue
        values = before.levels[np.maximum(before.codes, 0)] == reading.levels[np.maximum(reading.codes, 0)]
        if np.mean((values & ~before.missing & ~reading.missing) | (before.missing & reading.missing)) >= SAME:
            found.append(reading.name)
    if not found:
        return []
    found.sort(key=lambda column: -after[column].share)
    text = f"{listed(found)} came out unchanged in at least 99 % of rows and still "
    text += f"{verb(found, 'tells', 'tell')} {name} ('{found[0]}' {percent(after[found[0]].share)} of its entropy)."
    return [UNCHANGED.found(text, found)]


FINDER = Finder.of_each(
    (UNCHANGED,),
    lambda scene, asked: unchanged_columns(asked.name, scene.rows.after, scene.rows.origin, asked.told),
    place=45,
)
