"""All findings together: silent on noise, and each planted fault is called by its name."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.findings.scene import Scene
from withhold.audit.findings.survey import survey
from withhold.data.attributes import read_attributes


def codes(table, s, **options):
    n = table.num_rows
    found = survey(Scene.of(table, list(read_attributes(s, role="sex")), np.arange(n) % 5, **options)).findings
    return {finding.code for finding in found if finding.severity != "info"}


@pytest.fixture
def clean():
    rng = np.random.default_rng(5)
    n = 1500
    s = rng.integers(0, 2, n)
    table = pa.table(
        {
            "age": rng.integers(18, 90, n),
            "city": rng.choice(["a", "b", "c"], n),
            "rare": (rng.random(n) < 0.01).astype(float),
            "income": rng.normal(size=n),
        }
    )
    return s, table


def test_a_clean_table_gives_no_finding(clean):
    s, table = clean
    assert codes(table, s, original=table) == set()


def test_hundred_random_columns_give_no_critical_finding():
    false = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        kinds = (rng.normal(size=200), rng.integers(0, 2, 200), rng.integers(0, 9, 200), rng.random(200) < 0.02)
        table = pa.table({f"c{i}": rng.permutation(kinds[i % 4]) for i in range(100)})
        s = read_attributes(rng.integers(0, 2, 200))
        found = survey(Scene.of(table, list(s), rng.integers(0, 5, 200))).findings
        false += any(f.severity == "critical" or f.code == "column_reveals_s" for f in found)
    assert false <= 1  # 95 % of runs


def test_a_column_that_determines_s_and_was_not_so_before(clean):
    s, table = clean
    shifted = table.set_column(0, "age", pa.array(table["age"].to_numpy() + 0.3 * s))
    found = codes(shifted, s, original=table)
    assert {"column_determines_s", "s_written_in", "discrete_values_shifted"} <= found


def test_a_copy_of_s_under_another_name(clean):
    s, table = clean
    assert "column_determines_s" in codes(table.append_column("gender", pa.array([["F", "M"][v] for v in s])), s)


def test_missing_values_and_row_order(clean):
    s, table = clean
    gaps = pa.array([None if v and i % 2 else 1.0 + i for i, v in enumerate(s)])
    assert "missingness_reveals_s" in codes(table.append_column("ca", gaps), s)
    order = pa.array(np.argsort(s, kind="stable"))
    assert codes(table.take(order), np.sort(s)) == {"row_order_reveals_s"}


def test_linear_erasure_of_one_hot_columns_is_named():
    # Subtracting the erased score along a direction that also moves a rare column, as closed-form erasers do.
    rng = np.random.default_rng(7)
    s = rng.integers(0, 2, 2000)
    score = s + 0.4 * rng.normal(size=2000)
    rare = (rng.random(2000) < 0.004).astype(float)
    original = pa.table({"land": np.where(rare > 0, "islands", "main"), "x": score})
    release = pa.table({"land_islands": rare + 0.01 * score, "x": rng.normal(size=2000)})
    assert "rare_level_reveals" in codes(release, s, original=original)
    assert "rare_level_reveals" in codes(release, s)
    noise = pa.table({"land_islands": rare + 0.01 * rng.normal(size=2000), "x": rng.normal(size=2000)})
    assert "rare_level_reveals" not in codes(noise, s, original=original)


def test_collapse_small_samples_and_duplicates(clean):
    s, table = clean
    one = pa.table({"a": np.arange(1500.0), "b": 2 * np.arange(1500.0)})
    assert "collapse" in codes(one, s)
    assert "collapse" in codes(table, s, mean_retention=0.01)
    assert "small_sample" in codes(table.slice(0, 100), s[:100])
    twice = pa.concat_tables([table.slice(0, 750)] * 2)
    assert "duplicates_across_splits" in codes(twice, s, fit_rows=np.arange(1500) < 750)


def test_continuous_s_is_judged_too(clean):
    _, table = clean
    age = np.random.default_rng(8).normal(50, 9, 1500)
    noisy = pa.array(2 * age + np.random.default_rng(9).normal(0, 4, 1500))
    assert "column_reveals_s" in codes(table.append_column("again", noisy), age)
    assert "column_determines_s" in codes(table.append_column("again", pa.array(2 * age + 0.01)), age)
    assert codes(table, age) == set()


@pytest.mark.parametrize("by", ["u", "s"])
@pytest.mark.parametrize("how", ["declared", "held", "unknown"])
def test_nobody_wrote_in_what_the_class_of_a_task_tells(by, how):
    """A release drawn for each class of U shows U in its columns, and S as far as U tells it."""
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 3000)
    u = np.where(rng.random(3000) < 0.15, 1 - s, s)
    shown = {"u": u, "s": s}[by]
    original = {"x": rng.normal(size=3000), "y": rng.integers(0, 6, 3000)}
    released = {"x": 3 * shown + rng.normal(size=3000), "y": rng.integers(0, 3, 3000) + 3 * shown}
    held = {"label": np.array(["no", "yes"])[u]} if how == "held" else {}
    scene = Scene.of(
        pa.table(released | held),
        list(read_attributes(s, role="sex")),
        np.arange(3000) % 5,
        rng,
        pa.table(original | held),
        utility=list(read_attributes(u, role="u")) if how == "declared" else (),
    )
    assert any(f.code == "s_written_in" for f in survey(scene).findings) == (by == "s" or how == "unknown")
