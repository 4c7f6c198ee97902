"""Forms of Python objects: found where one column holds its objects in several ways, silent where the values say it."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from withhold.audit.run import audit_release
from withhold.data.object_forms import object_forms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (5, 5.0),
        (5, np.int64(5)),
        (Decimal("3.10"), Decimal("3.1")),
        ({"w": 1.0, "h": 2.0}, {"h": 2.0, "w": 1.0}),
        ({"w": 1.0}, {"w": 1.0, "h": None}),
        ([1, 2], [1.0, 2.0]),
        ([1, 2], (1, 2)),
        ([{"w": 1, "h": 2}], [{"h": 2, "w": 1}]),
        (np.zeros(3, np.float32), np.zeros(3)),
    ],
)
def test_equal_values_held_in_two_ways_are_told_apart(one, other):
    column = np.empty(4, object)
    column[:] = [one, other, None, one]
    (found,) = object_forms(pd.DataFrame({"a": column, "b": range(4)})).to_pydict().values()
    assert found[0] == found[3] != found[1]
    assert found[2] is None


def test_two_ways_to_hold_nothing_are_told_apart():
    frame = pd.DataFrame({"a": ["x", None, float("nan"), pd.NA]}, dtype=object)
    assert object_forms(frame).to_pydict() == {"a missing as": [None, "NoneType", "float", "NAType"]}


@pytest.mark.parametrize(
    "values",
    [[1, 2, None], ["a", "b"], [Decimal("3.10"), Decimal("3.25")], [{"w": 1.5}, {"w": 2.5}], [[1, 2], [3]]],
)
def test_what_follows_from_the_values_is_no_form(values):
    assert object_forms(pd.DataFrame({"a": pd.Series(values, dtype=object)})).num_columns == 0


@pytest.mark.parametrize("told", [True, False])
def test_whole_numbers_beside_floats_tell_what_they_tell(told):
    rng = np.random.default_rng(0)
    s, t = rng.integers(0, 2, (2, 400))
    visits = [int(v) if (s if told else t)[i] else float(v) for i, v in enumerate(rng.integers(0, 40, 400))]
    release = pd.DataFrame({"visits": pd.Series(visits, dtype=object), "age": rng.normal(size=400)})
    record = audit_release(release, sensitive_features=s, budget=0.1, effort="quick", progress=lambda _: None)
    assert (record.verdict == "fail") is told
    assert told or not [finding for finding in record.findings if finding.severity == "critical"]
