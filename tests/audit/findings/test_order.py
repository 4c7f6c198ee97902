"""Sorted, alternating and clustered rows are found; shuffled ones are not."""

import numpy as np
import pyarrow as pa
import pytest

from audit.findings.scenes import scene
from withhold.audit.findings.order import row_order

RNG = np.random.default_rng(0)
SHUFFLED = RNG.integers(0, 2, 2000)


@pytest.mark.parametrize(
    ("s", "severity"),
    [
        (np.sort(SHUFFLED), "critical"),
        (np.arange(2000) % 2, "critical"),
        (np.repeat(RNG.integers(0, 2, 500), 4), "warning"),
    ],
    ids=["sorted", "alternating", "runs of four"],
)
def test_order_is_named(s, severity):
    (found,) = row_order("sex", s, RNG.integers(0, 5, len(s)))
    assert "row order reveals sex" in found.text
    assert found.severity == severity


def test_shuffled_rows_are_silent():
    false = sum(bool(row_order("sex", RNG.permutation(SHUFFLED), RNG.integers(0, 5, 2000))) for _ in range(60))
    assert false <= 2  # familywise level 1 %


def test_a_long_period_is_named_and_a_random_order_is_not():
    rng = np.random.default_rng(0)
    wells = np.tile((rng.random(96) < 0.3).astype(int), 12)
    folds = rng.integers(5, size=len(wells))
    assert "the position tells" in row_order("ill", wells, folds)[0].text
    assert not [found for _ in range(20) for found in row_order("ill", rng.permutation(wells), folds)]


def test_subjects_whose_rows_stand_together_are_no_order():
    rng = np.random.default_rng(0)
    said = []
    for _ in range(10):
        who = np.repeat(np.arange(150), rng.integers(2, 12, 150))
        s, folds = rng.integers(0, 2, 150)[who], rng.integers(0, 5, 150)[who]
        assert row_order("sex", s, folds), "without subjects the runs are an order"
        said += row_order("sex", s, folds, who)
    assert not said
    sick = np.sort(rng.integers(0, 2, 150))[who]
    assert row_order("sick", sick, folds, who)[0].severity == "critical"
    pairs = np.repeat(rng.integers(0, 2, 75), 2)[who]
    assert "neighbours agree" in row_order("site", pairs, folds, who)[0].text


def test_an_order_within_subjects_is_still_one():
    rng = np.random.default_rng(0)
    who, side = np.repeat(np.arange(200), 6), np.tile([0, 1], 600)
    assert row_order("side", side, rng.integers(0, 5, 200)[who], who)[0].severity == "critical"


def examples():
    return {"row_order_reveals_s": scene(pa.table({"a": np.arange(200)}), np.arange(200) // 100)}
