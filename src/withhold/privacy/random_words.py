"""Random integers from the operating system's generator, many at a time.

Nothing is kept from one call to the next: a forked process, a copy or a saved object cannot repeat what another one
drew, and there is no state to seed. A million bytes cost some milliseconds, so that vectorised callers lose nothing.
"""

import os

import numpy as np
from numpy.typing import NDArray


def random_bytes(size: int) -> NDArray[np.uint8]:
    """Return `size` uniform bytes.

    Examples
    --------
    >>> random_bytes(3).shape, random_bytes(0).shape
    ((3,), (0,))
    """
    return np.frombuffer(os.urandom(size), np.uint8)


def random_words(size: int, bits: int = 64) -> NDArray[np.uint64]:
    """Return `size` uniform integers of `bits` (at most 64) random bits each.

    Examples
    --------
    >>> words = random_words(1000, 3)
    >>> words.dtype, bool((words < 8).all())
    (dtype('uint64'), True)
    """
    width = 1 << max(0, (bits - 1).bit_length() - 3)  # bytes: 1, 2, 4 or 8
    words = np.frombuffer(os.urandom(width * size), f"<u{width}").astype(np.uint64)
    return words >> np.uint64(8 * width - bits)
