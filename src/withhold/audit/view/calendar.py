"""Dates and times by the calendar: hour, weekday, day of the month, month, and what else repeats."""

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from withhold.audit.view.features import FEW, Column
from withhold.audit.view.reading import Reading

Floats = npt.NDArray[np.float64]

# Whole numbers between these many seconds since 1970 (1980 to 2100) are taken for times, in units of 1, 1e-3, 1e-6 or
# 1e-9 seconds; amounts that happen to lie there get a few columns more than they need.
FIRST, LAST = 315_532_800, 4_102_444_800
UNITS = (1, 10**3, 10**6, 10**9)
DAY_SECONDS = 86_400
# Days written as digits, 20260131, and as text, year first or last.
YEARS = (1900, 2100)
YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?")
YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?")
# Share of the values that must be dates; a few dots of a hand-written column do not hide the rest.
NEARLY_ALL = 0.95


def calendar_columns(reading: Reading) -> Iterator[Column]:
    """Yield the parts of dates and times, NaN where there is none.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> days = read_column(pa.table({"d": [f"2026-01-{day:02d}" for day in range(1, 31)]}), "d")
    >>> [name for name, _ in calendar_columns(days)]
    ['d day of the week', 'd day of the month', 'd day of the year', 'd week parity']
    """
    if len(reading.levels) <= FEW or (found := seconds_of(_values(reading), reading.ticks_per_day)) is None:
        return
    known = np.append(np.isfinite(found), False)
    for name, values in parts_of(np.append(found, np.nan)).items():
        yield f"{reading.name} {name}", np.where(known, values, np.nan)[reading.codes].astype(np.float32)


def times_of(reading: Reading) -> Floats | None:
    """Return seconds since 1970 of each row of a column of dates or times, their mean where one is missing.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> days = read_column(pa.table({"d": ["2026-01-01", "2026-01-03", None]}), "d")
    >>> (times_of(days) / 86_400).tolist()
    [20454.0, 20456.0, 20455.0]
    """
    found = seconds_of(_values(reading), reading.ticks_per_day)
    if found is None:
        return None
    seconds = np.append(found, np.nan)[reading.codes]
    known = np.isfinite(seconds)
    return np.where(known, seconds, seconds[known].mean() if known.any() else 0.0)


def _values(reading: Reading) -> npt.NDArray[np.generic]:
    return reading.levels if reading.exact is None else reading.exact


def seconds_of(levels: npt.NDArray[np.generic], ticks_per_day: float = 0.0) -> Floats | None:
    """Return values as seconds since 1970, NaN where they are none; None where they do not look like dates or times.

    Parameters
    ----------
    levels : ndarray
        Numbers, or texts.
    ticks_per_day : float
        Units in a day, where the type of the column says so.

    Examples
    --------
    >>> seconds_of(np.array([19700102.0, 19700103.0])).tolist()
    [86400.0, 172800.0]
    >>> seconds_of(np.array(["02.01.1970", "31.01.1970"])).tolist()
    [86400.0, 2592000.0]
    >>> seconds_of(np.array([3.0, 8.0])) is None
    True
    """
    if levels.dtype.kind not in "fiu":
        return _written(levels)
    values = levels.astype(np.float64)
    if ticks_per_day:
        return np.asarray(values / ticks_per_day * DAY_SECONDS)
    known = values[np.isfinite(values)]
    if len(known) == 0 or (known != np.floor(known)).any():
        return None
    for unit in UNITS:
        if (known >= FIRST * unit).all() and (known < LAST * unit).all():
            return np.asarray(values / unit)
    year, month, day = known // 10_000, known // 100 % 100, known % 100
    if ((year >= YEARS[0]) & (year <= YEARS[1]) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all():
        whole = np.where(np.isfinite(values), values, 19_700_101.0)
        days = _days(whole // 10_000, whole // 100 % 100, whole % 100) * DAY_SECONDS
        return np.where(np.isfinite(values), days, np.nan)
    return None


def parts_of(seconds: Floats) -> dict[str, Floats]:
    """Return what repeats, as parts between 0 and 1 or whole numbers, without what is the same everywhere.

    Examples
    --------
    >>> parts = parts_of(np.array([0.0, 3 * 3600.0 + 86400.0]))
    >>> parts["time of the day"].tolist(), parts["day of the week"].tolist()
    ([0.0, 0.125], [3.0, 4.0])
    """
    known = np.isfinite(seconds) & (np.abs(seconds) < 1e11)
    whole = np.where(known, seconds, 0.0)
    days = np.floor(whole / DAY_SECONDS)
    within = whole - days * DAY_SECONDS
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    year = months.astype("datetime64[Y]")
    parts: dict[str, Floats] = {
        "time of the day": within / DAY_SECONDS,
        "minute": np.floor(within / 60) % 60,
        "second": within % 60,
        "day of the week": (days + 3) % 7,
        "day of the month": (dates - months).astype(np.float64) + 1,
        "month": (months - year).astype(np.float64) + 1,
        "day of the year": (dates - year.astype("datetime64[D]")).astype(np.float64) + 1,
        "week parity": np.floor((days + 3) / 7) % 2,
    }
    return {name: values for name, values in parts.items() if known.any() and np.ptp(values[known]) > 0}


def _written(levels: npt.NDArray[np.generic]) -> Floats | None:
    texts = [str(level).strip() for level in levels.tolist()]
    for pattern, order in ((YEAR_FIRST, (0, 1, 2)), (YEAR_LAST, (2, 1, 0)), (YEAR_LAST, (2, 0, 1))):
        found = [pattern.fullmatch(text) for text in texts]
        if len(texts) == 0 or sum(map(bool, found)) < NEARLY_ALL * len(texts):
            continue
        fields = np.array([[float(part or 0) for part in one.groups()] if one else [np.nan] * 6 for one in found])
        year, month, day = fields[:, order].T
        given = np.isfinite(year)
        if not ((month[given] >= 1) & (month[given] <= 12) & (day[given] >= 1) & (day[given] <= 31)).all():
            continue
        days = np.full(len(texts), np.nan)
        days[given] = _days(year[given], month[given], day[given])
        return np.asarray(days * DAY_SECONDS + fields[:, 3] * 3600 + fields[:, 4] * 60 + fields[:, 5])
    return None


def _days(year: Floats, month: Floats, day: Floats) -> Floats:
    months = ((year - 1970) * 12 + month - 1).astype(np.int64).astype("datetime64[M]")
    return np.asarray(months.astype("datetime64[D]").astype(np.float64) + day - 1)
