"""A row entered from the other side is found, among several the one that agrees in most else."""

import numpy as np
import pyarrow as pa

from withhold.audit.view.mirrored import mirror_links
from withhold.audit.view.reading import read_columns

N, TEAMS = 400, 12
RNG = np.random.default_rng(0)
ONE = RNG.integers(0, TEAMS, N // 2)
OTHER = (ONE + RNG.integers(1, TEAMS, N // 2)) % TEAMS
DAY = RNG.permutation(N // 2)


def links(left, right, **more):
    return mirror_links(list(read_columns(pa.table({"left": left, "right": right, **more}))))


def test_each_row_is_linked_with_the_other_side_of_its_match():
    names = np.array([f"team {k}" for k in range(TEAMS)])
    left, right = names[np.r_[ONE, OTHER]], names[np.r_[OTHER, ONE]]
    found = links(left, right, day=np.r_[DAY, DAY])[:, 0]
    assert (found == np.r_[np.arange(N // 2) + N // 2, np.arange(N // 2)]).all()


def test_numbers_may_name_either_side():
    found = links(70 + np.r_[ONE, OTHER], 70 + np.r_[OTHER, ONE], day=np.r_[DAY, DAY])
    assert (found >= 0).all()


def test_missing_names_have_no_mirror():
    left = [None, "b", "c", "d"]
    assert links(left, ["b", None, "d", "c"]).T.tolist() == [[-1, -1, 3, 2]]


def test_columns_of_other_values_or_without_mirrors_are_no_sides():
    assert links(np.arange(N), np.arange(N) + N) is None
    assert links([f"a{k}" for k in range(N)], np.arange(N)) is None
    assert links(np.arange(N), (np.arange(N) + 1) % N) is None
