"""Exact draws against their laws; a correct sampler fails one of these tests once in 10^9 runs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from withhold.contracts.errors import InvalidParameterError
from withhold.privacy.exact_sampling import (
    Geometric,
    bernoulli,
    discrete_laplace,
    uniform_below,
)
from withhold.privacy.expansion import Expansion, exponential, rational

RARE = 1e-9
N = 60_000


def counts_fit(drawn: np.ndarray, p: np.ndarray) -> float:
    """P-value of integers 0 ... len(p) - 1, all larger ones together in a last cell."""
    p = np.append(p, max(0.0, 1 - p.sum()))
    counts = np.bincount(np.minimum(drawn, len(p) - 1), minlength=len(p))
    kept = p * len(drawn) >= 10
    observed, expected = counts[kept].astype(float), p[kept] * len(drawn)
    return float(chisquare(observed, expected * observed.sum() / expected.sum()).pvalue)


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1, 3), Fraction(255, 256), Fraction(1, 10_000)])
def test_rational_coins(p: Fraction) -> None:
    heads = int(bernoulli(rational(p), N).sum())
    assert binomtest(heads, N, float(p)).pvalue > RARE


def test_a_coin_that_is_off_is_found() -> None:
    """Positive control: three in a hundred."""
    heads = int(bernoulli(rational(Fraction(53, 100)), N).sum())
    assert binomtest(heads, N, 0.5).pvalue < RARE


def test_digits_beyond_the_first_byte_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all bits equal to those of p for 64 places the coin goes on to the 65th and beyond."""
    p = rational(Fraction(1, 3))
    stream = iter([b"\x55" * 4, *[(0x55555555555555 << 8).to_bytes(8, "little") * 4], *[bytes(32)]])
    monkeypatch.setattr("os.urandom", lambda size: next(stream)[:size])
    assert bernoulli(p, 4).all()


@pytest.mark.parametrize("n", [1, 2, 3, 10, 255, 256])
def test_uniform_integers(n: int) -> None:
    drawn = uniform_below(n, N)
    assert drawn.min() >= 0
    assert drawn.max() < n
    assert n == 1 or counts_fit(drawn, np.full(n, 1 / n)) > RARE


def test_large_ranges() -> None:
    drawn = uniform_below(3 << 60, 20_000)
    assert counts_fit(drawn >> 60, np.full(3, 1 / 3)) > RARE
    with pytest.raises(InvalidParameterError):
        uniform_below(0, 1)


def test_uneven_words_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2^18 words 436 times 600 are even: 262,000 is drawn again, 599 counts."""
    stream = iter([(262_000 << 14).to_bytes(4, "little"), (599 << 14).to_bytes(4, "little")])
    monkeypatch.setattr("os.urandom", lambda size: next(stream))
    assert uniform_below(600, 1)[0] == 599


@pytest.mark.parametrize("t", [Fraction(1, 5), Fraction(1), Fraction(7, 2), Fraction(20)])
def test_geometric_and_laplace(t: Fraction) -> None:
    ratio = math.exp(-1 / t)
    span = np.arange(math.ceil(12 * t) + 2)
    magnitude = Geometric(t)
    assert counts_fit(magnitude.draw(N), (1 - ratio) * ratio**span) > RARE
    drawn = discrete_laplace(magnitude, N)
    p = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(-span[-1], span[-1] + 1))
    assert counts_fit(np.maximum(drawn + span[-1], 0), p) > RARE


def test_wide_scales() -> None:
    """At t = 2^30 the ratio to t is exponential: compared in twenty cells of equal probability."""
    t = 2**30
    drawn = np.abs(discrete_laplace(Geometric(Fraction(t)), N))
    cells = np.floor(-20 * np.expm1(-drawn / t)).astype(int)
    assert counts_fit(cells, np.full(20, 1 / 20)) > RARE


def test_zero_drawn_twice_is_found() -> None:
    """Positive control: without drawing minus zero again, zero has twice its probability."""
    magnitude = Geometric(Fraction(1)).draw(N)
    p = (1 - math.exp(-1)) / (1 + math.exp(-1))
    assert binomtest(int((magnitude == 0).sum()), N, p).pvalue < RARE


def test_coins_agree_with_the_digits() -> None:
    p = exponential(Fraction(1, 2))
    assert isinstance(p, Expansion)
    assert binomtest(int(bernoulli(p, N).sum()), N, math.exp(-0.5)).pvalue > RARE
