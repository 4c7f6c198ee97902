"""Exact draws, vectorised: coins, uniform integers, geometric numbers. No floating-point number decides anything."""

import math
import os
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from withhold.contracts.checks import refused
from withhold.privacy.expansion import Expansion, exponential, share


def random_bytes(size: int) -> NDArray[np.uint8]:
    """Return `size` uniform bytes.

    Examples
    --------
    >>> random_bytes(3).shape, random_bytes(0).shape
    ((3,), (0,))
    """
    return np.frombuffer(os.urandom(size), np.uint8)


def random_words(size: int, bits: int = 64) -> NDArray[np.uint64]:
    """Return `size` uniform integers of `bits` (at most 64) random bits each.

    Examples
    --------
    >>> words = random_words(1000, 3)
    >>> words.dtype, bool((words < 8).all())
    (dtype('uint64'), True)
    """
    width = 1 << max(0, (bits - 1).bit_length() - 3)  # bytes: 1, 2, 4 or 8
    words = np.frombuffer(os.urandom(width * size), f"<u{width}").astype(np.uint64)
    return words >> np.uint64(8 * width - bits)


Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]

# Digits compared after the first byte, at a time.
_STEP = 56
# Numbers drawn at a time: the working set stays within the cache.
_BLOCK = 1 << 16
# The highest digit is where exp(-2^j / t) < exp(-_TOP); what lies above costs a coin a number.
_TOP = 4


def bernoulli(p: Expansion, size: int) -> Booleans:
    """Toss a coin of probability `p` `size` times, exactly.

    Examples
    --------
    >>> from withhold.privacy.expansion import rational
    >>> bool(bernoulli(rational(Fraction(1)), 9).all()), bool(bernoulli(rational(Fraction(0)), 9).any())
    (True, False)
    """
    first, bits = p.floor(8), 8
    drawn = random_bytes(size)
    heads = drawn < first
    undecided = np.flatnonzero(drawn == first)
    while len(undecided):
        more = p.floor(bits + _STEP) - (p.floor(bits) << _STEP)
        words = random_words(len(undecided), _STEP)
        heads[undecided] = words < more
        undecided = undecided[words == more]
        bits += _STEP
    return heads


def uniform_below(n: int, size: int) -> Integers:
    """Return `size` integers uniform on 0 ... n - 1.

    Examples
    --------
    >>> sorted(set(uniform_below(3, 1000).tolist()))
    [0, 1, 2]
    """
    if not 1 <= n <= 1 << 62:
        raise refused("n", "between 1 and 2^62", n)
    bits = min(64, (n - 1).bit_length() + 8)  # at most one draw in 128 is rejected, unless n is huge
    even = (1 << bits) // n * n
    words = random_words(size, bits)
    if even < 1 << bits:
        rejected = np.flatnonzero(words >= even)
        while len(rejected):
            words[rejected] = random_words(len(rejected), bits)
            rejected = rejected[words[rejected] >= even]
    return (words % np.uint64(n)).astype(np.int64)


class Geometric:
    """Numbers G = 0, 1, ... with P(G >= k) = exp(-k / t).

    Parameters
    ----------
    t : Fraction
        The scale, > 0.

    Examples
    --------
    >>> draws = Geometric(Fraction(5)).draw(20_000)
    >>> bool(4.3 < draws.mean() < 4.8)  # 1 / (exp(1/5) - 1) = 4.52
    True
    """

    __slots__ = ("_above", "_digits")

    def __init__(self, t: Fraction) -> None:
        count = max(0, math.ceil(_TOP * t).bit_length())
        self._digits = [share(2**j / t, Fraction(1)) for j in range(count)]
        self._above = exponential(2**count / t)

    def draw(self, size: int) -> Integers:
        """Return `size` independent numbers."""
        out = np.zeros(size, np.int64)
        for start in range(0, size, _BLOCK):
            self._fill(out[start : start + _BLOCK])
        return out

    def _fill(self, out: Integers) -> None:
        for j, digit in enumerate(self._digits):
            out += bernoulli(digit, len(out)).astype(np.int64) << j
        still = np.flatnonzero(bernoulli(self._above, len(out)))
        while len(still):
            out[still] += 1 << len(self._digits)
            still = still[bernoulli(self._above, len(still))]


def discrete_laplace(magnitude: Geometric, size: int) -> Integers:
    """Return integers with P(x) proportional to exp(-|x| / t), given the geometric numbers of scale t.

    A sign and a magnitude; minus zero is drawn again, as otherwise zero would count twice.

    Examples
    --------
    >>> draws = discrete_laplace(Geometric(Fraction(1)), 20_000)
    >>> bool(abs(draws.mean()) < 0.05), bool(0.43 < (draws == 0).mean() < 0.49)  # tanh(1/2) = .462
    (True, True)
    """
    out = magnitude.draw(size)
    minus = random_bytes(size) >= 128
    again = np.flatnonzero(minus & (out == 0))
    np.negative(out, out=out, where=minus)
    while len(again):
        fresh = magnitude.draw(len(again))
        minus = random_bytes(len(again)) >= 128
        out[again] = np.where(minus, -fresh, fresh)
        again = again[minus & (fresh == 0)]
    return out
