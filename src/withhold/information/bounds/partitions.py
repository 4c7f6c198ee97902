"""All partitions of a small set into blocks, as flat arrays that numpy can add up in one go."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from withhold.contracts.errors import InvalidParameterError, sentence

# Bell numbers: 4,140 partitions of 8 classes, 21,147 of 9; the exact dual evaluates every one of them.
MOST_CLASSES = 8


@dataclass(frozen=True)
class Partitions:
    """Partitions of {0, ..., n-1}.

    Attributes
    ----------
    subsets : ndarray of bool, shape (2**n - 1, n)
        Every non-empty subset; row i holds the bits of i + 1.
    blocks : ndarray of int
        Rows of `subsets`, partition after partition.
    starts : ndarray of int, shape (n_partitions,)
        Where each partition begins in `blocks`.
    owner : ndarray of int
        Partition of each entry of `blocks`.
    """

    subsets: NDArray[np.bool_]
    blocks: NDArray[np.intp]
    starts: NDArray[np.intp]
    owner: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.starts)

    def of(self, number: int) -> NDArray[np.intp]:
        """Return the blocks of one partition, as rows of `subsets`."""
        stop = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.blocks)
        return self.blocks[self.starts[number] : stop]


@lru_cache(maxsize=16)
def set_partitions(n: int) -> Partitions:
    """List the partitions of n elements.

    Parameters
    ----------
    n : int
        At most 8.

    Returns
    -------
    Partitions

    Examples
    --------
    >>> [len(set_partitions(n)) for n in (1, 2, 3, 5, 8)]
    [1, 2, 5, 52, 4140]
    >>> set_partitions(2).of(1) + 1  # the blocks {0} and {1} as bits
    array([1, 2])
    """
    if not 1 <= n <= MOST_CLASSES:
        why = f"The number of partitions grows beyond what can be listed (Bell's numbers); {MOST_CLASSES} is the most."
        remedy = "Merge classes first."
        raise InvalidParameterError(sentence("The number of classes", f"1 to {MOST_CLASSES}", str(n), why, remedy))
    listed = [[1]]  # block masks; element i joins a block or begins one
    for element in range(1, n):
        bit = 1 << element
        listed = [
            grown
            for blocks in listed
            for grown in (
                *([*blocks[:j], blocks[j] | bit, *blocks[j + 1 :]] for j in range(len(blocks))),
                [*blocks, bit],
            )
        ]
    sizes = np.array([len(blocks) for blocks in listed])
    flat = np.array([mask - 1 for blocks in listed for mask in blocks], dtype=np.intp)
    subsets = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    return Partitions(subsets.astype(bool), flat, starts, np.repeat(np.arange(len(sizes)), sizes))
