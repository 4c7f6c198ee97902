"""DiscreteChannel reaches the certified bound, keeps its budget on new rows, and releases tables of valid rows."""

import numpy as np
import pandas as pd
import pytest

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.information.bounds.frontier import frontier
from withhold.information.measures.counts import information_from_counts
from withhold.information.measures.shannon import mutual_information
from withhold.methods.discrete_channel.discrete_channel import DiscreteChannel


def told(Z, codes):
    """Corrected information of released symbols about an attribute."""
    table = np.zeros((Z.shape[1], codes.max() + 1))
    np.add.at(table, (Z.argmax(axis=1), codes), 1)
    return information_from_counts(table)


def six_by_two(n, seed=0, alpha=9.630029):
    """The paper's Section 4: X = (U, S), I(U;S) = .4 nat."""
    u, s = np.indices((6, 2))
    p = 1.0 + alpha * (u % 2 == s)
    drawn = np.random.default_rng(seed).choice(12, size=n, p=p.ravel() / p.sum())
    U, S = drawn // 2, drawn % 2
    return np.eye(12, dtype=np.float32)[drawn], U, S, p / p.sum()


def test_the_bound_is_reached_where_x_is_discrete():
    X, U, S, p = six_by_two(40_000)
    budget = 0.12
    method = DiscreteChannel(budget=budget, noise_seed=0, random_state=0).fit(X, U, sensitive_features=S)
    counted = np.zeros((6, 2))
    np.add.at(counted, (U, S), 1 / len(U))
    assert method.code_.exact
    assert method.diagnostics_["leakage"] <= method.diagnostics_["aim"] + 1e-9 <= budget + 1e-9
    kept = mutual_information(np.diag(counted.sum(axis=1))) - method.diagnostics_["utility_information"]
    bound = frontier(counted, [method.diagnostics_["aim"]])
    assert bound.lower_bound[0] - 1e-9 <= kept <= bound.lower_bound[0] + 0.005
    # New rows, and the symbols that are really drawn.
    X, U, S, _ = six_by_two(40_000, seed=1)
    Z = method.transform(X)
    assert set(np.unique(Z)) == {0.0, 1.0}
    assert told(Z, S) < budget + 0.005  # four standard errors
    assert told(Z, U) > np.log(6) - frontier(p, [budget]).lower_bound[0] - 0.03
    assert told(X, S) > 0.6  # in the clear S can be read


def records(n=4_000, seed=0):
    """A table whose columns tell U and S by halves."""
    rng = np.random.default_rng(seed)
    rich, sex = rng.integers(2, size=n), rng.integers(2, size=n)
    return pd.DataFrame(
        {
            "hours": np.round(38 + 4 * rich + 3 * sex + 4 * rng.normal(size=n)).astype(int),
            "job": np.array(["clerk", "nurse", "smith"])[np.clip(sex + (rng.random(n) < 0.3), 0, 2)],
            "degree": pd.Categorical(np.array(["none", "some", "high"])[np.clip(rich + (rng.random(n) < 0.3), 0, 2)]),
            "sex": np.array(["f", "m"])[sex],
            "rich": np.array(["no", "yes"])[rich],
        }
    )


def fitted(**settings):
    data = records()
    method = DiscreteChannel(budget=0.01, noise_seed=0, random_state=0, rounds=30, max_steps=600, **settings)
    return method, data, method.fit_transform(data, "rich", sensitive_features="sex")


@pytest.mark.parametrize("rows", ["sample", "representative"])
def test_a_table_holds_rows_that_were_seen_together(rows):
    method, data, table = fitted(rows=rows)
    assert list(table.columns) == ["hours", "job", "degree"]
    assert table.dtypes.equals(data[["hours", "job", "degree"]].dtypes)
    pairs = set(zip(data["job"], data["degree"], strict=True))
    assert set(zip(table["job"], table["degree"], strict=True)) <= pairs
    most = len(method.channel_) * (256 if rows == "sample" else 1)
    assert len(table.drop_duplicates()) <= most
    assert "real_rows" in {finding.code for finding in method.findings_}
    assert method.transform(data).equals(table)  # no row is decoded by what met it, so nothing differs


def test_new_rows_keep_the_budget_and_the_table_tells_no_more_than_the_symbol():
    method, data, _ = fitted(rows="sample")
    new = records(20_000, seed=9)
    S, U = (new["sex"] == "m").to_numpy(int), (new["rich"] == "yes").to_numpy(int)
    Z = method.represent(new)
    assert told(Z, S) < 0.01 + 0.006  # the sampling error of 20,000 rows, and of a joint of 4,000
    assert told(Z, U) > 0.08
    jobs = pd.get_dummies(new["job"]).to_numpy(float)
    assert told(jobs, S) > 0.2  # the raw column
    table = method.transform(new)
    assert told(pd.get_dummies(table["job"]).to_numpy(float), S) < 0.016
    # A rule of the original records goes on working: most of what the symbol tells of U is in the rows.
    assert told(pd.get_dummies(table["degree"]).to_numpy(float), U) > 0.05
    assert method.diagnostics_["held_out_leakage"] <= 0.01
    # Every symbol has records behind it.
    sizes = np.bincount(method.represent(data).argmax(axis=1), minlength=Z.shape[1])
    assert sizes.sum() == len(data)


def test_several_attributes_are_hidden_jointly():
    rng = np.random.default_rng(0)
    data = records(6_000).assign(old=rng.random(6_000) < 0.5)
    data["hours"] += 5 * data["old"]
    method = DiscreteChannel(budget=0.01, noise_seed=0, random_state=0, rounds=30, max_steps=600)
    method.fit(data, "rich", sensitive_features=["sex", "old"])
    Z = method.represent(data)
    joint = (data["sex"] == "m").to_numpy(int) * 2 + data["old"].to_numpy(int)
    assert told(Z, joint) < 0.01 + 0.006
    assert told(Z, (data["rich"] == "yes").to_numpy(int)) > 0.05


def test_what_cannot_be_counted_is_refused_with_a_remedy():
    data = records(300)
    with pytest.raises(
        DataError, match=r"needs categorical attributes; '.*' is numeric. Pass sensitive_kinds=.*bin it"
    ):
        DiscreteChannel().fit(data.assign(sex=np.linspace(0, 1, 300)), "rich", sensitive_features="sex")
    with pytest.raises(
        DataError, match=r"needs categorical attributes; '.*' is numeric. Pass sensitive_kinds=.*bin it"
    ):
        DiscreteChannel().fit(data.assign(rich=np.linspace(0, 1, 300)), "rich", sensitive_features="sex")
    with pytest.raises(DataError, match="several records share"):
        DiscreteChannel().fit(data.assign(sex=[f"p{i}" for i in range(300)]), "rich", sensitive_features="sex")
    many = data.assign(a=np.arange(300) % 8, b=np.arange(300) % 7)
    with pytest.raises(DataError, match="at most 50 combinations"):
        DiscreteChannel().fit(many, "rich", sensitive_features=["a", "b"])
    with pytest.raises(DataError, match="needs y"):
        DiscreteChannel().fit(data, sensitive_features="sex")
    for wrong in ({"rows": "all"}, {"budget": -0.1}, {"cells": 1}, {"max_steps": 0}):
        with pytest.raises(InvalidParameterError, match="must be"):
            DiscreteChannel(**wrong).fit(data, "rich", sensitive_features="sex")


def test_the_guarantee_says_what_is_known():
    method, _, _ = fitted()
    claim = method.guarantee().claim
    assert f"{method.diagnostics_['leakage']:.4f} nat" in claim
    assert "training rows" in claim
    assert "estimate" in claim
    assert "nothing is proven" in method.guarantee().against
