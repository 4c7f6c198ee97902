"""Digits of probabilities against arbitrary-precision decimals."""

import decimal
from fractions import Fraction

import pytest

from withhold.privacy.expansion import exponential, exponential_bounds, rational, share


def reference(x: Fraction, bits: int, c: Fraction | None = None) -> int:
    with decimal.localcontext() as context:
        context.prec = 120
        y = (-decimal.Decimal(x.numerator) / x.denominator).exp()
        p = y if c is None else y / (y + decimal.Decimal(c.numerator) / c.denominator)
        return int(p * 2**bits)


@pytest.mark.parametrize(
    "x", [Fraction(1, 10**9), Fraction(1, 3), Fraction(1), Fraction(17, 2), Fraction(60), Fraction(2**90, 3**55)]
)
@pytest.mark.parametrize("bits", [8, 64, 200])
def test_digits_of_exponentials(x: Fraction, bits: int) -> None:
    assert exponential(x).floor(bits) == reference(x, bits)
    for c in (Fraction(1), Fraction(1, 9), Fraction(7, 4096)):
        assert share(x, c).floor(bits) == reference(x, bits, c)


def test_bounds_are_close() -> None:
    for x in (Fraction(1, 7), Fraction(5), Fraction(300), Fraction(10**6)):
        low, high = exponential_bounds(x, 100)
        assert 0 <= high - low <= 3


def test_rationals_and_ends() -> None:
    assert rational(Fraction(1, 3)).floor(10) == 341
    assert rational(Fraction(1)).floor(8) == 256
    assert exponential(Fraction(0)).floor(8) == 256
    assert share(Fraction(0), Fraction(1)).floor(16) == 2**15
