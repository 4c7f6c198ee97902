"""Where the linear promise ends, seen on tables."""

import numpy as np
import pandas as pd

from withhold.methods.leace.leace import LEACE


def frame(n=3_000):
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=n)
    job = np.array(["clerk", "nurse", "smith"])[np.where(rng.random(n) < 0.7, s, 2)]
    return pd.DataFrame({"job": job, "x": rng.normal(size=n) + s, "s": np.array(["f", "m"])[s]})


def codes(method):
    return {finding.code for finding in method.findings_}


def test_decoding_to_categories_voids_the_promise():
    data = frame()
    table = LEACE().fit(data, sensitive_features="s")
    assert "decoding_voids_linear_guarantee" in codes(table)
    assert table.guarantee().holds is False
    assert table.diagnostics_["table_correlation"] > 0.1
    representation = LEACE(output="representation").fit(data, sensitive_features="s")
    assert "decoding_voids_linear_guarantee" not in codes(representation)
    assert representation.guarantee().holds is True


def test_a_table_of_real_numbers_keeps_the_promise():
    data = frame()[["x", "s"]].assign(z=lambda d: d["x"] ** 2)
    method = LEACE().fit(data, sensitive_features="s")
    assert method.guarantee().holds is True
    assert method.diagnostics_["table_correlation"] < 1e-3
    Z = method.transform(data)
    assert abs(np.corrcoef(Z["x"], data["s"] == "f")[0, 1]) < 1e-4
    assert abs(np.corrcoef(data["x"], data["s"] == "f")[0, 1]) > 0.3


def test_encoded_columns_are_named_by_their_column():
    method = LEACE(output="representation").fit(frame(), sensitive_features="s")
    found = [f for f in method.findings_ if f.code.startswith("discrete")]
    assert found[0].column == "job"


def test_a_column_that_tells_only_before_decoding_is_not_named():
    """The few values of a column show what was erased in the representation; the table has its categories alone."""
    rng = np.random.default_rng(0)
    s = rng.integers(2, size=3_000)
    data = pd.DataFrame({"ward": rng.choice(["A", "B", "C"], 3_000), "x": rng.normal(size=3_000) + 2 * s, "s": s})
    name = "discrete_columns_void_linear_guarantee"
    assert name in codes(LEACE(output="representation").fit(data, sensitive_features="s"))
    method = LEACE().fit(data, sensitive_features="s")
    assert name not in codes(method)
    released = method.transform(data)["ward"]
    assert (pd.crosstab(released, s, normalize="columns").diff(axis=1).abs()[1] < 0.04).all()
