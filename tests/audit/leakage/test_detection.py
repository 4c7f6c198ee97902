from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import random_array

from withhold.audit.attackers.registry import all_score_attackers, choose_panel
from withhold.audit.design import Design
from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.canaries.form import PlantedInputs
from withhold.audit.leakage.detection import Planter, permute, search
from withhold.audit.leakage.parts import Judge
from withhold.contracts.audit_record import PlantResult
from withhold.contracts.quantity import Quantity
from withhold.data.attributes import read_attributes

GENERAL = ("column", "dense", "interaction")


def planter(n, width=4, s=None):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, width)).astype(np.float32)
    everywhere = np.ones(n, bool)
    design = Design(np.arange(n) % 3, None, (0, 1, 2), everywhere, everywhere, EFFORTS["quick"], 0)
    attribute = read_attributes(rng.integers(0, 2, n) if s is None else s)[0]
    words = random_array((n, 300), density=0.05, format="csr", dtype=np.float32, rng=1)
    panel, scores = choose_panel(["logistic", "qda", "pairs", "words"], ["words"]), list(all_score_attackers().values())
    judge = Judge(0.95, 0, None, {"audit": everywhere})
    return Planter(PlantedInputs(X, X, X, words=words), attribute, panel, scores, design, judge)


def test_large_release_finds_small_leaks_in_every_form():
    found = search(planter(12_000, 16), 0.03, 1)
    assert found.all_found
    assert found.limit <= 0.03
    assert 0.7 < found.recovery <= 1.0
    assert {p.form for p in found.plants} == {*GENERAL, "word"}


def test_what_is_found_is_about_what_was_planted():
    for form in (*GENERAL, "word"):
        look = planter(12_000, 16).look(form, 0.1)
        assert look.found.value == pytest.approx(0.1, abs=0.02)


def test_small_release_misses_them_and_looks_for_larger():
    found = search(planter(80), 0.01, 3)
    assert not found.all_found
    assert found.limit is None or found.limit > 0.01


def test_larger_leaks_are_planted_only_in_forms_that_were_missed():
    one, asked = planter(80), []
    least = {"column": 0.005, "dense": 0.04, "interaction": 0.02}

    def look(form, size):
        asked.append((form, size))
        found = Quantity(value=size, low=size / 2, high=2 * size, kind="lower_bound", n=80, level=0.95)
        return PlantResult(form=form, size=size, found=found, detected=size >= least[form])

    one.look, one.tested = look, lambda size: list(least)
    found = search(one, 0.01, 3)
    assert found.limit == 0.04
    assert not found.all_found
    assert [size for form, size in asked if form == "column"] == [0.01]
    assert [size for form, size in asked if form == "dense"] == [0.01, 0.02, 0.04]
    # On the way down each form is looked for at every size.
    least |= {"dense": 0.01, "interaction": 0.01}
    asked.clear()
    assert search(one, 0.02, 3).limit == 0.01
    assert [size for form, size in asked if form == "column"][:2] == [0.02, 0.01]


def test_nothing_planted_nothing_found():
    one = planter(3000)
    found = one.judge.least(one.judge.read(one.floor(one.panel)))
    assert found.value < 0.005
    assert found.low <= 0


def test_an_attacker_away_from_home_does_not_find():
    """The forms differ: logistic regression alone is blind to the interaction."""
    one = planter(6000)
    one.panel = choose_panel(["logistic"])
    assert one.look("column", 0.1).detected
    assert not one.look("interaction", 0.1).detected


def test_continuous_attribute():
    look = planter(4000, s=np.random.default_rng(1).exponential(size=4000)).look("column", 0.1)
    assert look.detected
    assert look.found.value == pytest.approx(0.1, abs=0.03)


def test_budget_above_the_entropy_cannot_be_planted_and_so_not_passed():
    assert not search(planter(600), 2.0, 0).all_found


def test_permutation_keeps_subjects():
    groups = np.repeat(np.arange(20), 3)
    s = read_attributes((np.arange(20) % 2)[groups])[0]
    moved = permute(s, groups, np.random.default_rng(0))
    assert all(len(np.unique(moved.codes[groups == g])) == 1 for g in range(20))
    mixed = permute(replace(s, codes=np.arange(60) % 2), groups, np.random.default_rng(0))
    assert sorted(mixed.codes.tolist()) == sorted((np.arange(60) % 2).tolist())


def test_a_form_is_planted_only_where_there_is_what_it_changes_and_somebody_who_reads_it():
    one = planter(400)
    assert one.forms == [*GENERAL, "word"]
    one.panel = choose_panel(["logistic"])
    assert one.forms == [*GENERAL]
    one = planter(400)
    one.scene = replace(one.scene, inputs=replace(one.scene.inputs, words=None))
    assert one.forms == [*GENERAL]


def test_a_word_cannot_hold_more_than_yes_or_no():
    one = planter(400, s=np.arange(400) % 8)
    assert one.untested(0.3) == {}
    assert one.untested(1.2) == {"word": "the release has too little room for it"}


def test_a_leak_that_no_reader_could_see_is_not_planted_but_named():
    found = search(planter(400), 0.02, 0)
    assert found.untested == {"word": "too few rows"}
    assert set(found.forms) == set(GENERAL)
    assert search(planter(4_000), 0.02, 0).untested == {}
