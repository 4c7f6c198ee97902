"""What finders look at: all rows or a part of them, in step."""

import numpy as np
import pyarrow as pa

import withhold.audit.findings.scene as scenes
from withhold.audit.findings.scene import Scene
from withhold.data.attributes import read_attributes


def test_a_part_of_a_long_table_is_taken_in_step(monkeypatch):
    monkeypatch.setattr(scenes, "MOST_ROWS", 40)
    n = np.arange(100)
    table, attribute = pa.table({"a": n}), list(read_attributes(n.astype(float)))
    scene = Scene.of(table, attribute, n, np.random.default_rng(0), table, groups=n, utility=attribute)
    kept = scene.rows.release["a"].to_numpy()
    assert len(kept) == 40
    assert (np.diff(kept) > 0).all()
    for one in (
        scene.rows.folds,
        scene.rows.groups,
        scene.rows.original["a"].to_numpy(),
        scene.asked[0].attribute.values,
    ):
        assert np.array_equal(one, kept)
    assert scene.every.release.num_rows == len(scene.asked[0].every.known) == 100


def test_a_narrowed_scene_shares_what_was_made(monkeypatch):
    n = np.arange(100)
    scene = Scene.of(pa.table({"a": n}), list(read_attributes(n % 2)), n % 5)
    told = scene.asked[0].told
    assert scene.only(scene.asked[0]).asked[0].told is told
    assert scene.only(scene.asked[0]).rows.after is scene.rows.after
