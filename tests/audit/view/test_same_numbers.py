"""Numbers that two columns share in many rows are compared; those of one list, or that never meet, are not."""

import numpy as np
import pyarrow as pa

from withhold.audit.view.reading import read_columns
from withhold.audit.view.relations import KnownNumbers
from withhold.audit.view.same_numbers import MOST_PAIRS, same_columns

N = 400
RNG = np.random.default_rng(0)
ITEMS = [RNG.gamma(2, 20, k).tolist() for k in RNG.integers(2, 9, N)]
OFF = RNG.integers(0, 2, N)


def compared(**columns):
    return dict(same_columns(KnownNumbers.of(read_columns(pa.table(columns)))))


def test_a_total_is_compared_with_the_sum_of_its_list():
    total = np.array([sum(one) for one in ITEMS]) * np.where(OFF, 1.1, 1.0)
    found = compared(items=ITEMS, total=total)["items sum beyond total"]
    assert len(set(found[OFF == 0])) == 1
    assert set(found[OFF == 0]).isdisjoint(found[OFF == 1])


def test_what_differs_everywhere_or_nowhere_or_comes_of_one_list_is_not_compared():
    x = RNG.normal(size=N)
    assert compared(a=x, b=RNG.normal(size=N), c=x) == {}
    assert compared(items=ITEMS) == {}


def test_counts_that_are_zero_together_or_meet_by_chance_are_not_compared():
    found = RNG.uniform(size=(N, 1)) < 0.5
    counts = np.where(found, RNG.poisson(8, size=(N, 12)) * RNG.integers(1, 4, 12), 0).astype(float)
    assert compared(**{f"gene{j}": column for j, column in enumerate(counts.T)}) == {}


def test_no_more_pairs_are_given_than_few():
    x = RNG.normal(size=N)
    columns = {f"x{j}": np.where(RNG.uniform(size=N) < 0.8, x, RNG.normal(size=N)) for j in range(12)}
    assert len(compared(**columns)) == MOST_PAIRS


def test_a_vector_in_steps_of_its_own_has_numbers_that_come_back():
    x = RNG.normal(size=(N, 48))
    step = np.abs(x).max(axis=1, keepdims=True) / 127
    x = np.where(OFF[:, None], np.round(x / step) * step, x).astype(np.float32)
    found = compared(**{f"x{j}": column for j, column in enumerate(x.T)})
    count = found["numbers of a row that are the same but for sign"]
    assert count[OFF == 1].min() > count[OFF == 0].max()
