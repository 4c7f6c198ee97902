"""Figures rounded to the side on which what is said of them still holds."""

from decimal import ROUND_CEILING, Context, Decimal


def rounded_up(value: float, digits: int) -> str:
    """Return a number with so many digits, never below it (but for the last of a double's sixteen).

    Examples
    --------
    >>> [rounded_up(value, 3) for value in (0.3, 1 / 3, 2.7182818, 2980.96, 1e-6, 4.03e7)]
    ['0.3', '0.334', '2.72', '2,990', '1e-06', '40,300,000']
    """
    plain = Decimal(f"{value:.{digits}g}")
    if plain < Decimal(value) * (1 - Decimal("1e-12")):
        plain = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(value))
    return f"{plain:,.0f}" if plain >= 10**digits else f"{float(plain):,.{digits}g}"


def budget_up(nats: float) -> float:
    """Return a budget of two digits that allows no less.

    Examples
    --------
    >>> budget_up(0.01234), budget_up(0.4), budget_up(0.0)
    (0.013, 0.4, 0.0)
    """
    return float(rounded_up(max(0.0, nats), 2))
