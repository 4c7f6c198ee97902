import numpy as np
import pytest

from withhold.audit.attackers.pairs import TOGETHER, Pairs
from withhold.audit.attackers.periods import Periods
from withhold.audit.attackers.remembered import Memory, mark, recall
from withhold.audit.effort import EFFORTS


def leaks(seed, rows=1500):
    """Two releases that differ in one column, as those of two test leaks do, and S, which the last column tells."""
    rng = np.random.default_rng(seed)
    same = rng.uniform(size=(rows, TOGETHER + 20)).astype(np.float32)
    s = rng.integers(0, 2, rows)
    turns = (rng.integers(0, 200, rows) + 0.5 * s + 0.5 * rng.uniform(size=rows)).astype(np.float32)
    crossed = ((2 * s - 1) * (same[:, 3] - 0.5) + 0.2 * rng.normal(size=rows)).astype(np.float32)
    return [np.column_stack([same, column]) for column in (turns, crossed)], s


@pytest.mark.parametrize("attacker", [Pairs, Periods])
def test_who_remembers_guesses_as_who_does_not(attacker):
    releases, s = leaks(0)
    memory = Memory()
    reached = []
    for X in releases:
        fresh = attacker(EFFORTS["quick"]).fit(X, s, np.random.default_rng(1)).log_proba(X)
        with memory.open():
            known = attacker(EFFORTS["quick"]).fit(X, s, np.random.default_rng(1)).log_proba(X)
        np.testing.assert_allclose(known, fresh, atol=1e-4)
        reached.append(fresh[np.arange(len(s)), s].mean())
    assert max(reached) > -0.5  # one of the two is at home here: equal guesses are not two priors


def test_another_class_or_another_value_is_computed_anew():
    (X, _), s = leaks(1)
    changed = X.copy()
    changed[0, 0] += 1.0
    with Memory().open():
        assert len({mark(X, s), mark(changed, s), mark(X, 1 - s), mark(X[:, ::-1], s), mark(X.T, s)}) == 5


def test_what_was_asked_for_longest_ago_goes_first():
    asked, memory = [], Memory(most=2_500)
    with memory.open():
        for key in (b"a", b"b", b"a", b"c", b"a", b"b"):
            recall(key, lambda key=key: asked.append(key) or np.zeros(100))
    assert asked == [b"a", b"b", b"c", b"b"]


def test_nothing_is_kept_where_no_memory_is_open():
    asked = []
    assert mark(np.zeros(3)) == b""
    for _ in range(2):
        recall(b"", lambda: asked.append(1))
    assert len(asked) == 2
