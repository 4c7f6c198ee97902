"""Checks of the numbers an audit is asked with."""

import numpy as np

from withhold.contracts.errors import InvalidParameterError, sentence


def check_numbers(budget: float | None, level: float) -> None:
    """Refuse a budget or a level that means nothing.

    Examples
    --------
    >>> check_numbers(0.05, 0.95)
    >>> check_numbers(-1.0, 0.95)
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.InvalidParameterError: The 'budget' parameter of audit_release must be a float >= 0 ...
    """
    if budget is not None and not (np.isfinite(budget) and budget >= 0):
        raise InvalidParameterError(
            sentence(
                "The 'budget' parameter of audit_release",
                "a float >= 0 or None",
                repr(budget),
                "It is the most nats that attackers may learn.",
                "Pass 0.05, or leave it out.",
            )
        )
    if not 0.5 <= level < 1.0:
        raise InvalidParameterError(
            sentence(
                "The 'level' parameter of audit_release",
                "a float in [0.5, 1)",
                repr(level),
                "It is the coverage of the intervals.",
                "Pass 0.95.",
            )
        )
