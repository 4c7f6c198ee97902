"""The control that changes nothing it need not."""

import numpy as np
import pandas as pd

from withhold.methods.controls import Identity


def test_arrays_are_unchanged_and_not_shared():
    X = np.random.default_rng(0).normal(size=(30, 3))
    Z = Identity().fit_transform(X, sensitive_features=np.resize(["a", "b"], 30))
    assert np.array_equal(X, Z)
    Z[0] = 9
    assert not np.array_equal(X, Z)


def test_tables_come_back_through_the_codec():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"n": rng.integers(50, size=300), "c": rng.choice(["x", "y"], 300), "s": rng.choice([0, 1], 300)}
    )
    release = Identity().fit_transform(data, sensitive_features="s")
    assert (release["c"] == data["c"]).all()
    assert np.corrcoef(release["n"], data["n"])[0, 1] > 0.99


def test_it_promises_nothing():
    method = Identity().fit(np.arange(8.0).reshape(4, 2), sensitive_features=["a", "b"] * 2)
    assert method.guarantee().claim.startswith("None")
    assert method.noise_note_ == "none"
