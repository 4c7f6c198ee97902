"""Several files matched by position: one that is out of order is enough."""

import numpy as np
import pyarrow as pa

from withhold.audit.alignment import check_orders


def test_each_file_is_checked_by_its_own_columns() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=800)
    release = pa.table({"a": x + 0.3 * rng.normal(size=800)})
    same, beside = pa.table({"b": x}), pa.table({"c": x + 0.1})
    shuffled = same.take(pa.array(rng.permutation(800)))
    assert check_orders(release, ("rows", beside), {"may": same}, 0) == (True, [])
    proven, notes = check_orders(release, ("rows", beside), {"may": same, "june": shuffled}, 0)
    assert not proven
    assert ["'june'" in note.text for note in notes] == [True]
    proven, notes = check_orders(release, ("rows", None), {"may": same}, 0)
    assert not proven
    assert "sensitive attribute" in notes[0].text
    assert check_orders(release, ("given", None), {}, 0) == (True, [])
