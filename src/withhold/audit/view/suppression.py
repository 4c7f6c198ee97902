"""Hiding small counts, and enough others beside them that subtraction does not bring them back."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

# Counts below this are hidden; the hidden ones together never come to less.
LEAST_RECORDS = 10


def suppress(counts: Sequence[int] | npt.NDArray[np.integer]) -> list[int | None]:
    """Replace small counts by None, and others until the small ones do not follow from the total.

    Whoever knows the total and the counts that are shown knows the sum of the hidden ones. One hidden count is that
    sum; several are known when each is as small, or as large, as a hidden count can be.

    Parameters
    ----------
    counts : sequence of int
        Records in each cell of one partition.

    Returns
    -------
    list of int or None
        None where a count is hidden.

    Examples
    --------
    >>> suppress([980, 30, 20, 5])
    [980, 30, None, None]
    >>> suppress([980, 20])
    [980, 20]
    """
    numbers = [int(count) for count in counts]
    hidden = {cell for cell, count in enumerate(numbers) if count < LEAST_RECORDS}
    # Next-smallest first: least is lost. Equal counts are hidden in their order.
    rest = [cell for cell in sorted(range(len(numbers)), key=numbers.__getitem__) if cell not in hidden]
    while hidden and rest and _known([numbers[cell] for cell in hidden]):
        hidden.add(rest.pop(0))
    return [None if cell in hidden else count for cell, count in enumerate(numbers)]


def _known(hidden: list[int]) -> bool:
    total, most = sum(hidden), (LEAST_RECORDS - 1) * len(hidden)
    return len(hidden) < 2 or total < LEAST_RECORDS or (total == most and max(hidden) < LEAST_RECORDS)
