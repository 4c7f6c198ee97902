"""Dates and times of every spelling come apart into the same parts."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.calendar import calendar_columns, parts_of, seconds_of
from withhold.audit.view.reading import read_column

DAYS = np.datetime64("2024-02-20") + np.arange(40)
SECONDS = DAYS.astype("datetime64[s]").astype(np.int64).astype(float)


@pytest.mark.parametrize(
    "values",
    [
        SECONDS,
        SECONDS * 1e3,
        SECONDS * 1e6,
        np.array([float(str(day).replace("-", "")) for day in DAYS]),
        DAYS.astype(str),
        np.array([f"{day[8:]}.{day[5:7]}.{day[:4]}" for day in DAYS.astype(str)]),
        np.array([f"{day[5:7]}/{day[8:]}/{day[:4]}" for day in DAYS.astype(str)]),
        np.array([f"{day}T00:00:00" for day in DAYS.astype(str)]),
    ],
    ids=["s", "ms", "us", "digits", "iso", "local", "american", "time"],
)
def test_every_spelling(values):
    assert seconds_of(values).tolist() == SECONDS.tolist()


@pytest.mark.parametrize(
    "values", [np.arange(50.0), np.array([1e9, 20.5]), np.array(["a", "b"]), np.array(["99.99.2020"])]
)
def test_other_values_are_no_dates(values):
    assert seconds_of(values) is None


def test_parts_are_those_of_the_calendar():
    parts = parts_of(np.append(SECONDS, np.nan))
    dates = [day.item() for day in DAYS]
    assert parts["day of the week"][:-1].tolist() == [date.weekday() for date in dates]
    assert parts["month"][:-1].tolist() == [date.month for date in dates]
    assert parts["day of the month"][:-1].tolist() == [date.day for date in dates]
    assert parts["day of the year"][:-1].tolist() == [date.timetuple().tm_yday for date in dates]


def test_a_missing_date_has_no_parts():
    reading = read_column(pa.table({"d": pa.array([None, *DAYS.tolist()])}), "d")
    columns = dict(calendar_columns(reading))
    assert np.isnan([column[0] for column in columns.values()]).all()
    assert all(np.isfinite(column[1:]).all() for column in columns.values())
