"""Columns that tell whose record a row is, found by their names and by how often their values repeat."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from withhold.data.arrow_types import comparable, family

# Words in the heading of a column that names persons or other subjects with several records.
_WORDS = {
    "id", "ids", "nbr", "key", "uuid", "guid", "ssn", "mrn", "pid", "uid", "identifier", "patient", "subject", "person",
    "participant", "customer", "client", "user", "household", "student", "employee", "member", "respondent", "donor",
}  # fmt: skip
# A code list (26 ways to be discharged) has few values of many rows each; so many rows a subject are records of one.
_FEWEST, _MOST_ROWS, _LEAST_REPEATED = 20, 50, 0.01
# With more rows a subject an attribute that never differs within one tells it from a code.
_CONSTANT = 0.95


def repeating_identifier(
    table: pa.Table, candidates: Sequence[str], sensitive: pa.Table | None = None
) -> tuple[str, int] | None:
    """Return the column that seems to name subjects with several records, and how many; None where none does.

    Parameters
    ----------
    table : pyarrow.Table
    candidates : sequence of str
        Columns without another use, or left out.
    sensitive : pyarrow.Table or None
        The sensitive columns of the same rows.

    Examples
    --------
    >>> visits = pa.table({"patient_nbr": [i // 2 for i in range(200)], "n": range(200)})
    >>> repeating_identifier(visits, ["patient_nbr", "n"])
    ('patient_nbr', 100)
    >>> repeating_identifier(visits, ["n"]) is None
    True
    """
    found: list[tuple[int, str]] = []
    for name in candidates:
        words = set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()))
        column = table.column(name)
        if not words & _WORDS or family(column.type) not in ("text", "integer", "float", "decimal"):
            continue
        codes = comparable(column).combine_chunks()
        codes = codes if pa.types.is_dictionary(codes.type) else codes.dictionary_encode()
        known = codes.indices.drop_null().to_numpy(zero_copy_only=False).astype(np.int64)
        counts = np.bincount(known)
        subjects = int((counts > 0).sum())
        if subjects < _FEWEST or len(known) - subjects < _LEAST_REPEATED * len(known):
            continue
        many = len(known) > _MOST_ROWS * subjects
        if many and not (sensitive is not None and _constant(codes.indices, sensitive)):
            continue
        found.append((subjects, name))
    if not found:
        return None
    subjects, name = max(found)  # the finest names persons where another names their practices
    return name, subjects


def _constant(codes: pa.Array, sensitive: pa.Table) -> bool:
    """Tell whether some sensitive attribute hardly ever differs within a value."""
    subject = codes.fill_null(-1).to_numpy(zero_copy_only=False)
    for column in sensitive.columns:
        values = comparable(column).combine_chunks()
        classes = (values if pa.types.is_dictionary(values.type) else values.dictionary_encode()).indices
        pairs = np.unique(np.column_stack([subject, classes.fill_null(-1).to_numpy(zero_copy_only=False)]), axis=0)
        distinct, each = np.unique(pairs[:, 0], return_counts=True)
        if len(np.unique(pairs[:, 1])) > 1 and (each[distinct >= 0] == 1).mean() >= _CONSTANT:
            return True
    return False
