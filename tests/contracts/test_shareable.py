"""What is handed over of an audit's record neither names nor counts the classes of a hidden attribute."""

import numpy as np
import pandas as pd
import pytest

from withhold import audit_release
from withhold.contracts.shareable import shareable
from withhold.report.page import render


@pytest.fixture(scope="module")
def record(brief_audit):
    rng = np.random.default_rng(0)
    s = rng.choice(["Zzyzx", "Qwghlm"], 300, p=[0.8, 0.2])
    u = rng.choice(["yes", "no"], 300)
    table = pd.DataFrame({"a": (s == "Zzyzx") + rng.normal(size=300), "b": (u == "yes") + rng.normal(size=300)})
    return audit_release(
        table,
        sensitive_features=pd.Series(s, name="origin"),
        utility=pd.Series(u, name="paid"),
        original=table,
        budget=0.1,
        effort="quick",
        attackers=["logistic", "boosting"],
    )


def test_classes_are_neither_named_nor_counted(record):
    whole, shared = record.model_dump_json(), shareable(record).model_dump_json()
    assert "Zzyzx" in whole  # a positive control: there is something to leave out
    assert "Qwghlm" in whole
    assert "Zzyzx" not in shared
    assert "Qwghlm" not in shared
    kept = shareable(record).sensitive["origin"].groups
    assert sorted(one.value for one in kept.values()) == sorted(
        f(one.value for one in record.sensitive["origin"].groups.values()) for f in (min, max)
    )
    assert all(one.n is None for one in kept.values())


def test_the_page_of_the_shared_record_is_the_page_of_the_whole(record):
    assert render(shareable(record)) == render(record)
