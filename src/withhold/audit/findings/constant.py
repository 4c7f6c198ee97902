"""Columns that hold one value."""

from collections.abc import Sequence

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.reading import Reading
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed, verb

CONSTANT = Code("constant_column", ("info", "warning"), "Leave it out: it says nothing.")
EMPTIED = Code("column_emptied", ("warning",), "Withhold less, or leave the column out and say so.")


def constant_columns(release: Sequence[Reading], original: Sequence[Reading] = ()) -> list[Finding]:
    """Name the columns of the release that hold a single value, and say which varied in the original.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_columns
    >>> import pyarrow as pa
    >>> constant_columns(list(read_columns(pa.table({"a": [1, 1], "b": [1, 2]}))))[0].text
    "'a' holds one value in every row."
    """
    constant = [r.name for r in release if is_constant(r)]
    varied = {r.name for r in original if not is_constant(r)}
    lost = [name for name in constant if name in varied]
    rest = [name for name in constant if name not in varied]
    out = []
    if lost:
        text = (
            f"{listed(lost)} {verb(lost, 'holds', 'hold')} one value in every row of the release; the original varies."
        )
        out.append(EMPTIED.found(text, lost))
    if rest:
        text = f"{listed(rest)} {verb(rest, 'holds', 'hold')} one value in every row."
        out.append(CONSTANT.found(text, rest))
    return out


def is_constant(reading: Reading) -> bool:
    """Whether all rows hold the same value, or none at all.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> is_constant(read_column(pa.table({"a": [1, None]}), "a"))
    False
    """
    return len(reading.levels) + int(reading.missing.any()) <= 1


FINDER = Finder((EMPTIED, CONSTANT), lambda scene: constant_columns(scene.rows.after, scene.rows.before), place=31)
