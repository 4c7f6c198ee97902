"""Whoever knows the rule of a world that is declared unread reads all of it."""

import numpy as np
import pytest
from known_worlds.quadrature import flip_information
from known_worlds.registry import WORLDS
from known_worlds.told_bits import FLIP
from known_worlds.unread_kinds import DAY, ELEVEN, INCH, NOON, UNREAD_KINDS

N = 3_000


def column(drawn, name):
    return drawn.release.column(name).to_numpy(zero_copy_only=False)


def matrix(drawn):
    return np.column_stack([column(drawn, name) for name in drawn.release.column_names])


def in_an_eighth(drawn):
    told = (column(drawn, "x") > 0) ^ (column(drawn, "y") > 0)
    return np.where(column(drawn, "site") == "d", told, np.nan)


def between_neighbours(drawn):
    x, told = matrix(drawn), np.full(N, np.nan)
    middle = np.arange(1, N - 1, 3)
    told[middle] = np.abs(x[middle] - (x[middle - 1] + x[middle + 1]) / 2).max(axis=1) < 1e-9
    return told


def other_units(drawn):
    x = matrix(drawn)
    known = {tuple(row) for row in np.round(x, 6).tolist()}
    return np.array([any(tuple(row) in known for row in np.round([one * INCH, one / INCH], 6).tolist()) for one in x])


def said_together(drawn):
    return np.array([("left" in note.split()) ^ ("right" in note.split()) for note in column(drawn, "note")])


def shared_passage(drawn):
    def passages(text):
        words = text.split()
        return {tuple(words[k : k + 5]) for k in range(len(words) - 4)}

    both = zip(column(drawn, "first"), column(drawn, "second"), strict=True)
    return np.array([bool(passages(one) & passages(other)) for one, other in both])


def turned_plot(drawn):
    said = []
    for plot in column(drawn, "plot"):
        x, y = np.array([corner.split() for corner in plot[10:-2].split(", ")], float).T
        said.append((x[:-1] * y[1:] - x[1:] * y[:-1]).sum() > 0)
    return np.array(said)


def object_times(drawn):
    return np.array([int(name[:8], 16) % DAY >= NOON for name in column(drawn, "_id")])


RULES = {
    rule.__name__: rule
    for rule in (
        in_an_eighth,
        between_neighbours,
        other_units,
        said_together,
        shared_passage,
        turned_plot,
        object_times,
    )
}


@pytest.mark.parametrize("name", RULES)
def test_who_knows_the_rule_reads_all(name):
    drawn = WORLDS[name].draw(N, np.random.default_rng(5))
    told = RULES[name](drawn).astype(float)
    known = ~np.isnan(told)
    right = (told == drawn.sensitive["s"])[known].mean()
    assert right == pytest.approx(1 - FLIP, abs=0.02 / np.sqrt(known.mean()))
    assert known.mean() * flip_information(FLIP) == pytest.approx(WORLDS[name].truth, abs=0.02)


def test_the_remainder_by_eleven_is_what_the_letter_says():
    drawn = WORLDS["remainder_of_eleven"].draw(N, np.random.default_rng(5))
    assert (np.array(list("abcdefghijk"))[drawn.sensitive["s"].astype(int) % ELEVEN] == column(drawn, "x")).all()


def test_every_such_world_has_its_rule():
    assert {world.name for world in UNREAD_KINDS} == {*RULES, "remainder_of_eleven"}
