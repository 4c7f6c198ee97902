"""Orders that a shuffle with a common seed came from: whoever knows seed and generator puts the rows back.

`frame.sample(frac=1, random_state=42)` and scikit-learn's `shuffle` draw NumPy's old generator, others the new one or
Python's. A file that was sorted by S before is as sorted as ever once its rows are put back.
"""

import random
from functools import lru_cache

import numpy as np

from withhold.audit.statistics.arrays import Codes

# Seeds of examples and notebooks; of more rows shuffling them takes longer than the rest.
SEEDS, MOST_ROWS, MOST_LISTED = (0, 1, 7, 42, 123, 1234), 2_000_000, 200_000


@lru_cache(maxsize=1)
def places_before(n: int) -> tuple[Codes, ...]:
    """Return where each of n rows stood before each common shuffle.

    Examples
    --------
    >>> import pandas as pd
    >>> shuffled = pd.DataFrame({"place": range(40)}).sample(frac=1, random_state=42)
    >>> any((shuffled["place"].to_numpy() == places).all() for places in places_before(40))
    True
    """
    found: list[Codes] = []
    for seed in SEEDS if n <= MOST_ROWS else ():
        found += [np.random.RandomState(seed).permutation(n), np.random.default_rng(seed).permutation(n)]
        if n <= MOST_LISTED:
            listed = list(range(n))
            random.Random(seed).shuffle(listed)
            found.append(np.asarray(listed))
    return tuple(found)
