import numpy as np
import pytest

from withhold.audit.attackers.mixture import fit_mixture, pool

HALF = np.log([0.5, 0.5])


def guesses(n: int, seed: int, shifts: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return classes and exact log-ratios of members that each see the class through noise of their own."""
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 2, n)
    ratios = []
    for shift in shifts:
        x = rng.normal(size=n) + shift * (2 * s - 1)
        own = np.column_stack([-shift * x, shift * x])
        ratios.append(own - np.logaddexp.reduce(own, axis=1, keepdims=True) - HALF)
    return s, np.stack(ratios)


def gain(table: np.ndarray, s: np.ndarray) -> float:
    return float(table[np.arange(len(s)), s].mean())


def halves(n: int, seed: int, shifts: tuple[float, ...]):
    s, ratios = guesses(n, seed, shifts)
    cut = n // 2
    held = {f"m{j}": ratio[:cut] for j, ratio in enumerate(ratios)}
    rest = {f"m{j}": ratio[cut:] for j, ratio in enumerate(ratios)}
    return held, rest, s[:cut], s[cut:]


def test_independent_members_add_up() -> None:
    held, rest, s, later = halves(8000, 0, (0.4, 0.4, 0.0))
    table, score = pool(held, rest, s, HALF, np.random.default_rng(0))
    single = max(gain(own, later) for own in rest.values())
    assert gain(table, later) > 1.6 * single
    assert score.mean() == pytest.approx(gain(table, later), abs=0.02)


def test_members_that_learned_nothing_pool_to_nothing() -> None:
    held, rest, s, later = halves(4000, 1, (0.02, 0.02, 0.02))
    shuffled = np.random.default_rng(2).permutation(s)
    table, score = pool(held, rest, shuffled, HALF, np.random.default_rng(0))
    assert abs(gain(table, np.random.default_rng(3).permutation(later))) < 0.005
    assert score.mean() < 0.005


def test_the_score_of_the_pool_is_not_that_of_its_own_rows() -> None:
    # Thirty noisy members on few rows: the weights fit the rows they are fitted on, and the score must not show it.
    rng = np.random.default_rng(0)
    s, x = np.tile([0, 1], 60), rng.normal(size=(30, 120))
    ratios = np.stack([-x, x], axis=-1) * 0.5
    own = gain(fit_mixture(ratios, s, HALF).ratio(ratios), s)
    held = {str(j): ratio for j, ratio in enumerate(ratios)}
    _, score = pool(held, held, s, HALF, np.random.default_rng(0))
    assert own > 0.05
    assert score.mean() < 0.0


def test_too_little_to_pool_is_the_prior_and_is_never_chosen() -> None:
    held, rest, s, _ = halves(80, 0, (1.0, 1.0))
    for few in (held, {"m0": held["m0"]}):
        table, score = pool(few, rest, s, HALF, np.random.default_rng(0))
        assert not table.any()
        assert (score == -np.inf).all()
    held, rest, s, _ = halves(400, 0, (1.0, 1.0))
    assert pool(held, rest, s, HALF, np.random.default_rng(0))[1].mean() > 0.1
