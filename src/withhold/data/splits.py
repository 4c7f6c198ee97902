"""Random splits that never part the records of one subject, and keep classes in proportion."""

import numpy as np

from withhold.contracts.checks import refused
from withhold.contracts.errors import DataError

BAND = 10  # subjects of like size that are shuffled among themselves: some held at a share of .3, and many ways to


def some_rows(n: int, most: int, rng: np.random.Generator, groups: np.ndarray | None = None) -> np.ndarray:
    """Draw at most so many rows, whole subjects, in their order.

    Examples
    --------
    >>> some_rows(6, 4, np.random.default_rng(0), np.array([0, 0, 1, 1, 2, 2]))
    array([0, 1, 4, 5])
    """
    if n <= most:
        return np.arange(n)
    units = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    order = rng.permutation(int(units.max()) + 1)
    taken = order[np.cumsum(np.bincount(units)[order]) <= most]
    return np.flatnonzero(np.isin(units, taken))


def split_rows(
    n: int,
    fraction: float,
    rng: np.random.Generator,
    groups: np.ndarray | None = None,
    stratify: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Hold out about `fraction` of `n` rows.

    Parameters
    ----------
    n : int
        Number of rows.
    fraction : float in (0, 1)
        Share of rows to hold out.
    groups : integer ndarray of shape (n,), optional
        Subject of each row; a subject is wholly on one side.
    stratify : integer ndarray of shape (n,), optional
        Class of each row (-1 for unknown is a class of its own); both sides get it in proportion. A subject counts
        as its most frequent class.

    Returns
    -------
    kept, held : int64 ndarray
        Sorted row numbers, both non-empty.

    Raises
    ------
    DataError
        If there are fewer than two rows or subjects.

    Examples
    --------
    >>> kept, held = split_rows(8, 0.25, np.random.default_rng(0), stratify=np.repeat([0, 1], 4))
    >>> len(kept), np.repeat([0, 1], 4)[held].tolist()
    (6, [0, 1])
    """
    if not 0 < fraction < 1:
        raise refused("fraction", "above 0 and below 1", fraction)
    unit, order = _units(n, rng, groups, stratify)
    # Systematic sampling along the order of `_units`, from a random start: every unit is held with probability
    # `fraction`, whatever its size, and each class and each band of sizes is held in proportion to one unit.
    steps = np.arange(len(order) + 1) * fraction + rng.random()
    held_units = np.diff(np.floor(steps)) > 0
    if not held_units.any():
        held_units[rng.integers(len(order))] = True
    if held_units.all():
        held_units[rng.integers(len(order))] = False
    mask = np.zeros(len(order), dtype=bool)
    mask[order] = held_units
    rows_held = mask[unit]
    return np.flatnonzero(~rows_held), np.flatnonzero(rows_held)


def fold_numbers(
    n: int,
    k: int,
    rng: np.random.Generator,
    groups: np.ndarray | None = None,
    stratify: np.ndarray | None = None,
) -> np.ndarray:
    """Assign each of `n` rows to one of `k` folds of about equal size; for subjects, of equally many subjects.

    Parameters
    ----------
    n, k : int
        Rows and folds.
    groups, stratify : integer ndarray of shape (n,), optional
        As for `split_rows`.

    Returns
    -------
    int64 ndarray of shape (n,)
        Fold of each row, in 0..k-1; each fold is non-empty.

    Raises
    ------
    DataError
        If there are fewer rows or subjects than folds.

    Examples
    --------
    >>> folds = fold_numbers(6, 2, np.random.default_rng(0), groups=np.array([0, 0, 1, 1, 2, 2]))
    >>> bool((folds[::2] == folds[1::2]).all())
    True
    """
    if k < 2:
        raise refused("k", "at least 2", k)
    unit, order = _units(n, rng, groups, stratify, needed=k)
    fold = np.empty(len(order), dtype=np.int64)
    fold[order] = (np.arange(len(order)) + rng.integers(k)) % k
    return np.asarray(fold[unit])


def _units(
    n: int,
    rng: np.random.Generator,
    groups: np.ndarray | None,
    stratify: np.ndarray | None,
    needed: int = 2,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit of each row, and the units in an order along which every k-th is a fair sample.

    Units are rows or subjects. The order is random within class, and for subjects within bands of like size inside a
    class: parts then get like numbers of rows, while no subject's side hangs on how many rows it has.
    """
    for name, codes in (("groups", groups), ("stratify", stratify)):
        if codes is not None and len(codes) != n:
            raise DataError(f"`{name}` has {len(codes)} values for {n} rows. Pass one value per row.")
    if groups is None:
        unit, size = np.arange(n), np.ones(n, dtype=np.int64)
    else:
        _, unit, size = np.unique(groups, return_inverse=True, return_counts=True)
    if len(size) < needed:
        what = "rows" if groups is None else "subjects (`groups`)"
        raise DataError(f"A split needs at least {needed} {what} (got {len(size)}). Pass more data.")
    strata = np.zeros(len(size), dtype=np.int64)
    if stratify is not None:
        classes = np.unique(stratify, return_inverse=True)[1].reshape(-1)
        if groups is None:
            strata = classes
        else:
            n_classes = int(classes.max()) + 1
            pairs, counts = np.unique(unit * n_classes + classes, return_counts=True)
            pairs = pairs[np.argsort(counts, kind="stable")]  # the most frequent class of a subject is written last
            strata[pairs // n_classes] = pairs % n_classes
    order = rng.permutation(len(size))
    order = order[np.argsort(strata[order], kind="stable")]
    if groups is None:
        return unit, order
    by_size = order[np.lexsort((size[order], strata[order]))]
    _, first, counts = np.unique(strata[by_size], return_index=True, return_counts=True)
    band = (np.arange(len(order)) - np.repeat(first, counts)) // BAND
    return unit, by_size[np.lexsort((rng.random(len(order)), band, strata[by_size]))]
