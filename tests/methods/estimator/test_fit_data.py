"""Cells are computed once, when asked for, and only for tables."""

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

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


def test_the_digest_is_of_all_that_a_training_learns_from():
    rng = np.random.default_rng(0)
    X, people = rng.normal(size=(60, 3)).astype(np.float32), np.resize(np.arange(20), 60)
    s, u = (Attributes((read_attributes(rng.integers(2, size=60), role=role)[0],)) for role in "su")
    data = FitData(X, s, utilities=u, groups=people, rng_seed=1)
    assert data.digest == FitData(np.asfortranarray(X), s, utilities=u, groups=people, rng_seed=1).digest
    others = [
        FitData(X + 1, s, utilities=u, groups=people, rng_seed=1),
        FitData(X, u, utilities=u, groups=people, rng_seed=1),
        FitData(X, s, utilities=s, groups=people, rng_seed=1),
        FitData(X, s, groups=people, rng_seed=1),
        FitData(X, Attributes((s[0], u[0])), groups=people, rng_seed=1),
        FitData(X, s, utilities=u, groups=people[::-1], rng_seed=1),
        FitData(X, s, utilities=u, groups=people, rng_seed=2),
        FitData(sp.csr_array(X), s, utilities=u, groups=people, rng_seed=1),
        FitData(sp.csr_array(X[::-1]), s, utilities=u, groups=people, rng_seed=1),
    ]
    assert len({data.digest, *(one.digest for one in others)}) == 1 + len(others)
