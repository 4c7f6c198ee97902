"""What a fit leaves out is told in Python, and can be decided; what to hide can be said to a Pipeline."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from withhold import LEACE, DroppedColumnsWarning, Identity
from withhold.methods.estimator.dropped import told_elsewhere


def people(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, n)
    columns = {
        "height": 160 + 15 * sex + rng.normal(size=n),
        "age": rng.normal(size=n),
        "weight_no": rng.permutation(n),
    }
    return pd.DataFrame({**columns, "sex": sex})


def test_a_column_that_is_left_out_is_told_with_what_to_write() -> None:
    with pytest.warns(DroppedColumnsWarning, match=r"'weight_no' looks like .* drop=\['weight_no'\] .* keep=") as told:
        method = Identity().fit(people(), sensitive_features="sex")
    assert told[0].filename == __file__
    assert "weight_no" not in method.transform(people()).columns
    with pytest.warns(DroppedColumnsWarning):
        Identity().fit_transform(people(), sensitive_features="sex")


@pytest.mark.parametrize("settings", [{"drop": ["weight_no"]}, {"keep": ["weight_no"]}])
def test_who_has_decided_is_not_told(settings: dict[str, list[str]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released = Identity(**settings).fit_transform(people(), sensitive_features="sex")
    assert ("weight_no" in released.columns) == ("keep" in settings)


def test_where_a_record_tells_of_it_nothing_is_warned_of() -> None:
    with warnings.catch_warnings(), told_elsewhere():
        Identity().fit(people(), sensitive_features="sex")


def test_a_pipeline_needs_no_routing() -> None:
    data, rng = people(), np.random.default_rng(1)
    y = (data["age"] + rng.normal(size=len(data)) > 0).astype(int).rename("paid")
    hide = LEACE(sensitive_features="sex", drop=["weight_no"])
    chain = make_pipeline(hide, StandardScaler(), LogisticRegression()).fit(data, y)
    assert list(chain[0].feature_names_in_) == ["height", "age"]
    assert chain.score(data.drop(columns="sex"), y) > 0.6
    # Hidden from those who read straight: the same chain without it knows.
    seen = make_pipeline(StandardScaler(), LogisticRegression()).fit(chain[0].transform(data), data["sex"])
    assert seen.score(chain[0].transform(data), data["sex"]) < 0.65
    raw = data[["height", "age"]]
    assert make_pipeline(StandardScaler(), LogisticRegression()).fit(raw, data["sex"]).score(raw, data["sex"]) > 0.9


def test_what_fit_is_given_counts_before_the_constructor() -> None:
    data = people().assign(other=lambda d: d["sex"][::-1].to_numpy())
    method = LEACE(sensitive_features="other", drop=["weight_no"]).fit(data, sensitive_features="sex")
    assert "other" in method.feature_names_in_
    assert "sex" not in method.feature_names_in_
