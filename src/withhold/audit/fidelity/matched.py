"""Columns that original and release share, brought to one set of values so that both can be counted alike."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.view.reading import Reading, read_columns
from withhold.contracts.fidelity_record import ColumnKind
from withhold.data.attributes import MAX_INTEGER_CLASSES
from withhold.data.schema import pandas_index

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Numbers that differ by less are one number: arithmetic, such as a change of type, moves no value.
ARITHMETIC = 1e-12
# A level is shown with so many characters at most.
LONGEST = 60


@dataclass(frozen=True, eq=False)
class Matched:
    """One column before and after, as codes of the values that either holds.

    Attributes
    ----------
    kind : {"category", "number", "date"}
        What it is in the original; whole numbers of at most 20 values are categories.
    levels : ndarray, shape (k,)
        The values in order: text of a category, float64 of a number, days of a date.
    before, after : ndarray of int, shape (n,)
        Index among the levels, -1 where missing; k where the release holds what no column of this kind can hold.
    note : str
        What is to be said of the types.
    """

    name: str
    kind: ColumnKind
    levels: npt.NDArray[Any]
    before: Codes
    after: Codes
    note: str = ""

    @property
    def numeric(self) -> bool:
        """Whether the values have a distance."""
        return self.kind != "category"

    @cached_property
    def counts(self) -> tuple[Codes, Codes]:
        """Rows that hold each level, and last those that hold anything else, before and after."""
        size = len(self.levels) + 1
        first, second = (np.bincount(c[c >= 0], minlength=size) for c in (self.before, self.after))
        return first.astype(np.int64), second.astype(np.int64)

    @cached_property
    def shares(self) -> tuple[Floats, Floats] | None:
        """Shares of the known values, before and after; None where one of the tables knows none."""
        first, second = self.counts
        return (first / first.sum(), second / second.sum()) if first.sum() and second.sum() else None

    def values(self, codes: Codes) -> Floats:
        """Return the numbers of a numeric column, NaN where there is none."""
        known = np.append(np.where(np.isfinite(self.levels), self.levels, np.nan), [np.nan, np.nan])
        return np.asarray(known[codes])  # -1 is the last

    def take(self, rows: Codes) -> "Matched":
        """Return the column of some rows."""
        return Matched(self.name, self.kind, self.levels, self.before[rows], self.after[rows], self.note)

    def label(self, level: int) -> str:
        """Write one level."""
        value = self.levels[level]
        if self.kind == "date":
            known = bool(abs(value) < 2.9e6)  # years up to 9999
            moment = np.datetime64(round(value * 86_400), "s") if known else value
            return str(moment).removesuffix("T00:00:00")
        text = f"{value:.6g}" if self.kind == "number" else str(value)
        return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def shared_columns(before: pa.Table, after: pa.Table) -> tuple[Iterator[Matched], list[str]]:
    """Match the columns of two tables by name, one at a time; images and pandas' row labels are left out.

    Parameters
    ----------
    before, after : pyarrow.Table
        The same records, row by row.

    Returns
    -------
    iterator of Matched, list of str
        The columns in both, and the names of those that only the original has.

    Examples
    --------
    >>> found, absent = shared_columns(pa.table({"age": [2.5, 4], "sex": ["f", "m"]}), pa.table({"age": [4, None]}))
    >>> [(one.name, one.levels.tolist(), one.before.tolist(), one.after.tolist()) for one in found], absent
    ([('age', [2.5, 4.0], [0, 1], [1, -1])], ['sex'])
    """
    raw, released = _without_labels(before), _without_labels(after)
    names = [name for name in raw.column_names if name in set(released.column_names)]
    absent = [name for name in dict.fromkeys(raw.column_names) if name not in names]
    return _matched(raw, released, list(dict.fromkeys(names))), absent


def _without_labels(table: pa.Table) -> pa.Table:
    labels = pandas_index(table.schema)
    return table.select([i for i, name in enumerate(table.column_names) if name not in labels])


def _matched(before: pa.Table, after: pa.Table, names: Iterable[str]) -> Iterator[Matched]:
    for name in names:
        raw, released = (_one(table, name) for table in (before, after))
        parts = {reading.name: reading for reading in released}
        for reading in raw:
            if reading.name in parts:
                yield match(reading, parts[reading.name])


def _one(table: pa.Table, name: str) -> list[Reading]:
    """Read the first column of a name; several where it is nested, none where it holds images."""
    return list(read_columns(table.select([table.column_names.index(name)])))


def match(before: Reading, after: Reading) -> Matched:
    """Bring one column of both tables to the same values.

    Whatever the types are, there is an answer: numbers written as text are numbers, numbers of a category are
    spelled, and what cannot be read counts as a value that the original does not hold.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> before, after = pa.table({"age": [2.5, 4]}), pa.table({"age": ["2.5", "old"]})
    >>> found = match(read_column(before, "age"), read_column(after, "age"))
    >>> found.levels.tolist(), found.after.tolist(), found.note
    ([2.5, 4.0], [0, 2], 'a number in the original, text in the release')
    """
    if before.kind == "number" and not _classes(before):
        return _numbers(before, after)
    first, second = _spelled(before), _spelled(after)
    place = {level: code for code, level in enumerate(sorted({*first, *second}, key=_order))}
    codes = (
        _through(np.asarray([place[level] for level in first], np.int64), before),
        _through(np.asarray([place[level] for level in second], np.int64), after),
    )
    levels = np.asarray(list(place), dtype=object)
    told = before.kind == "category" and after.kind == "number" and len(after.levels)
    note = "text in the original, a number in the release" if told else ""
    return Matched(before.name, "category", levels, *codes, note)


def _classes(reading: Reading) -> bool:
    """Whether a number is a code or a count: few whole values, as for attributes."""
    few = 0 < len(reading.levels) <= MAX_INTEGER_CLASSES and not reading.ticks_per_day
    return few and bool(np.all(np.isfinite(reading.levels) & (np.floor(reading.levels) == reading.levels)))


def _numbers(before: Reading, after: Reading) -> Matched:
    first, second = _days(before), _days(after)
    known = np.concatenate([first, second])
    levels = np.unique(known[~np.isnan(known)])
    if len(levels):
        nearer = np.minimum(np.abs(levels[1:]), np.abs(levels[:-1]))
        with np.errstate(over="ignore"):
            levels = levels[np.append(True, np.diff(levels) > ARITHMETIC * nearer)]
    index = np.where(np.isnan(known), len(levels), np.searchsorted(levels, known, side="right") - 1)
    kind: ColumnKind = "date" if before.ticks_per_day else "number"
    note = "" if len(after.levels) == 0 or bool(before.ticks_per_day) == bool(after.ticks_per_day) else "other"
    if after.kind == "category" or note:
        held = "text" if after.kind == "category" else "a date" if after.ticks_per_day else "a number"
        note = f"a {kind} in the original, {held} in the release" if len(after.levels) else ""
    codes = _through(index[: len(first)], before), _through(index[len(first) :], after)
    return Matched(before.name, kind, levels, *codes, note)


def _days(reading: Reading) -> Floats:
    """Return the levels as numbers, dates as days; NaN for text that is no number."""
    if reading.kind == "number":
        return np.asarray(reading.levels / reading.ticks_per_day if reading.ticks_per_day else reading.levels)
    return np.asarray([_number(level) for level in reading.levels.tolist()], np.float64)


def _number(text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        return float("nan")


def _order(level: str) -> tuple[float, str]:
    number = _number(level)
    return (np.inf if np.isnan(number) else number), level


def _spelled(reading: Reading) -> list[str]:
    return [f"{level:.12g}" if isinstance(level, float) else str(level) for level in reading.levels.tolist()]


def _through(index: npt.NDArray[np.integer[Any]], reading: Reading) -> Codes:
    """Return the new code of each row of a column, by the new code of each of its levels."""
    return np.append(index, -1).astype(np.int64)[reading.codes]  # the code of a missing value is -1, the last
