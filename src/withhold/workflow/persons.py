"""Which rows are of one person: by the column of subjects, by the names in a ledger, or by both."""

import numpy as np
import pyarrow as pa
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from withhold.privacy.record_names import name_bytes


def person_codes(table: pa.Table, name: str | None) -> np.ndarray | None:
    """Return the person of each row as an integer, told apart as a ledger does; None without a column.

    Examples
    --------
    >>> person_codes(pa.table({"id": ["7", " 7 ", "8"]}), "id")
    array([0, 0, 1])
    """
    if name is None:
        return None
    known: dict[bytes, int] = {}
    names = (name_bytes(value, "identifier") for value in table.column(name).to_pylist())
    return np.array([known.setdefault(each, len(known)) for each in names], dtype=np.int64)


def joined(groups: np.ndarray | None, persons: np.ndarray | None) -> np.ndarray | None:
    """Return the smallest groups of rows that divide neither a subject nor a person; None where each row is its own.

    Examples
    --------
    >>> joined(np.array([0, 0, 1, 2]), np.array([5, 6, 6, 7]))
    array([0, 0, 0, 1])
    >>> joined(None, np.array([2, 1, 3])) is None
    True
    """
    if persons is None:
        return groups
    if groups is None:
        return persons if len(np.unique(persons)) < len(persons) else None
    subjects, people = (np.unique(codes, return_inverse=True)[1] for codes in (groups, persons))
    nodes = int(subjects.max()) + 1 + int(people.max()) + 1
    links = coo_array((np.ones(len(groups)), (subjects, people + int(subjects.max()) + 1)), shape=(nodes, nodes))
    return np.asarray(connected_components(links, directed=False)[1][subjects], dtype=np.int64)
