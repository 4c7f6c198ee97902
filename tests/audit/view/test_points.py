"""Two points are found by the names of their coordinates, in either order of the words."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.points import point_columns
from withhold.audit.view.reading import read_columns
from withhold.audit.view.relations import KnownNumbers

X = np.random.default_rng(0).normal(size=(4, 200))


def columns(names, values=X):
    return dict(point_columns(KnownNumbers.of(read_columns(pa.table(dict(zip(names, values, strict=True)))))))


@pytest.mark.parametrize("names", [["home_lat", "home_lon", "work_lat", "work_lon"], ["x1", "y1", "x2", "y2"]])
def test_how_far_apart_two_points_are(names):
    far = np.hypot(X[2] - X[0], X[3] - X[1])
    assert max(np.corrcoef(far, column)[0, 1] for column in columns(names).values()) > 0.999


def test_points_in_a_struct():
    place = pa.struct([("x", pa.float64()), ("y", pa.float64())])
    one, other = ([{"x": x, "y": y} for x, y in X[rows].T.tolist()] for rows in ([0, 1], [2, 3]))
    table = pa.table({"home": pa.array(one, place), "work": pa.array(other, place)})
    assert "distance from home to work" in dict(point_columns(KnownNumbers.of(read_columns(table))))


@pytest.mark.parametrize(
    "names", [["a", "b", "c", "d"], ["t0", "t1", "t2", "t3"], ["home_lat", "home_lon", "u_v", "w"]]
)
def test_other_numbers_are_no_points(names):
    assert columns(names) == {}
