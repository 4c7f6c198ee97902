"""Random splits that never part the records of one subject, and keep classes in proportion."""

import numpy as np

from withhold.contracts.errors import DataError, InvalidParameterError, sentence


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
    rng : numpy.random.Generator
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
        raise InvalidParameterError(
            sentence("The held-out fraction", "in (0, 1)", f"{fraction}", "Both parts need rows.", "Pass e.g. 0.3.")
        )
    unit, size, order, _ = _units(n, rng, groups, stratify)
    ends = np.cumsum(size[order])
    # Error diffusion along the class order: hold a unit when the held rows have fallen half a unit behind. For units
    # of one row this is systematic sampling, so each class is held in proportion to one row.
    behind = rng.random() - 0.5
    if len(order) == n:
        held_units = np.diff(np.floor(ends * fraction + behind + 0.5), prepend=np.floor(behind + 0.5)) > 0
    else:
        held_units = np.zeros(len(order), dtype=bool)
        debt = behind * float(size.mean())
        for i, rows in enumerate(size[order].tolist()):
            debt += fraction * rows
            if debt >= rows / 2:
                held_units[i] = True
                debt -= rows
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
    """Assign each of `n` rows to one of `k` folds of about equal size.

    Parameters
    ----------
    n, k : int
        Rows and folds.
    rng : numpy.random.Generator
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
        raise InvalidParameterError(
            sentence("The number of folds", "at least 2", f"{k}", "One fold leaves nothing to fit on.", "Pass 5.")
        )
    unit, size, order, strata = _units(n, rng, groups, stratify, needed=k)
    fold = np.empty(len(order), dtype=np.int64)
    if len(order) == n:
        fold[order] = (np.arange(n) + rng.integers(k)) % k
        return fold
    # Subjects of unequal size: the largest first, each to the fold that has fewest rows of its class, then fewest rows.
    order = order[np.lexsort((-size[order], strata[order]))]
    total = np.zeros(k)
    within: dict[int, np.ndarray] = {}
    for i in order.tolist():
        mine = within.setdefault(int(strata[i]), np.zeros(k))
        chosen = int(np.lexsort((total, mine))[0])
        fold[i] = chosen
        mine[chosen] += size[i]
        total[chosen] += size[i]
    empty = np.setdiff1d(np.arange(k), fold)
    for j in empty:
        fullest = np.bincount(fold, minlength=k).argmax()
        fold[np.flatnonzero(fold == fullest)[-1]] = j
    return np.asarray(fold[unit])


def _units(
    n: int,
    rng: np.random.Generator,
    groups: np.ndarray | None,
    stratify: np.ndarray | None,
    needed: int = 2,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return unit of each row, rows of each unit, the units in random order within class, and the class of each."""
    for name, codes in (("groups", groups), ("stratify", stratify)):
        if codes is not None and len(codes) != n:
            raise DataError(
                sentence(f"`{name}`", f"of {n} rows", f"{len(codes)}", "It labels rows.", "Pass one value a row.")
            )
    if groups is None:
        unit, size = np.arange(n), np.ones(n, dtype=np.int64)
    else:
        _, unit, size = np.unique(groups, return_inverse=True, return_counts=True)
    if len(size) < needed:
        what = "rows" if groups is None else "subjects (`groups`)"
        raise DataError(
            sentence(
                f"The number of {what}",
                f"at least {needed}",
                f"{len(size)}",
                "Each part of a split needs its own, or the result would be measured on what it was fitted to.",
                "Pass more data.",
            )
        )
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
    shuffled = rng.permutation(len(size))
    return unit, size, shuffled[np.argsort(strata[shuffled], kind="stable")], strata
