"""Collapse to one direction or to nothing."""

import numpy as np
import pytest

from withhold.audit.findings.collapse import collapse, effective_rank


def test_effective_rank_counts_directions_whatever_their_scale():
    x = np.random.default_rng(0).normal(size=(2000, 4)) * [1.0, 1e3, 1e-3, 1.0]
    assert effective_rank(x) == pytest.approx(4, abs=0.05)
    assert effective_rank(np.outer(x[:, 0], [1.0, 5.0, -2.0])) == pytest.approx(1)


def test_only_collapse_is_named():
    x = np.random.default_rng(1).normal(size=(500, 3))
    assert collapse(x, 0.5) == []
    assert collapse(x, None) == []
    assert "retention" in collapse(x, 0.01)[0].text
    assert "one direction" in collapse(x[:, :1] * [1.0, 2.0], 0.5)[0].text
