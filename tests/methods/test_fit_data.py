"""Cells are computed once, when asked for, and only for tables."""

import numpy as np
import pyarrow as pa

from withhold.data.attributes import read_attributes
from withhold.data.codec import TableCodec
from withhold.methods.fit_data import FitData


def test_cells_of_a_table():
    rows = pa.table({"a": np.resize(["x", "y", "z"], 60), "b": np.arange(60.0)})
    codec = TableCodec.fit(rows)
    data = FitData(H=codec.encode(rows), sensitive=read_attributes(["p", "q"] * 30), codec=codec, table=rows)
    assert data.n == 60
    assert np.array_equal(data.cells, codec.cells(rows))
    assert data.cells is data.cells
    assert data.cell_counts == codec.cell_counts


def test_an_array_has_no_cells():
    data = FitData(H=np.zeros((4, 2)), sensitive=read_attributes(["p", "q"] * 2))
    assert data.cells is None
    assert data.cell_counts is None
