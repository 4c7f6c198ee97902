"""Single values that go with one class of the attribute in nearly every row: averages over all rows hide them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from withhold.audit.findings.evidence import holm
from withhold.audit.findings.finder import Code, Finder
from withhold.audit.findings.scene import Asked, Scene
from withhold.audit.leakage.subjects import constant_within
from withhold.audit.view.reading import Reading
from withhold.audit.view.suppression import LEAST_RECORDS
from withhold.contracts.finding import Finding

Codes = npt.NDArray[np.int64]

# Share of a value's rows in one class from which they are known, and share of all rows from which that is no news.
CERTAIN, COMMON = 0.99, 0.9
MOST_NAMED = 3
IMPLIES = Code("value_implies_s", ("critical",), "Merge the values with others, or leave the columns out.")


def certain_values(
    name: str, readings: Sequence[Reading], s: Codes, levels: Sequence[str], groups: Codes | None = None
) -> list[Finding]:
    """Name the values nearly all of whose rows share one class that is not already nearly everybody's.

    Parameters
    ----------
    name : str
        The sensitive attribute.
    readings : sequence of Reading
        Released columns.
    s : ndarray of int, shape (n,)
        Class of each row, -1 where unknown.
    levels : sequence of str
        Words for the classes.
    groups : ndarray of int, shape (n,), optional
        Subjects: where all records of one share a class, a value that they share goes with it once.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_columns
    >>> import pyarrow as pa
    >>> s = np.arange(400) % 2
    >>> table = pa.table({"flag": np.where((s == 1) & (np.arange(400) < 112), "q", "p")})
    >>> certain_values("marr", list(read_columns(table)), s, ("0", "1"))[0].text
    "Some records can be known with certainty: value 'q' of 'flag' goes with marr = 1 in all 56 rows."
    """
    known = s >= 0
    shares = np.bincount(s[known], minlength=len(levels)) / max(1, known.sum())
    p_values: list[float] = []
    found: list[tuple[int, int, int, Reading, int, int]] = []  # rows, rows of the class, test, column, value, class
    subjects = groups if groups is not None and constant_within(groups, s) else None
    for reading in readings:
        here = known & ~reading.missing
        if subjects is not None:
            here = _once(here, subjects, reading.codes)
        sizes = np.bincount(reading.codes[here], minlength=len(reading.levels))
        tested = np.flatnonzero(sizes >= LEAST_RECORDS)
        if len(tested) == 0:
            continue
        place = np.full(len(sizes), -1)
        place[tested] = np.arange(len(tested))
        rows = np.flatnonzero(here)[place[reading.codes[here]] >= 0]
        joint = place[reading.codes[rows]] * len(levels) + s[rows]
        table = np.bincount(joint, minlength=len(tested) * len(levels)).reshape(len(tested), len(levels))
        best = table.argmax(axis=1)
        hits, size = table.max(axis=1), sizes[tested]
        # The class was chosen among all of them, which the test pays for.
        chance = np.minimum(1.0, len(levels) * stats.binom.sf(hits - 1, size, shares[best]))
        for i in np.flatnonzero((hits >= CERTAIN * size) & (shares[best] < COMMON)):
            found.append((int(size[i]), int(hits[i]), len(p_values) + int(i), reading, int(tested[i]), int(best[i])))
        p_values.extend(chance.tolist())
    passed = holm(p_values)
    certain = sorted((one for one in found if passed[one[2]]), key=lambda one: -one[0])
    if not certain:
        return []
    parts = []
    for count, agreeing, _, reading, value, best_class in certain[:MOST_NAMED]:
        # How many rows do not go with the class is a small count of its own.
        many = f"all {count}" if agreeing == count else f"at least 99 % of {count}"
        words = reading.levels[value]
        word = f"{words:g}" if reading.kind == "number" else f"'{words}'"
        units = "rows" if subjects is None else "subjects"
        parts.append(f"value {word} of '{reading.name}' goes with {name} = {levels[best_class]} in {many} {units}")
    more = f"; and {len(certain) - MOST_NAMED} more such values" if len(certain) > MOST_NAMED else ""
    text = f"Some records can be known with certainty: {'; '.join(parts)}{more}."
    return [IMPLIES.found(text, list(dict.fromkeys(one[3].name for one in certain)))]


def _once(here: npt.NDArray[np.bool_], groups: Codes, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Keep of the rows `here` the first of each subject and value."""
    rows = np.flatnonzero(here)
    kept = np.zeros(len(here), bool)
    kept[rows[np.unique(np.column_stack([groups[rows], codes[rows]]), axis=0, return_index=True)[1]]] = True
    return kept


def _look(scene: Scene, asked: Asked) -> list[Finding]:
    if asked.attribute.kind != "categorical":
        return []
    return certain_values(asked.name, scene.rows.after, asked.s, asked.attribute.levels, scene.rows.groups)


FINDER = Finder.of_each((IMPLIES,), _look, place=42)
