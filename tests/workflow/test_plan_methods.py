"""Which methods a plan names: never a control, each that does not apply with its reason, LEACE with its limit."""

import numpy as np
import pandas as pd
import pytest

from withhold import plan
from withhold.workflow.plan_methods import CONTROLS

pytestmark = pytest.mark.usefixtures("brief_audit")


def test_tables_and_embeddings():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 300)
    table = pd.DataFrame({"x0": rng.normal(size=300), "x1": rng.normal(size=300), "s": s})
    embedding = {one.method: one for one in plan(table, sensitive="s", effort="quick").methods}
    assert embedding["leace"].applies
    mixed = {one.method: one for one in plan(table.assign(job="a"), sensitive="s", effort="quick").methods}
    assert not embedding["leace"].why
    assert mixed["leace"].applies
    assert "linear" in mixed["leace"].why
    assert not CONTROLS & set(mixed)
    assert all(one.applies or one.why for one in mixed.values())
