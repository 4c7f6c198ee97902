"""Functions of a number that may be told though its size is not: weekday, last digit, decimals, parts of a date.

I(Z; f(S)) is at most I(Z; S), so that whatever is read of a function is a lower bound on what is told of the number.
"""

import numpy as np

from withhold.audit.statistics.arrays import Codes, Reals
from withhold.audit.view.calendar import parts_of, seconds_of
from withhold.audit.view.features import MOST_DECIMALS, decimals_of

# Divisors of whole numbers: even or odd, weekdays of day numbers, last digits, months of month numbers.
DIVISORS = (2, 7, 10, 12)
# Parts of a date or time that are classes, and how many.
CALENDAR = {"day of the week": 7, "month": 12}
# Whole numbers that may count days: so large at most, over a year at least; today's number since 1970 and 1970's in
# spreadsheets.
MOST_DAYS, LEAST_DAYS, LAST_DAY, SPREADSHEET = 60_000, 365, 21_000, 25_569
# Of a class there must be this many records on average, and of a function two classes of some size.
ROWS_A_CLASS, LEAST_SHARE = 20, 0.02


def functions_of(values: Reals) -> dict[str, Codes]:
    """Return class codes of each function of `values` that could tell something; -1 where missing.

    Parameters
    ----------
    values : ndarray of shape (n,)

    Examples
    --------
    >>> list(functions_of(np.arange(1000.0)))
    ['remainder by 2', 'remainder by 7', 'remainder by 10', 'remainder by 12', 'month']
    >>> list(functions_of(np.random.default_rng(0).normal(size=1000)))
    []
    """
    known = ~np.isnan(values)
    numbers = values[known]
    if len(numbers) == 0 or not np.isfinite(numbers).all():
        return {}
    found: dict[str, Reals] = {}
    decimals = decimals_of(numbers)
    most = float(decimals.max())
    if most == 0 and np.abs(numbers).max() < 2**53:
        found = {f"remainder by {divisor}": np.mod(numbers, divisor) for divisor in DIVISORS}
        seconds = seconds_of(numbers)
        if seconds is None and (np.abs(numbers) < MOST_DAYS).all() and np.ptp(numbers) >= LEAST_DAYS:
            # Day numbers: of spreadsheets, which count from 1900, where they lie beyond today's since 1970.
            seconds = (numbers - (SPREADSHEET if numbers.max() > LAST_DAY else 0)) * 86_400.0
            found["month"] = parts_of(seconds)["month"]
        elif seconds is not None:
            found |= {name: part for name, part in parts_of(seconds).items() if name in CALENDAR}
    elif most < MOST_DECIMALS:
        found["last digit"] = np.mod(np.rint(np.abs(numbers) * 10**most), 10)
        found["decimals"] = decimals
    elif decimals.min() < MOST_DECIMALS:
        found["decimals"] = decimals
    functions = {}
    for name, part in found.items():
        levels, inside, counts = np.unique(part, return_inverse=True, return_counts=True)
        shares = counts / len(numbers)
        if len(levels) < 2 or len(numbers) < ROWS_A_CLASS * len(levels) or np.sort(shares)[-2] < LEAST_SHARE:
            continue
        codes = np.full(len(values), -1, dtype=np.int64)
        codes[known] = inside
        functions[name] = codes
    return functions
