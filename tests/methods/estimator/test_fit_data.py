"""Cells are computed once, when asked for, and only for tables."""

import numpy as np
import pyarrow as pa

from withhold.data.attributes import Attributes, read_attributes
from withhold.data.codec import TableCodec
from withhold.methods.estimator.fit_data import FitData


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


def test_y_and_utilities_agree():
    u = read_attributes(np.array([0, 1, 1]), role="u")[0]
    v = read_attributes(np.array([0, 1, 0]), role="v")[0]
    H, none = np.zeros((3, 1), np.float32), Attributes(())
    assert FitData(H, none, y=u).utilities.names == ("u",)
    assert FitData(H, none, utilities=Attributes((u,))).y is u
    assert FitData(H, none, utilities=Attributes((u, v))).y is None
    assert FitData(H, none).utilities is None
