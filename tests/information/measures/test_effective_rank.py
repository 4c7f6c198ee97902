"""Effective rank: directions are counted, with or without their units."""

import numpy as np
import pytest

from withhold.information.measures.effective_rank import effective_rank


def test_correlations_count_directions_whatever_their_scale():
    x = np.random.default_rng(0).normal(size=(2000, 4)) * [1.0, 1e3, 1e-3, 1.0]
    assert effective_rank(x, standardise=True) == pytest.approx(4, abs=0.05)
    assert effective_rank(x) == pytest.approx(1, abs=0.01)
    assert effective_rank(np.outer(x[:, 0], [1.0, 5.0, -2.0]), standardise=True) == pytest.approx(1)


def test_few_rows_give_what_their_transpose_gives():
    x = np.random.default_rng(1).normal(size=(5, 40))
    values = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
    shares = values[values > 1e-9] / values.sum()
    assert effective_rank(x) == pytest.approx(np.exp(-(shares * np.log(shares)).sum()))


def test_nothing_has_no_rank():
    assert effective_rank(np.zeros((7, 0))) == 0.0
    assert effective_rank(np.zeros((0, 0))) == 0.0
    assert effective_rank(np.ones((7, 2)), standardise=True) == 0.0
