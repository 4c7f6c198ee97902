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
    found = [f for f in LEACE().fit(frame(), sensitive_features="s").findings_ if f.code.startswith("discrete")]
    assert found[0].column == "job"
