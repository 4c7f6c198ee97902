import datetime as dt

import numpy as np
import pyarrow as pa

from withhold.audit.view.shared_columns import SharedColumns
from withhold.contracts.images import image_column


def test_types_that_differ_are_brought_together():
    day = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None]
    before = pa.table({"i": [1, 2, 3], "b": [True, False, True], "d": day, "m": [1, 2, 3]})
    after = pa.table({"i": [1.0, 2.5, 3.0], "b": [1, 0, 0], "d": pa.array(day, pa.date64()), "m": ["1", "x", None]})
    shared = SharedColumns.of(before, after)
    assert shared.names == ("i", "b", "d", "m")
    equal = dict(zip(shared.names, (shared.exact[0] == shared.exact[1]).T.tolist(), strict=True))
    assert equal == {
        "i": [True, False, True],
        "b": [True, True, False],
        "d": [True, True, True],
        "m": [True, False, False],
    }


def test_scores_do_not_depend_on_the_unit():
    x = np.random.default_rng(0).lognormal(size=100)
    shared = SharedColumns.of(pa.table({"x": x}), pa.table({"x": x}))
    stretched = SharedColumns.of(pa.table({"x": 1e6 * x}), pa.table({"x": 1e6 * x}))
    assert np.allclose(shared.scores, stretched.scores)
    assert abs(shared.scores.std() - 1) < 0.05


def test_nothing_shared():
    shared = SharedColumns.of(pa.table({"a": [1, 2]}), pa.table({"b": [1, 2]}))
    assert shared.names == ()
    assert shared.exact.shape == (2, 2, 0)


def test_images_of_the_same_sides_are_compared():
    images = np.random.default_rng(0).integers(0, 255, (50, 6, 6)).astype(np.uint8)
    changed = images.copy()
    changed[7, 0, 0] += 1
    before, after = (pa.table({"scan": image_column(one), "age": np.arange(50)}) for one in (images, changed))
    shared = SharedColumns.of(before, after)
    assert shared.names == ("scan", "age")
    assert np.flatnonzero(~shared.identical).tolist() == [7]
    assert shared.scores.shape == (2, 50, 37)
    cropped = pa.table({"scan": image_column(images[:, 1:])})
    assert SharedColumns.of(before, cropped).names == ()
    assert SharedColumns.of(before, pa.table({"scan": np.arange(50)})).names == ()
