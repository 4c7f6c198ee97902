"""Rows at one place are linked; rows of a town, of a grid, or missing ones are not."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.reading import read_columns
from withhold.audit.view.same_place import place_links

N = 600
RNG = np.random.default_rng(0)
HOMES = np.repeat(RNG.normal(size=(2, N // 2)), 2, axis=1)


def links(east, north):
    return place_links(list(read_columns(pa.table({"age": RNG.integers(20, 80, N), "east": east, "north": north}))))


def test_rows_some_metres_apart_are_linked_with_each_other():
    found = links(*(HOMES + 1e-5 * RNG.normal(size=(2, N))))[:, 0]
    assert (found == np.arange(N) ^ 1).mean() > 0.95


def test_where_only_some_rows_share_a_place_the_others_have_no_link():
    places = HOMES + 1e-5 * RNG.normal(size=(2, N))
    places[:, N // 2 :] = RNG.normal(size=(2, N // 2))
    found = links(*places)[:, 0]
    assert (found[: N // 2] >= 0).mean() > 0.8
    assert (found[N // 2 :] >= 0).mean() < 0.1


@pytest.mark.parametrize(
    "places", [RNG.normal(size=(2, N)), np.round(HOMES, 0), np.where(RNG.uniform(size=(2, N)) < 0.1, np.nan, HOMES)]
)
def test_towns_grids_and_missing_places_link_nobody(places):
    assert links(*places) is None


@pytest.mark.parametrize("times", [2, -3, 5, 7, 11])
def test_two_columns_that_say_the_same_link_nobody(times):
    x = RNG.normal(size=N)
    assert links(x, times * x) is None


@pytest.mark.parametrize("largest", [1e300, np.inf])
def test_numbers_beyond_squaring_are_no_place(largest):
    east, north = HOMES + 1e-5 * RNG.normal(size=(2, N))
    assert links(np.r_[largest, east[1:]], north) is None


def test_numbers_written_as_text_may_be_places():
    keys = pa.array([f"{key:06d}" for key in RNG.permutation(N)])
    table = pa.table({"key": keys, "east": RNG.normal(size=N)})
    assert place_links([one for one in read_columns(table) if one.numbers is not None]) is None
