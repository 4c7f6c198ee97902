"""Dates as people write them, 31.12.2024 or 12/31/2024 8:30: a column holds dates where all values agree on a form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from shlex import quote

import pyarrow as pa
import pyarrow.compute as pc

from withhold.contracts.errors import DataError
from withhold.contracts.wording import advice

_TIME = r"(?:[ T]+(?P<t>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?))?"
_DAY, _MONTH, _YEAR = "(?P<d>[0-9]{1,2})", "(?P<m>[0-9]{1,2})", "(?P<y>[0-9]{4})"
# By the notation of strptime. Between dots the day comes first wherever people write so; slashes and hyphens are used
# with either first. Years of two digits are left to --date: 31.12.24 may be a birth or yesterday.
FORMS = {
    "%d.%m.%Y": rf"{_DAY}\.{_MONTH}\.{_YEAR}",
    "%d/%m/%Y": f"{_DAY}/{_MONTH}/{_YEAR}",
    "%m/%d/%Y": f"{_MONTH}/{_DAY}/{_YEAR}",
    "%d-%m-%Y": f"{_DAY}-{_MONTH}-{_YEAR}",
    "%m-%d-%Y": f"{_MONTH}-{_DAY}-{_YEAR}",
    "%Y/%m/%d": f"{_YEAR}/{_MONTH}/{_DAY}",
    "%Y.%m.%d": rf"{_YEAR}\.{_MONTH}\.{_DAY}",
}
_ANY = r"^\s*[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}(?:[ T]|\s*$)"
_OF_TIME = ("%H", "%I", "%c", "%X", "%s")


@dataclass
class DateForms:
    """The forms that all values of one column have so far.

    Examples
    --------
    >>> seen = DateForms()
    >>> seen.add(pa.array(["01.02.2024", None, "31.12.2024 8:30"]))
    >>> seen.settled("t.csv", "day")
    ('%d.%m.%Y', TimestampType(timestamp[s]))
    """

    left: list[str] = field(default_factory=lambda: list(FORMS))
    timed: bool = False
    values: int = 0
    differing: bool = False

    def add(self, column: pa.Array | pa.ChunkedArray) -> None:
        """Look at more values: each once."""
        values = pc.unique(column).drop_null()
        if not len(values) or not self.left:
            return
        self.values += len(values)
        read = {form: dates for form in self.left if (dates := _read(values, form)) is not None}
        self.left = list(read)
        if read:
            self.timed |= pc.any(pc.match_substring_regex(values, ":")).as_py()
            first, *others = read.values()
            self.differing |= any(not first.equals(other) for other in others)

    def settled(self, where: str, name: str) -> tuple[str, pa.DataType] | None:
        """Return the form and its type; None where the values are no dates.

        Raises
        ------
        DataError
            If several forms fit and say different days.
        """
        if not self.values or not self.left:
            return None
        if self.differing and len(self.left) > 1:
            one, other = self.left[:2]
            raise DataError(
                f"Column {name!r} of '{where}' may be {_spoken(one)} or {_spoken(other)}: no value decides. Add "
                + advice(
                    f"Reading(dates=(({name!r}, {one!r}),)), the same with {other!r}, or Reading(text=({name!r},))",
                    f"--date {quote(f'{name}={one}')}, --date {quote(f'{name}={other}')}, or --text {quote(name)} to "
                    "keep it as text",
                )
                + "."
            )
        return self.left[0], pa.timestamp("s") if self.timed else pa.date32()


def looks_dated(column: pa.Array | pa.ChunkedArray) -> bool:
    """Tell whether the first known value of a text column is written like a date.

    Examples
    --------
    >>> looks_dated(pa.array([None, "1/2/2024"])), looks_dated(pa.array(["ward 7"]))
    (True, False)
    """
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    for chunk in (chunk for chunk in chunks if chunk.null_count < len(chunk)):
        first = chunk.slice(pc.index(chunk.is_valid(), True).as_py(), 1)
        return bool(pc.match_substring_regex(first, _ANY)[0].as_py())
    return False


def with_dates(table: pa.Table, dates: Mapping[str, tuple[str, pa.DataType]], where: str) -> pa.Table:
    """Return a table whose columns of dates are dates; texts in them are read by their forms.

    Parameters
    ----------
    dates : mapping of str to (str, DataType)
        The form of each column in the notation of strptime, and its type.
    where : str
        What the table is called in messages.

    Raises
    ------
    DataError
        If a value is of another form.

    Examples
    --------
    >>> table = pa.table({"day": ["5.3.2024", None]})
    >>> with_dates(table, {"day": ("%d.%m.%Y", pa.date32())}, "t.csv")["day"].to_pylist()
    [datetime.date(2024, 3, 5), None]
    """
    for name, (form, kind) in dates.items():
        place = table.schema.get_field_index(name)
        column = table.column(place)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            continue  # dates already, or empty
        texts = column.combine_chunks().dictionary_encode()
        read = _read(texts.dictionary, form) if form in FORMS else None
        known = _parsed(texts.dictionary, form, where, name) if read is None else read
        table = table.set_column(place, pa.field(name, kind), known.cast(kind).take(texts.indices))
    return table


def type_of(form: str) -> pa.DataType:
    """Return the type of dates of a form: with a time of day or without.

    Examples
    --------
    >>> type_of("%d.%m.%y"), type_of("%d.%m.%y %H:%M")
    (DataType(date32[day]), TimestampType(timestamp[s]))
    """
    return pa.timestamp("s") if any(part in form for part in _OF_TIME) else pa.date32()


def _read(values: pa.Array, form: str) -> pa.Array | None:
    """Return dates, None where a value has another form or is no day of the calendar."""
    parts = pc.extract_regex(values.cast(pa.string()), rf"^\s*{FORMS[form]}{_TIME}\s*$")
    if parts.null_count > values.null_count:
        return None
    year, month, day, time = (pc.struct_field(parts, name) for name in "ymdt")
    date = pc.binary_join_element_wise(year, pc.utf8_lpad(month, 2, "0"), pc.utf8_lpad(day, 2, "0"), "-")
    time = pc.if_else(pc.equal(time, ""), "00:00", time)
    short = pc.equal(pc.utf8_slice_codeunits(time, 1, 2), ":")
    hour = pc.if_else(short, pc.binary_join_element_wise("0", time, ""), time)
    try:
        return pc.binary_join_element_wise(date, hour, " ").cast(pa.timestamp("s"))
    except pa.ArrowInvalid:
        return None


def _parsed(values: pa.Array, form: str, where: str, name: str) -> pa.Array:
    read = []
    for text in values.to_pylist():
        try:
            read.append(None if text is None else datetime.strptime(text.strip(), form).replace(tzinfo=None))
        except ValueError:
            raise DataError(
                f"Column {name!r} of '{where}' holds {text[:40]!r}, which is no date of the form {form}. Correct the "
                f"form or the cell, or name it as missing with {advice('Reading(missing=...)', '--missing TEXT')}."
            ) from None
    return pa.array(read, pa.timestamp("s"))


def _spoken(form: str) -> str:
    names = {"%d": "day", "%m": "month", "%Y": "year"}
    for part, word in names.items():
        form = form.replace(part, word)
    return form
