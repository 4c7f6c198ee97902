"""Binary digits of probabilities, certified: rational ones and those of exponentials of rationals.

A coin of probability p is tossed exactly by comparing uniform bits with the digits of p until they differ. The digits
of exp(-x) come from integer interval arithmetic: the interval is narrowed until both ends agree on the digits asked
for, so that no rounding error can enter a probability. exp(-x) is irrational for every rational x > 0 (Lindemann), so
the narrowing ends.
"""

from collections.abc import Callable
from fractions import Fraction

# Extra digits the interval is computed with at first; doubled as long as its ends disagree.
_EXTRA = 32
# The argument of the series is halved below 2^-_SMALL.
_SMALL = 8

Bounds = Callable[[int], tuple[int, int]]


class Expansion:
    """The digits of one number p in [0, 1].

    Parameters
    ----------
    bounds : callable
        ``bounds(k)`` returns integers low <= p 2^k <= high whose distance stays bounded as k grows.

    Examples
    --------
    >>> half = rational(Fraction(1, 2))
    >>> half.floor(3)
    4
    >>> exponential(Fraction(1)).floor(20) / 2**20  # exp(-1) = .36788
    0.367878...
    """

    __slots__ = ("_bounds", "_known")

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._known: dict[int, int] = {}

    def floor(self, bits: int) -> int:
        """Return floor(p 2^bits)."""
        if bits not in self._known:
            extra = _EXTRA
            while True:
                low, high = self._bounds(bits + extra)
                if low >> extra == high >> extra:
                    break
                extra *= 2
            self._known[bits] = low >> extra
        return self._known[bits]


def rational(p: Fraction) -> Expansion:
    """Return the digits of a rational probability."""

    def bounds(bits: int) -> tuple[int, int]:
        low = (p.numerator << bits) // p.denominator
        return low, low

    return Expansion(bounds)


def exponential(x: Fraction) -> Expansion:
    """Return the digits of exp(-x), x >= 0."""
    return Expansion(lambda bits: exponential_bounds(x, bits))


def share(x: Fraction, c: Fraction) -> Expansion:
    """Return the digits of exp(-x) / (exp(-x) + c), x >= 0 and c > 0.

    Examples
    --------
    >>> share(Fraction(0), Fraction(3)).floor(8)  # 1/4 of 256
    64
    """

    def bounds(bits: int) -> tuple[int, int]:
        low, high = exponential_bounds(x, bits)
        rest = c.numerator << bits
        low, high = low * c.denominator, high * c.denominator
        return (low << bits) // (low + rest), -((-high << bits) // (high + rest))

    return Expansion(bounds)


def exponential_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Return integers low <= exp(-x) 2^bits <= high, at most a few units apart.

    Examples
    --------
    >>> exponential_bounds(Fraction(1, 2), 10)  # exp(-.5) 1024 = 621.09
    (621, 622)
    """
    if x == 0:
        return 1 << bits, 1 << bits
    if x >= bits:
        return 0, 1  # exp(-x) < 2^-x
    halvings = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 1 + _SMALL)
    places = bits + halvings + 16  # every squaring at most doubles the relative error
    low, high = _series(x, halvings, places)
    for _ in range(halvings):
        low, high = low * low >> places, -(-high * high >> places)
    return low >> (places - bits), -(-high >> (places - bits))


def _series(x: Fraction, halvings: int, places: int) -> tuple[int, int]:
    """Return bounds of exp(-x / 2^halvings) 2^places: the alternating series, each term rounded both ways."""
    least = (x.numerator << places) // (x.denominator << halvings)
    most = least + 1
    low = high = term_low = term_high = 1 << places
    n = 0
    while term_high > 1:
        n += 1
        term_low = (term_low * least >> places) // n
        term_high = -((-term_high * most >> places) // n)  # floor, of the negative: upwards
        low, high = (low - term_high, high - term_low) if n % 2 else (low + term_low, high + term_high)
    return low - 1, high + 1  # what is left out is smaller than the last term, which is at most one unit
