"""Sorted, alternating and clustered rows are found; shuffled ones are not."""

import numpy as np
import pytest

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
