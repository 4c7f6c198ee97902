"""Text that people wrote in a release: names, ways to reach somebody, sentences, however often each is repeated."""

from collections.abc import Sequence

import numpy as np

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.reading import Reading
from withhold.contracts.finding import Finding
from withhold.data.columns.writing import written_by_people

WRITTEN_TEXT = Code("written_text", ("warning",), "Leave such columns out, or replace their values by codes.")


def written_text(release: Sequence[Reading]) -> list[Finding]:
    """Name the columns that hold what people wrote.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_columns
    >>> import pyarrow as pa
    >>> table = pa.table({"doctor": ["Dr. Weber", "Dr. Moss", "Dr. Li"] * 9, "ward": ["A", "B", "C"] * 9})
    >>> [found.column for found in written_text(list(read_columns(table)))]
    ['doctor']
    """
    found = []
    for reading in release:
        if reading.kind == "category" and len(reading.levels):
            commonest = np.argsort(-reading.counts, kind="stable")
            kind = written_by_people(reading.source, [str(reading.levels[j]) for j in commonest])
            if kind is not None:
                text = (
                    f"{reading.name!r} holds {kind} ({len(reading.levels):,} different ones): people may be recognised "
                    "by it, whatever attackers learned of the sensitive attribute."
                )
                found.append(WRITTEN_TEXT.found(text, [reading.name]))
    return found


FINDER = Finder((WRITTEN_TEXT,), lambda scene: written_text(scene.rows.after), place=13)
