"""Retention is 1 for what is released as it is, 0 for what is not, and between for what is blurred."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.effort import find_effort
from withhold.audit.kept.columns import measure_columns, own_information
from withhold.audit.view.view import AttackView


@pytest.fixture(scope="module")
def measured():
    rng = np.random.default_rng(0)
    n = 3000
    job, age = rng.choice(list("abcd"), n), rng.integers(18, 90, n)
    original = pa.table({"job": job, "age": age, "gone": rng.normal(size=n), "one": np.ones(n)})
    flipped = np.where(rng.random(n) < 0.3, rng.choice(list("abcd"), n), job)
    release = pa.table({"job": flipped, "age": age, "gone": rng.normal(size=n), "one": np.ones(n)})
    folds = rng.integers(0, 5, n)
    view = AttackView.fit(release)
    return measure_columns(release, original, view, folds, find_effort("quick"), rng), job, flipped


def test_identity_is_kept_and_noise_is_lost(measured):
    found, _, _ = measured
    assert found["age"].retention > 0.97
    assert found["age"].own_information == pytest.approx(1.0)
    assert found["gone"].retention < 0.02
    assert found["gone"].own_information < 0.02


def test_blurred_column_lies_where_the_channel_says(measured):
    found, _, _ = measured
    stay = 0.7 + 0.3 / 4
    kept = 1 + (stay * np.log(stay) + 3 * 0.075 * np.log(0.075)) / np.log(4)
    assert found["job"].retention == pytest.approx(kept, abs=0.06)  # 600 scored rows
    assert found["job"].own_information == pytest.approx(kept, abs=0.03)


def test_constant_column_has_no_measure(measured):
    found, _, _ = measured
    assert found["one"].retention is None
    assert found["one"].own_information is None


def test_histograms_share_cells_and_hide_small_counts():
    original = pa.table({"c": ["a"] * 980 + ["b"] * 20})
    release = pa.table({"c": ["a"] * 995 + ["b"] * 5})
    rng = np.random.default_rng(1)
    found = measure_columns(release, original, AttackView.fit(release), np.arange(1000) % 5, find_effort("quick"), rng)
    histogram = found["c"].histogram
    assert histogram.labels == ["a", "b"]
    assert histogram.raw == [980, 20]
    assert histogram.release == [None, None]  # 995 of 1000 would tell the rest


def test_correction_takes_the_bias_of_many_cells_away():
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 30, 4000), rng.integers(0, 30, 4000)
    assert own_information(x, y) < 0.01  # uncorrected it reads .03


def test_a_rescaled_column_among_others_has_no_own_codes_and_a_ruined_one_has_none_left():
    rng = np.random.default_rng(3)
    age, job = rng.integers(18, 90, 1000), rng.choice(["a", "b"], 1000)
    original = pa.table({"age": age, "job": job})
    folds = np.arange(1000) % 5
    scaled = pa.table({"age": (age - age.mean()) / age.std(), "job_b": (job == "b").astype(float)})
    ruined = pa.table({"age": np.full(1000, -1), "job": job})
    for release, expected in ((scaled, None), (ruined, 0.0)):
        found = measure_columns(release, original, AttackView.fit(release), folds, find_effort("quick"), rng)
        assert found["age"].own_information == expected
