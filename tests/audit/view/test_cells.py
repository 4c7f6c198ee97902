"""Cells are made of the original; whatever the released column holds finds a place in them."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.cells import Cells
from withhold.audit.view.reading import read_column


def read(values):
    return read_column(pa.table({"v": values}), "v")


def test_mostly_zero_columns_have_a_zero_cell_and_six_of_the_rest():
    values = np.r_[np.zeros(700), np.arange(1, 301)].astype(float)
    cells = Cells.fit(read(values), np.ones(1000, bool))
    counts = np.bincount(cells.place(read(values)), minlength=cells.count)
    assert cells.labels[0] == "0"
    assert counts[:7].tolist() == [700, 50, 50, 50, 50, 50, 50]


def test_levels_are_the_same_class_however_they_are_written():
    cells = Cells.fit(read([1, 2, 3] * 20), np.ones(60, bool))
    for released in ([1.0, 2.0, 9.0, None], ["1", "2", "x", None]):
        assert cells.place(read(released)).tolist() == [0, 1, 3, 4]


def test_rare_levels_have_no_label_and_text_in_a_cut_number_is_another_value():
    cells = Cells.fit(read(["a"] * 50 + ["secret"] * 3), np.ones(53, bool))
    assert "secret" not in cells.labels
    numbers = Cells.fit(read(np.arange(100.0)), np.ones(100, bool))
    assert numbers.place(read(["x", None])).tolist() == [numbers.count - 2, numbers.count - 1]


def test_cells_come_from_the_chosen_rows_only():
    rows = np.arange(200) < 100
    assert Cells.fit(read(np.arange(200.0)), rows).edges[-1] < 100


def test_cells_of_whole_numbers_name_their_last_one():
    labels = Cells.fit(read(list(range(36)) * 10), np.ones(360, bool)).labels
    assert labels[:2] == ("below 3", "3 to 5")
    assert labels[11] == "33 or more"
    repeated = [*range(11)] * 50 + [*range(11, 40)]
    assert "1" in Cells.fit(read(repeated), np.ones(len(repeated), bool)).labels  # not "1 to 2"
    assert Cells.fit(read(np.arange(36) + 0.5), np.ones(36, bool)).labels[1] == "3.5 to 6.5"


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.timestamp("ms"), pa.timestamp("ns", tz="UTC")])
def test_dates_are_written_as_months(kind):
    days = [datetime.date(2023, 1, 1) + datetime.timedelta(days=day) for day in range(720)]
    labels = Cells.fit(read(pa.array(days, pa.date32()).cast(kind)), np.ones(720, bool)).labels
    assert labels[:2] == ("before 2023-03", "2023-03 to 2023-05")
    assert labels[11] == "2024-10 or later"
    assert Cells.fit(read(pa.array(days[:2] * 20, pa.date32()).cast(kind)), np.ones(40, bool)).labels[0] == "2023-01-01"


def test_a_month_that_is_cut_is_named_once():
    days = pa.array([datetime.date(2023, 1, 1 + k) for k in range(30)], pa.date32())
    assert Cells.fit(read(days), np.ones(30, bool)).labels[1:3] == ("2023-01", "2023-01")


def test_spans_of_time_are_no_dates():
    spans = pa.array(range(100), pa.duration("s"))
    assert Cells.fit(read(spans), np.ones(100, bool)).labels[0] == "below 9"


def test_large_numbers_are_written_out():
    assert Cells.fit(read(np.arange(100) * 1234.5), np.ones(100, bool)).labels[0] == "below 11,100"
    assert Cells.fit(read([1_000_000, 2_500_000] * 20), np.ones(40, bool)).labels[:2] == ("1000000", "2500000")
