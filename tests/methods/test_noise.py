"""The noise control: the stated size, in every column, for tables too."""

import numpy as np
import pandas as pd
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.methods.controls import Noise


def test_each_column_in_its_own_unit():
    X = np.random.default_rng(0).normal(size=(4_000, 3)) * [1, 100, 0.01]
    noisy = Noise(scale=0.5, noise_seed=0).fit_transform(X, sensitive_features=X[:, 0] > 0)
    assert np.allclose((noisy - X).std(axis=0) / X.std(axis=0), 0.5, rtol=0.05)


def test_more_noise_moves_more_categories():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"job": rng.choice(["a", "b", "c"], 500), "s": rng.choice(["f", "m"], 500)})
    data["x"] = rng.normal(size=500)  # records differ: copies of a record get the same noise
    kept = []
    for scale in (0.0, 1.0, 5.0):
        release = Noise(scale=scale, noise_seed=0).fit_transform(data, sensitive_features="s")
        kept.append((release["job"] == data["job"]).mean())
    assert kept[0] == 1.0
    assert kept[0] > kept[1] > kept[2] > 1 / 4


def test_negative_scale():
    with pytest.raises(InvalidParameterError, match="scale"):
        Noise(scale=-1).fit(np.zeros((4, 2)), sensitive_features=["a", "b"] * 2)
