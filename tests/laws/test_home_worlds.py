"""Each attacker of the panel finds the leak of its home world, as much as most others find or more; on noise, nobody.

A new attacker needs a world that it is good for: the registry of worlds names it.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from known_worlds.registry import WORLDS

from withhold.audit.attackers.registry import BESIDE_COLUMNS, all_attackers, all_score_attackers, choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.continuous import attack_scores
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.leakage.parts import Judge
from withhold.audit.view.view import AttackView
from withhold.data.frames import to_frame

N = 3_000
HOMES = {world.home: world for world in WORLDS.values() if world.home}
PANEL = {name: member for name, member in all_attackers().items() if not member.extra}
SCORES = all_score_attackers()


def setting(world, n=N):
    drawn = world.draw(n, np.random.default_rng(11))
    view = AttackView.fit(drawn.release if isinstance(drawn.release, pa.Table) else to_frame(drawn.release).table)
    everywhere = np.ones(n, bool)
    fold = np.random.default_rng(12).integers(0, 2, n)
    return view, drawn.sensitive["s"], Design(fold, None, (0, 1), everywhere, everywhere, EFFORTS["quick"], 0)


def read(found, n=N):
    return Judge(0.95, 0, None, {"all": np.ones(n, bool)}).read(found)["all"]


@pytest.mark.parametrize("name", sorted(PANEL))
def test_an_attacker_finds_the_leak_of_its_home(name):
    view, s, design = setting(HOMES[name])
    if name == "cnn":
        design = replace(design, scored_folds=(0,))
    found = read(cross_fit(view, s, 2, [PANEL[name]], design, "home"))
    assert found.low > 0.25 * HOMES[name].truth
    assert found.low <= HOMES[name].truth + HOMES[name].truth_error


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PANEL))
def test_an_attacker_finds_at_home_what_most_others_find_or_more(name):
    view, s, design = setting(HOMES[name])
    present = [kind for kind in BESIDE_COLUMNS if getattr(view, kind) is not None]
    panel = choose_panel(None, present)
    means = read(cross_fit(view, s, 2, panel, replace(design, scored_folds=(0,)), "home")).means
    others = [value for other, value in means.items() if other not in (name, "mixture")]
    assert means[name] >= np.median(others)
    # Something else than the attacker makes the world its home: somebody finds clearly less.
    assert min(others) < 0.8 * means[name]


def test_the_pool_of_attackers_finds_what_either_finds_where_a_leak_is_of_two_kinds():
    view, s, design = setting(HOMES["mixture"])
    means = read(cross_fit(view, s, 2, [PANEL["logistic"], PANEL["boosting"]], design, "home")).means
    assert means["mixture"] > 0.99 * max(means["logistic"], means["boosting"])


@pytest.mark.parametrize("name", sorted(SCORES))
def test_a_score_attacker_finds_the_leak_of_its_home_and_more_than_most(name):
    view, s, design = setting(HOMES[name])
    means = read(attack_scores(view, s, list(SCORES.values()), design, "home")).means
    assert means[name] > 0.25 * HOMES[name].truth
    assert means[name] >= np.median(list(means.values()))


@pytest.mark.parametrize("name", sorted(PANEL))
def test_an_attacker_reads_nothing_where_nothing_is(name):
    world = WORLDS["noise"]
    elsewhere = {"images": "stamp", "words": "telling_word", "links": "couples", "relations": "reported_height"}.get(
        PANEL[name].inputs
    )
    if elsewhere:
        view, _, design = setting(WORLDS[elsewhere], 1000)
        s = np.random.default_rng(3).integers(0, 2, 1000)
    else:
        view, s, design = setting(world, 1000)
    assert read(cross_fit(view, s, 2, [PANEL[name]], design, "noise"), 1000).low <= 0.0
