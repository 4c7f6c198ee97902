import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.kept.transfer import transfer
from withhold.data.attributes import read_attributes


def records(n=600, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    x = rng.normal(size=n)
    return y, pa.table({"x": x + 2.0 * y, "text": np.array(["a", "b"])[(rng.random(n) < 0.3 + 0.4 * y).astype(int)]})


def test_a_release_is_worth_what_it_teaches_about_originals():
    y, original = records()
    shifted = original.set_column(0, "x", pa.array(original["x"].to_numpy() + 50.0))  # predicts y, but not originals
    found = transfer(read_attributes(y)[0], original, original, shifted, effort="quick")
    assert found.original == pytest.approx(found.release, abs=0.03)
    assert found.original > 0.75
    assert found.no_record < 0.65


def test_a_number_too_and_no_control():
    _, original = records()
    found = transfer(read_attributes(original["x"].to_numpy() * 3.0 + 0.1)[0], original, original, effort="quick")
    assert found.release > 0.9
    assert found.no_record is None


def test_what_cannot_be_compared_is_not():
    y, original = records()
    label = read_attributes(y)[0]
    assert transfer(label, original, original.rename_columns(["z0", "z1"]), effort="quick") is None
    few = np.arange(20)
    assert transfer(label.take(few), original.take(few), original.take(few), effort="quick") is None


def test_subjects_stand_on_one_side():
    """Copies of a record under one subject do not make a useless column look useful."""
    rng = np.random.default_rng(1)
    subjects = np.repeat(np.arange(60), 10)
    y = rng.integers(2, size=60)[subjects]
    noise = pa.table({"x": rng.normal(size=60)[subjects]})
    label = read_attributes(y)[0]
    assert transfer(label, noise, noise, effort="quick").original > 0.8  # positive control: known by heart
    assert transfer(label, noise, noise, groups=subjects, effort="quick").original < 0.75
