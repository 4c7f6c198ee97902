"""Text that a spreadsheet takes for a formula when it opens the release as CSV.

Cells are released as they are: they are the user's data, and a mark before them would be another level to whoever reads
the release again. So they are named.
"""

import re
from collections.abc import Sequence

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.view.reading import Reading
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed, verb

FORMULA_CELLS = Code("formula_cells", ("warning",), "Import such columns as text.")
# What starts a formula; a sign alone or before a number does not.
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d.,\s%-]*$)")


def formula_cells(release: Sequence[Reading]) -> list[Finding]:
    """Name the columns with text, or a heading, that starts as a formula does.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_columns
    >>> import pyarrow as pa
    >>> table = pa.table({"note": ["=HYPERLINK(A1)", "b"], "change": ["-3.2", "+1"], "x": [-1.5, 2.0]})
    >>> [found.column for found in formula_cells(list(read_columns(table)))]
    ['note']
    """
    # The levels of numbers are no text, and many.
    found = [r.name for r in release if any(map(_starts, (r.name, *(r.levels if r.levels.dtype == object else ()))))]
    if not found:
        return []
    text = (
        f"{listed(found)} {verb(found, 'holds', 'hold')} text that starts with =, +, -, @, a tab or a line end: a "
        "spreadsheet that opens the release as CSV runs it as a formula. It is released as it is; import such columns "
        "as text."
    )
    return [FORMULA_CELLS.found(text, found)]


def _starts(value: object) -> bool:
    return isinstance(value, str) and _FORMULA.match(value) is not None


FINDER = Finder((FORMULA_CELLS,), lambda scene: formula_cells(scene.rows.after), place=32)
