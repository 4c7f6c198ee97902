"""The choice from Python: names or values in, the fitted sanitiser and the table of what was tried out."""

import numpy as np
import pandas as pd
import pytest

from withhold import choose
from withhold.contracts.errors import InvalidParameterError
from withhold.workflow.choosing import settle
from workflow.choosing.test_settle import NOISE, table

pytestmark = pytest.mark.usefixtures("one_reader", "brief_audit")


@pytest.fixture
def noise(monkeypatch):
    monkeypatch.setattr(settle, "ladders_for", lambda job: [NOISE])


def test_by_name_and_by_value(noise):
    X = table().drop(columns="part")
    options = {"budget": 0.3, "drop_utility": True, "effort": "quick"}
    found = choose(X, "u", sensitive_features="s", **options)
    assert found.record.held
    assert found.reason == found.record.reason
    released = found.sanitizer.transform(X)
    assert list(released.columns) == ["tells", "useful", "job"]
    frame = found.to_frame()
    assert frame.loc[0, "method"] == "identity"
    assert len(frame) == 1 + len(found.record.trials)
    assert {"leakage", "high", "u", "retention", "seconds", "failed"} <= set(frame.columns)


def test_a_matrix_without_y_is_chosen_by_what_can_be_read_back(noise):
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 300)
    X = np.c_[s + 0.3 * rng.normal(size=300), rng.normal(size=300)]
    found = choose(X, sensitive_features=s, budget=0.3, effort="quick", groups=np.arange(300) // 2, time_limit=600)
    assert found.record.raw.kept > 0.9
    assert isinstance(found.sanitizer.transform(X), np.ndarray)


def test_what_cannot_be_chosen_by_is_refused():
    X = pd.DataFrame({"a": [1.0, 2.0], "s": [0, 1]})
    with pytest.raises(InvalidParameterError, match="nothing to choose a method by"):
        choose(X, sensitive_features="s")
    with pytest.raises(InvalidParameterError, match="no column 'sexe'"):
        choose(X, sensitive_features="sexe", budget=0.1)
