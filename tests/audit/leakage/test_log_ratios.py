import numpy as np
import pytest

from withhold.audit.leakage.log_ratios import LogRatios


def ratios(rows, *columns, inner=None):
    values = np.column_stack(columns).astype(float)
    inner = np.zeros_like(values) + (np.arange(values.shape[1]) if inner is None else inner)
    names = tuple("abc"[: values.shape[1]])
    return LogRatios(
        np.asarray(rows), names, values, np.full(values.shape[1], -1.0), 0.7, inner, truth=np.zeros(len(rows))
    )


def test_best_follows_the_inner_rows_not_the_scored_ones():
    found = ratios([0, 1], [5.0, 5.0], [1.0, 2.0], inner=np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert found.best().tolist() == [1.0, 5.0]


def test_with_columns_keeps_both_panels():
    both = ratios([0, 1], [1, 2]).with_columns(ratios([0, 1], [3, 4]), " (other)")
    assert both.names == ("a", "a (other)")
    assert both.values.tolist() == [[1, 3], [2, 4]]


def test_minus_moves_values_and_bounds():
    less = ratios([0, 1], [1.0, 2.0]).minus(np.array([0.5, -0.25]))
    assert less.values[:, 0].tolist() == [0.5, 2.25]
    assert less.least[0] == -1.5
    assert less.most == pytest.approx(0.95)


def test_chain_adds_the_records_both_scored():
    total = ratios([0, 1, 2], [1, 2, 3]).plus(ratios([1, 2, 5], [10, 20, 30]))
    assert total.rows.tolist() == [1, 2]
    assert total.values[:, 0].tolist() == [12, 23]


def test_take():
    assert ratios([3, 4], [1, 2]).take(np.array([False, True])).rows.tolist() == [4]
