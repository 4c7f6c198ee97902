"""Rows, budgets and limits: what must grow with what, and what the real audit finds of real plants."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from withhold.audit.effort import EFFORTS
from withhold.audit.leakage.detection import Planter
from withhold.audit.leakage.parts import Judge
from withhold.audit.planning.law import Law
from withhold.audit.planning.learning_cost import loss, measure_power
from withhold.audit.planning.power import Power
from withhold.audit.planning.telling import whole_panel
from withhold.audit.request import make_design, parts_of, read_request
from withhold.audit.view.view import AttackView
from withhold.training.session import one_thread

COIN = Law.of(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
POWER = Power(COIN, EFFORTS["quick"], {"column": 0.01, "dense": 0.03}, 2_000)


def test_smaller_budgets_need_more_rows():
    needed = [POWER.rows_needed(budget) for budget in (0.2, 0.1, 0.05, 0.02, 0.01)]
    assert all(few < many for few, many in itertools.pairwise(needed))


def test_more_rows_find_less_and_decide_smaller_budgets():
    limits = [POWER.detection_limit(rows) for rows in (500, 2_000, 10_000, 100_000)]
    assert all(early > late for early, late in itertools.pairwise(limits))
    decided = [POWER.decidable_budget(rows) for rows in (2_000, 10_000, 100_000)]
    assert all(early > late for early, late in itertools.pairwise(decided))


def test_rows_and_budget_are_two_sides_of_one_thing():
    rows = POWER.rows_needed(0.05)
    assert POWER.decidable_budget(rows) == pytest.approx(0.05, rel=0.1)
    assert POWER.chance_decided(0.05, rows) >= 0.8
    assert POWER.chance_decided(0.05, rows / 2) < 0.6


def test_luck_in_what_is_learned_takes_rows(monkeypatch):
    rows, limit = POWER.rows_needed(0.05), POWER.detection_limit(2_000)
    monkeypatch.setattr("withhold.audit.planning.power.LUCK", 0.0)
    assert POWER.rows_needed(0.05) < rows
    assert POWER.detection_limit(2_000) < limit


def test_a_verdict_leaves_room_for_what_attackers_miss():
    budget = POWER.decidable_budget(2_000)
    rooms = [POWER.room(budget, rows) for rows in (2_000, 10_000, 1_000_000)]
    assert budget / 2 < rooms[0] < rooms[1] < rooms[2] <= budget
    passes = [replace(POWER, high=share * rooms[0]).chance_decided(budget, 2_000) for share in (0.95, 1.05)]
    assert passes[0] > 0.5 > passes[1]
    assert POWER.room(budget / 4, 2_000) == 0.0
    assert POWER.room(0.7, 10**6) == 0.0


def test_rows_that_all_count_decide_smaller_budgets():
    for rows in (300, 600, 2_000):
        crossed = POWER.cross_fitted(5)
        assert crossed.detection_limit(rows) < POWER.detection_limit(rows)
        # The interval over five sanitisers takes some of it back, where the interval decides.
        assert replace(crossed, makers=1).decidable_budget(rows) <= crossed.decidable_budget(rows)
        assert crossed.decidable_budget(rows) < 0.8 * (POWER.decidable_budget(rows) or 0.69)


def test_what_is_told_anyway_takes_room():
    assert replace(POWER, told=0.03).rows_needed(0.05) > POWER.rows_needed(0.05)
    assert replace(POWER, told=0.06).rows_needed(0.05) is None


def test_no_verdict_where_the_budget_restricts_nothing_or_rows_are_a_handful():
    assert POWER.chance_decided(0.7, 10**6) == 0.0
    assert POWER.detection_limit(30) is None
    assert POWER.decidable_budget(30) is None


def test_subjects_count_where_they_have_many_rows():
    assert replace(POWER, rows_per_subject=20.0).rows_needed(0.05) >= POWER.rows_needed(0.05)


def audited(n):
    rng = np.random.default_rng(0)
    fit = np.arange(n) % 10 < 7
    return read_request(rng.normal(size=(n, 12)), rng.integers(0, 2, n), None, None, None, fit, None)


def test_what_is_foretold_is_what_the_audit_finds():
    request = audited(1_500)
    view, effort = AttackView.fit(request.release), EFFORTS["quick"]
    design = make_design(request, effort, 0)
    power = replace(measure_power(view, request.sensitive[0], whole_panel(view), design, (1.0,)), parts=(0.7, 0.3))
    limit = power.detection_limit(1_500)
    panel = whole_panel(view)
    judge = Judge(0.95, 0, None, parts_of(request))

    def found(size):
        seen = 0
        for seed in range(4):
            planter = Planter(
                view, request.sensitive[0], panel.classes, panel.scores, make_design(request, effort, seed), judge
            )
            seen += all(planter.look(form, size).detected for form in planter.tested(size))
        return seen

    with one_thread():
        assert found(2 * limit) >= 3
        assert found(limit / 2.5) <= 1


def test_no_larger_leak_is_planted_than_the_rows_have_room_for():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(12, 4))[rng.integers(0, 12, 2_000)]  # each row has many twins by nature
    request = read_request(rows, rng.integers(0, 2, 2_000), None, None, None, None, None)
    view = AttackView.fit(request.release)
    design, panel = make_design(request, EFFORTS["quick"], 0), whole_panel(view)
    judge = Judge(0.95, 0, None, parts_of(request))
    planter = Planter(view, request.sensitive[0], panel.classes, panel.scores, design, judge)
    most = planter.most("twin")
    assert 0 < most < planter.largest
    assert np.isfinite(loss(planter, "twin", 0.99 * most))
