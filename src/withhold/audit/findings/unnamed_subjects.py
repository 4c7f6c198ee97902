"""A column that names subjects with several records, where nobody said so: their records were judged one by one."""

from collections.abc import Sequence
from shlex import quote

import pyarrow as pa

from withhold.audit.findings.finder import Code, Finder
from withhold.audit.findings.scene import Rows
from withhold.contracts.finding import Finding
from withhold.contracts.wording import advice
from withhold.data.attribute import Attribute
from withhold.data.subjects import repeating_identifier

UNNAMED = Code("subjects_unnamed", ("warning",), "Name the column of subjects, and audit again.")


def unnamed_subjects(rows: Rows) -> list[Finding]:
    """Name the column that tells subjects in the release or its original, where no subjects were named.

    Examples
    --------
    >>> import numpy as np
    >>> visits = pa.table({"patient_nbr": [i // 2 for i in range(200)], "n": range(200)})
    >>> rows = Rows(visits, None, np.zeros(200, np.int64), None, (), ())
    >>> unnamed_subjects(rows)[0].column
    'patient_nbr'
    """
    if rows.groups is not None:
        return []
    for table in (rows.release, rows.original):
        found = None if table is None else repeating_identifier(table, table.column_names, _classes(rows.sensitive))
        if found is not None and table is not None:
            name, subjects = found
            text = (
                f"{name!r} seems to name {subjects:,} subjects in {table.num_rows:,} records, and no subjects were "
                "named: records of one stood on both sides of the splits, and what all of them tell together was not "
                f"attacked. Add {advice(f'groups={name!r}', f'--groups {quote(name)}')}."
            )
            return [UNNAMED.found(text, [name])]
    return []


def _classes(sensitive: Sequence[Attribute]) -> pa.Table | None:
    codes = {str(j): one.codes for j, one in enumerate(sensitive) if one.kind == "categorical"}
    return pa.table(codes) if codes else None


FINDER = Finder((UNNAMED,), lambda scene: unnamed_subjects(scene.every), place=14)
