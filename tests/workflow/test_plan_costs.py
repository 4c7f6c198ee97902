"""Costs of a run: more rows cost more, and a machine that is timed gives a positive factor."""

import numpy as np
import pandas as pd

from withhold import plan
from withhold.workflow.plan_costs import slowness


def test_the_machine_is_timed():
    assert 0.2 <= slowness() < 100


def test_more_rows_and_effort_cost_more():
    rng = np.random.default_rng(0)

    def planned(n, effort):
        table = pd.DataFrame({"a": rng.normal(size=n), "s": rng.integers(0, 2, n)})
        found = plan(table, sensitive="s", effort=effort)
        return found.audit_seconds / found.machine, found.fit_seconds / found.machine

    few, many, hard = planned(400, "quick"), planned(6_000, "quick"), planned(6_000, "standard")
    assert many[0] > few[0]
    assert many[1] > few[1]
    assert hard[0] > many[0]
