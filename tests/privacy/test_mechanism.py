"""Numbers are taken exactly or refused; what is reported is never below what is true."""

from fractions import Fraction

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.privacy.mechanism import as_rows, at_least, exact

GIVEN = [1, 0.1, "1/3", Fraction(7, 2), np.float64(0.2), np.float32(0.2), np.int64(3)]
MADE = [Fraction(1), Fraction(1, 10), Fraction(1, 3), Fraction(7, 2), Fraction(1, 5), Fraction(1, 5), Fraction(3)]


@pytest.mark.parametrize(("given", "made"), list(zip(GIVEN, MADE, strict=True)))
def test_exact_numbers(given: object, made: Fraction) -> None:
    assert exact(given, "epsilon", "M") == made


@pytest.mark.parametrize("given", [
    0, -1, float("nan"), float("inf"), "much", None, True, "1/0", "1e400", "1e1000000000", "1e-1000000000", 1e300,
    "nan", "inf", Fraction(10) ** 5000, "9" * 5000, "1/" + "9" * 5000, Fraction(10) ** 400,
    Fraction(1, 10**400), "1e10_0000_0000",
])  # fmt: skip
def test_what_promises_nothing_is_refused(given: object) -> None:
    with pytest.raises(InvalidParameterError, match=r"epsilon of M must be a number above 0 and up to 1,000,000 \(got"):
        exact(given, "epsilon", "M")


def test_zero_where_allowed() -> None:
    assert exact(0, "delta", "M", zero=True) == 0


def test_reported_numbers_are_rounded_up() -> None:
    for value in (Fraction(1, 3), Fraction(1, 10), Fraction(2, 3), Fraction(5)):
        assert Fraction(at_least(value)) >= value
        assert at_least(value) - float(value) < 1e-15


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="shape \\(n, 3\\)"):
        as_rows(np.zeros((2, 4)), 3, "M")
