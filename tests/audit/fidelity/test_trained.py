"""Models trained on a release lose what the release lost, and nothing where it lost nothing."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.fidelity.matched import shared_columns
from withhold.audit.fidelity.trained import train_and_test

N = 1500


def table(seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=N)
    kind = np.where(x + 0.3 * rng.normal(size=N) > 0, "high", "low")
    return pa.table({"x": x, "kind": kind, "noise": rng.normal(size=N), "zeros": np.where(x > 1, x, 0.0)})


def predicted(before: pa.Table, after: pa.Table, **more):
    options = {"rows": 1000, "most": 9, **more}
    return train_and_test(list(shared_columns(before, after)[0]), np.random.default_rng(0), **options)


def test_a_copy_loses_nothing():
    found = predicted(table(), table())
    assert set(found) == {"x", "kind", "noise", "zeros"}
    assert all(one.original == one.release for one in found.values())
    assert found["kind"].original > 0.8
    assert found["noise"].original < 0.3  # five classes
    assert (found["x"].classes, found["kind"].classes, found["zeros"].classes) == (5, 2, 2)


def test_a_release_without_relations_predicts_by_chance():
    rng = np.random.default_rng(1)
    after = pa.table({name: rng.permutation(table()[name].to_pylist()) for name in table().column_names})
    one = predicted(table(), after)["kind"]
    assert one.original > 0.8
    assert one.release == pytest.approx(0.5, abs=0.1)


def test_a_release_of_one_class_recognises_one():
    after = table().set_column(1, "kind", pa.array(["low"] * N))
    assert predicted(table(), after)["kind"].release == 0.5


def test_a_release_that_lost_every_value_recognises_none():
    after = table().set_column(1, "kind", pa.nulls(N, pa.string()))
    assert predicted(table(), after)["kind"].release == 0.0


def test_a_release_that_knows_the_tested_rows_gains_nothing():
    """Only originals are tested: what was written into the release of those rows is of no use."""
    truth = table()["kind"].to_pylist()
    after = pa.table({"kind": truth, "x": np.random.default_rng(1).normal(size=N)})
    before = pa.table({"kind": truth, "x": table()["x"]})
    assert predicted(before, after)["kind"].release == pytest.approx(0.5, abs=0.1)


def test_what_is_asked_for_comes_first():
    assert list(predicted(table(), table(), most=1, first=["kind"])) == ["kind"]
    assert len(predicted(table(), table(), most=2)) == 2


def test_subjects_are_not_divided():
    """Ten copies of each record: a model that saw a twin would know the class of noise."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(150), 10)
    who = pa.table({"x": np.repeat(rng.normal(size=150), 10), "kind": np.repeat(rng.choice(["a", "b"], 150), 10)})
    assert predicted(who, who)["kind"].original > 0.85  # the positive control
    assert predicted(who, who, groups=groups)["kind"].original < 0.75


def test_only_rows_that_the_sanitiser_did_not_see_are_tested():
    unseen = np.arange(N) < 240  # about 72 of them are held out, too few of each class of five
    assert set(predicted(table(), table(), unseen=unseen)) == {"kind"}


def test_too_few_rows_are_not_tried():
    few = table().slice(0, 20)
    assert predicted(few, few) == {}
    assert train_and_test([], np.random.default_rng(0), rows=10, most=3) == {}
