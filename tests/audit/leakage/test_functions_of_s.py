"""Functions of a number that could be told: those that divide it into classes of some size, and no others."""

import numpy as np
import pytest

from withhold.audit.leakage.functions_of_s import functions_of

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (RNG.integers(0, 9_000, 2_000).astype(float), "remainder by 7"),
        (RNG.integers(1.6e9, 1.7e9, 2_000).astype(float), "day of the week"),
        (np.round(RNG.normal(size=2_000), 2), "last digit"),
        (np.where(RNG.random(2_000) < 0.5, np.round(RNG.normal(size=2_000), 1), RNG.normal(size=2_000)), "decimals"),
    ],
)
def test_what_could_be_told_is_looked_for(values, name):
    found = functions_of(np.append(values, np.nan))
    assert found[name][-1] == -1
    assert len(np.unique(found[name])) > 2


@pytest.mark.parametrize("values", [RNG.normal(size=500), np.full(500, 4.0), np.full(50, np.nan), np.array([])])
def test_where_nothing_divides_a_number_nothing_is_looked_for(values):
    assert functions_of(values) == {}


def test_equal_values_are_of_one_class():
    values = RNG.integers(0, 50, 1_000).astype(float)
    for codes in functions_of(values).values():
        assert len(np.unique(np.column_stack([values, codes]), axis=0)) == len(np.unique(values))
