"""Collapse and lost noise are seen, and not seen where they are not."""

import numpy as np
import pandas as pd
import pyarrow as pa

from withhold.methods.controls import Identity
from withhold.methods.estimator.diagnosis import diagnose, lost_in_table, repeated_records


def codes(H, Z, noise):
    return [finding.code for finding in diagnose(H, Z, noise)[1]]


def test_collapse_needs_something_to_collapse():
    rng = np.random.default_rng(0)
    H = rng.normal(size=(500, 5))
    assert codes(H, H[:, :1] @ np.ones((1, 4)), 0.0) == ["collapse"]
    assert codes(H, H, 0.0) == []
    assert codes(H[:, :1], H[:, :1], 0.0) == []
    assert codes(H, H, 2.0) == ["collapse"]


def test_noise_of_pictures_is_compared_with_what_neighbours_share():
    rng = np.random.default_rng(0)
    H = rng.normal(size=(500, 4)) @ rng.normal(size=(4, 100)) / 2
    for scale, expected in ((1.5, []), (20.0, ["collapse"])):
        assert [finding.code for finding in diagnose(H, H, scale, pixels=True)[1]] == expected
    assert codes(H, H, 1.5) == ["collapse"]


def test_noise_below_rounding():
    Z = (np.random.default_rng(0).normal(size=(100, 3)) + 1e4).astype("float32")
    assert "noise_below_rounding" in codes(Z, Z, 1e-4)
    assert "noise_below_rounding" not in codes(Z, Z, 0.1)
    assert "noise_below_rounding" not in codes(Z, Z, 0.0)


def test_constant_representation_has_no_ratio():
    measured, findings = diagnose(np.random.default_rng(0).normal(size=(50, 3)), np.zeros((50, 3)), 0.5)
    assert "noise_to_spread" not in measured
    assert [f.code for f in findings] == ["collapse"]


def test_few_different_records_make_noise_a_renaming():
    rng = np.random.default_rng(0)
    few, many = (rng.integers(high, size=(500, 1), dtype=np.int64).view(np.uint8) for high in (4, 10**9))
    assert [f.code for f in repeated_records(few)[1]] == ["noise_repeats"]
    assert repeated_records(many)[1] == []


def test_noise_lost_in_a_table():
    plain = pa.table({"n": [1, 2, None], "c": ["x", "y", "y"]})
    assert lost_in_table(plain, plain)
    assert not lost_in_table(plain, pa.table({"n": [1, 3, None], "c": ["x", "y", "y"]}))


def test_few_records_and_classes_of_one_are_said():
    table = pd.DataFrame({"a": np.arange(120.0)})
    for n, expected in ((10, ["few_records"]), (120, [])):
        fitted = Identity().fit(table[:n], sensitive_features=np.arange(n) % 2)
        assert [f.code for f in fitted.findings_ if f.code in ("few_records", "classes_of_one")] == expected
    single = Identity().fit(table, sensitive_features=[f"p{i}" for i in range(120)])
    found = [f for f in single.findings_ if f.code == "classes_of_one"]
    assert "120 of 120 records" in found[0].text
