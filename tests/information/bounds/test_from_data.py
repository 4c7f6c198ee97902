"""The finite-sample end holds for the truth it is drawn from, tightens with n, and sees unseen cells."""

import numpy as np
import pytest

from withhold.information.bounds.from_data import confine, freeze, mixed_with_prior
from withhold.information.bounds.frontier import frontier

JOINT = np.array([[0.3, 0.15, 0.05], [0.05, 0.1, 0.35]])
BUDGETS = np.array([0.0, 0.05, 0.1])


def sample(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    cells = np.random.default_rng(seed).choice(6, size=n, p=JOINT.ravel())
    return cells // 3, cells % 3


def bound(n: int, seed: int) -> np.ndarray:
    u, s = sample(n, seed)
    half = n // 2
    counts = np.zeros((2, 3))
    np.add.at(counts, (u[:half], s[:half]), 1.0)
    reference = (counts.sum(axis=0) + 0.5) / (half + 1.5)
    return confine(freeze(counts), reference, u[half:], s[half:], np.zeros(n - half), 0.0, BUDGETS).low


def test_holds_for_the_truth_and_tightens() -> None:
    truth = frontier(JOINT, BUDGETS).lower_bound
    small = np.array([bound(400, seed) for seed in range(12)])
    large = np.array([bound(20_000, seed) for seed in range(2)])
    assert (small <= truth).all()
    assert (large <= truth).all()
    assert (large.mean(axis=0) > small.mean(axis=0) + 0.02).all()
    assert large.min(axis=0)[0] > 0.7 * truth[0]


def test_a_prediction_lowers_the_bound_by_what_x_does_not_tell() -> None:
    u, s = sample(20_000, 0)
    counts = np.zeros((2, 3))
    np.add.at(counts, (u, s), 1.0)
    lines, reference = freeze(counts), counts.sum(axis=0) / counts.sum()
    knowing = confine(lines, reference, u, s, np.zeros(len(u)), 0.0, BUDGETS)
    guessing = confine(lines, reference, u, s, np.full(len(u), np.log(0.9)), np.log(0.9), BUDGETS)
    assert knowing.low[0] - guessing.low[0] == pytest.approx(-np.log(0.9), abs=0.01)
    assert (knowing.low < knowing.high).all()


def test_unseen_cells_do_not_break_the_range() -> None:
    lines = freeze(np.array([[50.0, 0.0], [0.0, 50.0]]))
    assert all(np.abs(line.prices).max() < 1000.0 for line in lines)


def test_a_prediction_is_mixed_with_the_prior() -> None:
    logs = mixed_with_prior(np.array([[1.0, 0.0]]), np.array([0.5, 0.5]))
    assert logs[0, 1] == pytest.approx(np.log(0.005))
