"""Losses add exactly."""

from fractions import Fraction

from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.randomised_response import RandomisedResponse


def test_ten_tenths_are_one() -> None:
    """In floats, .1 ten times is less than 1 and .1 + .2 more than .3."""
    tenth = PrivacyLoss(RandomisedResponse(0.1, categories=2).epsilon)
    assert sum([tenth] * 10, PrivacyLoss(Fraction(0))) == tenth * 10 == PrivacyLoss(Fraction(1))
    assert (tenth * 10).within(PrivacyLoss(Fraction(1)))
    assert not (tenth * 11).within(PrivacyLoss(Fraction(1)))
    assert not PrivacyLoss(Fraction(1), Fraction(1, 9)).within(PrivacyLoss(Fraction(1), Fraction(1, 10)))
