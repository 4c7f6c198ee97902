"""Costs of a run: more rows cost more, and a machine that is timed gives a positive factor."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from withhold import plan
from withhold.workflow.plan_costs import TRIALS, choosing_seconds, slowness
from withhold.workflow.request import Request


def test_the_machine_is_timed():
    assert 0.2 <= slowness() < 100


def test_more_rows_and_effort_cost_more():
    rng = np.random.default_rng(0)

    def planned(n, effort):
        table = pd.DataFrame({"a": rng.normal(size=n), "s": rng.integers(0, 2, n)})
        found = plan(table, sensitive="s", effort=effort)
        return found.audit_seconds / found.machine, found.fit_seconds / found.fits / found.machine

    few, many, hard = planned(400, "quick"), planned(6_000, "quick"), planned(6_000, "standard")
    assert many[0] > few[0]
    assert many[1] > few[1]
    assert hard[0] > many[0]


def test_a_choice_takes_its_share_of_a_fit_or_the_time_it_is_given():
    def seconds(fit, **options):
        request = Request(Path("t.csv"), ("s",), **options)
        return choosing_seconds(SimpleNamespace(request=request), fit)

    assert seconds(10.0, budget=0.1) == 10.0 * TRIALS
    assert seconds(10.0, budget=0.1, time="5s") == 5.0
    assert seconds(None, budget=0.1) is None
    assert seconds(10.0, budget=0.1, method="leace") == seconds(10.0) == 0.0
