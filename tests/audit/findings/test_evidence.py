"""A column is judged on rows it was not counted on, and many columns do not make a finding."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.findings.evidence import (
    cellings,
    classes,
    column_evidence,
    digit_cellings,
    holm,
    last_digits,
    lookup,
)
from withhold.audit.view.reading import read_column
from withhold.data.attributes import read_attributes


def test_information_is_held_out():
    rng = np.random.default_rng(0)
    s, folds = rng.integers(0, 2, 2000), rng.integers(0, 5, 2000)
    identifiers = np.arange(2000) // 2  # in-sample this lookup would be nearly perfect
    assert lookup(identifiers, s, folds).information < 0.01
    flipped = np.where(rng.random(2000) < 0.1, 1 - s, s)
    found = lookup(flipped, s, folds)
    true = np.log(2) + 0.9 * np.log(0.9) + 0.1 * np.log(0.1)
    assert found.information == pytest.approx(true, abs=0.05)  # three standard errors at 2,000 rows
    assert found.balanced_accuracy == pytest.approx(0.9, abs=0.03)


def test_a_rare_cell_of_the_common_class_is_no_evidence():
    # Thirty rows that all belong to the class of nine in ten: a t-test on log-ratios alone calls that certain.
    s = np.zeros(2000, int)
    s[:200] = 1
    cells = np.zeros(2000, int)
    cells[1000:1030] = 1
    assert lookup(cells, s, np.arange(2000) % 5).p_value > 0.01


def test_p_values_of_unrelated_columns_are_not_small_too_often():
    rng = np.random.default_rng(1)
    p = [lookup(rng.integers(0, 6, 200), rng.integers(0, 2, 200), np.arange(200) % 5).p_value for _ in range(400)]
    assert np.mean(np.asarray(p) < 0.05) < 0.08


def test_fractions_and_ends_of_text_are_cells():
    rng = np.random.default_rng(2)
    s, folds = rng.integers(0, 2, 3000), rng.integers(0, 5, 3000)
    table = pa.table({"n": rng.permutation(10**6)[:3000] + 0.37 * s, "id": [f"{'ab'[v]}{i}" for i, v in enumerate(s)]})
    for name in table.column_names:
        assert column_evidence(read_column(table, name), s, folds).share > 0.95
    reading = read_column(table, "n")
    assert len(list(cellings(reading))) == 2
    (found, tried), (none, again) = (digit_cellings(reading, classes) for classes in (s, rng.permutation(s)))
    assert 0 < len(found) <= tried == again == len(list(last_digits(reading.levels)))
    assert none == []


def test_continuous_attributes_are_cut_into_classes_of_equal_mass():
    codes = classes(read_attributes(np.random.default_rng(3).normal(size=1000))[0])
    assert np.bincount(codes).tolist() == [125] * 8


def test_holm_lies_between_bonferroni_and_none():
    p = [0.004, 0.006, 0.5]
    assert holm(p, 0.0125).tolist() == [True, True, False]
    assert (np.asarray(p) <= 0.0125 / 3).tolist() == [True, False, False]


@pytest.mark.parametrize("place", [1e-1, 1e-4, 1e-10])
def test_a_class_written_in_one_digit_is_told(place):
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 1200)
    below = np.round(rng.random(1200), 3) * place * 0.99
    numbers = np.floor(rng.random(1200) / place / 10) * place * 10 + (2 * rng.integers(0, 5, 1200) + s) * place + below
    numbers[7] = 1e300  # one that has no decimals hides none
    for told, share in ((s, 0.8), (rng.permutation(s), 0.0)):
        found = column_evidence(read_column(pa.table({"c": numbers}), "c"), told, np.arange(1200) % 5)
        assert (found.share > share) if share else (found.p_value > 0.01)


def test_numbers_of_one_size_have_no_last_digits():
    assert list(last_digits(np.arange(100.0))) == []
    assert list(last_digits(np.full(3, 0.0))) == []
    assert all(0 <= digits.min() < digits.max() <= 9 for digits in last_digits(np.array([1e300, -0.3, 5e-324])))
