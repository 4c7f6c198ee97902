"""Columns that tell whose record a row is, found by their names, or by what never differs within a value."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.data.arrow_types import comparable, family
from withhold.data.shares import plug_in_entropy

# Words in the heading of a column that names persons or other subjects with several records.
_WORDS = {
    "id", "ids", "nbr", "key", "uuid", "guid", "ssn", "mrn", "pid", "uid", "identifier", "patient", "subject", "person",
    "participant", "customer", "client", "user", "household", "student", "employee", "member", "respondent", "donor",
}  # fmt: skip
# A code list (26 ways to be discharged) has few values of many rows each; so many rows a subject are records of one.
_FEWEST, _MOST_ROWS, _LEAST_REPEATED = 20, 50, 0.01
# With more rows a subject an attribute that never differs within one tells it from a code.
_CONSTANT = 0.95
# Without such a name: persons keep a trait but for slips of the pen (.994 of patients in 130 hospitals have one race).
# Census weights, alike among neighbours, reach .949; occupations, charges and diagnoses are near chance.
_KEPT, _BY_CHANCE, _SEVERAL, _MOST_CLASSES, _GLANCE = 0.98, 0.8, 20, 256, 2_000


def repeating_identifier(
    table: pa.Table, candidates: Sequence[str], sensitive: pa.Table | None = None
) -> tuple[str, int] | None:
    """Return the column that seems to name subjects with several records, and how many; None where none does.

    By its name and how often its values repeat; else by content: within its values neither a sensitive attribute nor
    another column that tells little of that one differs, which no ordinary category or number does.

    Parameters
    ----------
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
    found: list[tuple[bool, int, str]] = []
    for name in candidates:
        words = set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()))
        column, named = table.column(name), bool(words & _WORDS)
        if family(column.type) not in (("text", "integer", "float", "decimal") if named else ("text", "integer")):
            continue
        codes = _codes(column)
        known = codes[codes >= 0]
        subjects = len(np.unique(known))
        if subjects < _FEWEST or len(known) - subjects < _LEAST_REPEATED * len(known):
            continue
        theirs = [] if sensitive is None else [_codes(one) for one in sensitive.columns]
        sure = named and len(known) <= _MOST_ROWS * subjects
        sure = sure or (named and any(len(np.unique(s)) > 1 and _kept(codes, s)[0] >= _CONSTANT for s in theirs))
        if sure or _alike(codes, column, theirs, table):
            found.append((named, subjects, name))
    if not found:
        return None
    _, subjects, name = max(found)  # the finest names persons where another names their practices
    return name, subjects


def _codes(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return a number for each value of a column, -1 where it is missing; numbers are in the order of the values."""
    values = comparable(column).combine_chunks()
    values = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    codes: NDArray[np.int64] = values.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    if not pa.types.is_integer(values.dictionary.type):
        return codes
    rank: NDArray[np.int64] = np.append(np.argsort(np.argsort(values.dictionary.to_numpy(zero_copy_only=False))), -1)
    return rank[codes]


def _kept(codes: NDArray[np.int64], trait: NDArray[np.int64]) -> tuple[float, float, int]:
    """Return the share of values with several rows within which a trait never differs, by chance, and their number."""
    rows = (codes >= 0) & (trait >= 0)
    if not rows.any():
        return 0.0, 1.0, 0
    own, trait = codes[rows], trait[rows]
    each = np.bincount(np.unique(own * (trait.max() + 1) + trait) // (trait.max() + 1))
    several = np.bincount(own) > 1
    if not several.any():
        return 0.0, 1.0, 0
    shares = np.bincount(trait) / len(trait)
    sizes, times = np.unique(np.bincount(own)[several], return_counts=True)
    chance = sum(float((shares**size).sum()) * n for size, n in zip(sizes, times, strict=True)) / times.sum()
    return float((each[several] == 1).mean()), float(chance), int(times.sum())


def _alike(codes: NDArray[np.int64], column: Any, theirs: list[NDArray[np.int64]], table: pa.Table) -> bool:
    """Tell whether rows of a value keep a sensitive attribute and another column, as the records of one person do."""
    for s in theirs:
        if not _told(codes, s) or (family(column.type) == "integer" and _in_runs(codes, s)):
            continue
        for other in table.columns:
            if family(other.type) in ("text", "integer", "boolean"):
                trait = _codes(other)
                if trait.max(initial=0) < _MOST_CLASSES and _told(codes, trait) and _apart(s, trait):
                    return True
    return False


def _told(codes: NDArray[np.int64], trait: NDArray[np.int64]) -> bool:
    kept, _, values = _kept(codes[:_GLANCE], trait[:_GLANCE])
    if values >= _SEVERAL and kept < _BY_CHANCE:  # of most columns a few rows show it
        return False
    kept, chance, values = _kept(codes, trait)
    return values >= _SEVERAL and kept >= _KEPT and chance <= _BY_CHANCE


def _in_runs(codes: NDArray[np.int64], s: NDArray[np.int64]) -> bool:
    """Tell whether neighbouring numbers share an attribute: then it is a function of a number, not of a person."""
    rows = (codes >= 0) & (s >= 0)
    first = np.unique(codes[rows], return_index=True)[1]
    theirs = s[rows][first]
    chance = float((np.bincount(theirs) / len(theirs)) @ (np.bincount(theirs) / len(theirs)))
    return float((theirs[1:] == theirs[:-1]).mean()) > (1 + chance) / 2


def _apart(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Tell whether neither of two columns tells more than half of the other."""
    rows = (a >= 0) & (b >= 0)
    joint = np.unique(np.column_stack([a[rows], b[rows]]), axis=0, return_counts=True)[1]
    both, *alone = (plug_in_entropy(counts) for counts in (joint, np.bincount(a[rows]), np.bincount(b[rows])))
    return alone[0] + alone[1] - both <= 0.5 * min(alone)
