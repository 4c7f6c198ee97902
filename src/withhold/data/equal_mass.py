"""Numbers as classes of equal mass: the one way in which a quantity is counted."""

import numpy as np

BINS = 8  # enough for most of a quantity's variance (98 % of a uniform one), few enough to learn from


def equal_mass(values: np.ndarray, bins: int = BINS) -> np.ndarray:
    """Return the class of each number, cut at quantiles of the known ones.

    Parameters
    ----------
    values : ndarray of float (n,)
        NaN where missing.

    Returns
    -------
    ndarray of int64 (n,)
        In 0..bins-1, -1 where missing. Tied values are in one class, so that there may be fewer than `bins`.

    Examples
    --------
    >>> equal_mass(np.array([1.0, 2.0, 2.0, np.nan, 3.0]), bins=2).tolist()
    [0, 1, 1, -1, 1]
    """
    known = ~np.isnan(values)
    codes = np.full(len(values), -1, dtype=np.int64)
    if known.any():
        edges = np.unique(np.quantile(values[known], np.arange(1, bins) / bins))
        codes[known] = np.searchsorted(edges, values[known], side="right")
    return codes
