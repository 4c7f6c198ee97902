"""Row labels of pandas that travel in a file as a column."""

import pyarrow as pa

from withhold.audit.findings.finder import Code, Finder
from withhold.contracts.finding import Finding
from withhold.contracts.wording import listed, verb
from withhold.data.schema import pandas_index

ROW_LABELS = Code("row_labels", ("warning",), "Write the file without them (pandas: index=False).")


def row_labels(release: pa.Table) -> list[Finding]:
    """Name the columns that hold the index of the data frame which the file was written from.

    They are handed over, so they are attacked like every other column; but nobody means to release them, and a label
    names its record or the row it came from.

    Examples
    --------
    >>> import pandas as pd
    >>> row_labels(pa.Table.from_pandas(pd.DataFrame({"a": [1, 2]}, index=[7, 9])))[0].column
    '__index_level_0__'
    """
    names = list(pandas_index(release.schema))
    if not names:
        return []
    text = (
        f"{listed(names)} {verb(names, 'holds', 'hold')} the row labels (index) of the data frame the file was written "
        "from, and attackers were given them. A label names its record: whoever has the original finds the row by it. "
        f"{ROW_LABELS.remedy}"
    )
    return [ROW_LABELS.found(text, names)]


FINDER = Finder((ROW_LABELS,), lambda scene: row_labels(scene.every.release), place=12)
