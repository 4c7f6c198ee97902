"""Laws of every world: shapes, seeds, a truth between 0 and what there is to know. The registry brings new worlds."""

import numpy as np
import pyarrow as pa
import pytest
from known_worlds.registry import FAMILIES, WORLDS

from withhold.audit.attackers.registry import all_attackers, all_score_attackers

N = 301
every = pytest.mark.parametrize("world", WORLDS.values(), ids=lambda w: w.name)


@every
def test_shapes(world):
    drawn = world.draw(N, np.random.default_rng(0))
    assert (drawn.release.num_rows if isinstance(drawn.release, pa.Table) else len(drawn.release)) == N
    assert drawn.flat.num_rows == N
    assert len(set(drawn.flat.column_names)) == drawn.flat.num_columns
    extra = [values for values in (drawn.utility, drawn.groups) if values is not None]
    for values in (*drawn.sensitive.values(), *extra):
        assert values.shape == (N,)
    for s in drawn.sensitive.values():
        assert len(np.unique(s)) > 1
    assert set(world.each) in (set(), set(drawn.sensitive))
    assert len(drawn.sensitive) == max(1, len(world.each))


@every
def test_seeds(world):
    one, same, other = (world.draw(N, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert one.flat.equals(same.flat)
    for name, s in one.sensitive.items():
        assert np.array_equal(s, same.sensitive[name])
    assert not one.flat.equals(other.flat)


@every
def test_truth(world):
    assert 0.0 <= world.truth <= world.entropy + 1e-12
    assert 0.0 <= world.truth_error <= 5e-3
    assert world.truth >= max(world.each.values(), default=0.0)
    assert world.subject_truth is None or world.subject_truth >= world.truth
    if world.form is not None or world.blind or world.home is not None:
        assert world.truth > 0


@every
def test_entropy(world):
    """H(S) as stated is that of the records drawn."""
    drawn = world.draw(20_000, np.random.default_rng(1))
    if np.isinf(world.entropy):
        assert all(s.dtype.kind == "f" for s in drawn.sensitive.values())
        return
    joint = np.unique(np.column_stack(list(drawn.sensitive.values())), axis=0, return_counts=True)[1] / 20_000
    assert -(joint * np.log(joint)).sum() == pytest.approx(world.entropy, abs=0.02)


def test_names_are_unique():
    assert len(WORLDS) == sum(len(family) for family in FAMILIES)
    assert all(world.name == name for name, world in WORLDS.items())


def test_every_attacker_of_the_panel_has_a_home():
    homes = {world.home for world in WORLDS.values()}
    panel = {name for name, member in all_attackers().items() if not member.extra}
    assert panel | set(all_score_attackers()) <= homes


def test_there_are_worlds_of_every_kind():
    worlds = list(WORLDS.values())
    assert {world.form for world in worlds} == {None, "column", "dense", "interaction", "word"}
    assert sum(world.truth == 0 for world in worlds) >= 5
    assert sum(world.form is not None and world.truth < 0.06 for world in worlds) >= 4
    assert sum(world.blind for world in worlds) >= 2
