"""Three columns that tell only together are found beside many others, of two classes or more, and none by chance."""

import numpy as np
import pytest

from withhold.audit.attackers.pairs import Pairs
from withhold.audit.attackers.triples import best_triples
from withhold.audit.effort import EFFORTS

N, WIDTH = 2_000, 60


def signs(seed=0):
    return np.random.default_rng(seed).choice([-1.0, 1.0], (N, WIDTH)).astype(np.float32)


def indicators(s):
    codes = np.eye(int(s.max()) + 1, dtype=np.float32)[s]
    return (codes - codes.mean(axis=0)) / codes.std(axis=0)


def test_a_parity_of_three_is_read_beside_sixty_columns():
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (N, WIDTH)).astype(np.float32)
    s = ((x[:, [4, 17, 40]].prod(axis=1) > 0) ^ (rng.random(N) < 0.1)).astype(np.int64)
    half = N // 2
    fitted = Pairs(EFFORTS["quick"]).fit(x[:half], s[:half], rng)
    read = np.log(2) + fitted.log_proba(x[half:])[np.arange(half), s[half:]].mean()
    assert read > 0.2  # of .368
    assert read < 0.368 + 0.05


def test_one_class_of_several_is_enough():
    x = signs()
    rare = (x[:, [3, 8, 50]].prod(axis=1) > 0) & (np.random.default_rng(2).random(N) < 0.5)
    s = np.where(rare, 2, np.random.default_rng(3).integers(0, 2, N))
    assert [3, 8, 50] in best_triples(x, indicators(s)).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_hardly_any_triple_is_found_by_chance(seed):
    s = np.random.default_rng(100 + seed).integers(0, 2, N)
    assert len(best_triples(signs(seed), indicators(s)[:, :1])) <= 1


def embedded(seed):
    """Signs of columns that go together, as those of an embedding do."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 6)) @ rng.normal(size=(6, 30)) + 0.3 * rng.normal(size=(N, 30))
    return np.where(np.median(X, axis=0) < X, 1.0, -1.0).astype(np.float32)


@pytest.mark.parametrize("seed", range(3))
def test_what_one_column_tells_is_told_by_no_triple(seed):
    x, rng = embedded(seed), np.random.default_rng(seed)
    s = rng.integers(0, 4, N)
    leak = np.where(s + rng.normal(size=N) > 1.5, 1.0, -1.0)[:, None].astype(np.float32)
    assert len(best_triples(np.hstack([x, leak]), indicators(s))) <= 1


def test_three_columns_that_go_together_with_others_are_found():
    x = embedded(0)
    s = ((x[:, [2, 9, 20]].prod(axis=1) > 0) ^ (np.random.default_rng(1).random(N) < 0.2)).astype(np.int64)
    assert best_triples(x, indicators(s)[:, :1])[0].tolist() == [2, 9, 20]


def test_columns_that_hardly_vary_are_left_out():
    x = signs()
    x[:, 7:] = np.where(np.random.default_rng(4).random((N, WIDTH - 7)) < 0.02, 1.0, -1.0)
    s = (x[:, [0, 1, 7]].prod(axis=1) > 0).astype(np.int64)
    assert all(max(triple) < 7 for triple in best_triples(x, indicators(s)[:, :1]).tolist())
    assert best_triples(x[:, :2], indicators(s)).shape == (0, 3)
