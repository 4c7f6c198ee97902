"""Cells are made of the original; whatever the released column holds finds a place in them."""

import numpy as np
import pyarrow as pa

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
