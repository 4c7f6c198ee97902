"""Noise as a function of a secret and the record: the same record gets the same noise, whenever and wherever.

Fresh noise at every release can be averaged away by whoever collects the releases. Noise from a key cannot: asking
again gives the same answer, and chunks, other machines and a resumed run agree.

Construction. The bits of a row are the first 4 d bytes of SHAKE-256(prefix || row), where the prefix is, each preceded
by its length in 8 bytes, the name of this construction and of the distribution, the secret and the context, and the
length of the row. The encoding is unambiguous, and SHAKE-256 keyed by a prefix has no length extension, so that to
whoever lacks the secret the bits of different rows or contexts look independent and uniform. Four bytes w
(little-endian) give u = (w + 1/2) / 2^32 and the normal value is the normal quantile of u.

Claimed: pseudo-random noise that repeats. **Not claimed: differential privacy.** The normals have 32 bits each, are
rounded to float32 and end at +-6.338 standard deviations (the quantile of 2^-33; a normal variable exceeds that once in
4 10^9 draws); such a grid has no finite epsilon. Equal rows get equal noise: who sees the release can tell that two
records with the same features are duplicates of each other, and from two records known to be equal nothing is learned
that one would not tell. Two records that differ in a single bit get independent noise.
"""

import hashlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from withhold.contracts.checks import refused
from withhold.contracts.errors import InvalidTypeError
from withhold.privacy.noise_key import NoiseKey

__all__ = ["MAX_DEVIATION", "NoiseKey", "keyed_normal", "keyed_uniform"]

MAX_DEVIATION = 6.338
"""No keyed normal is farther from zero, in standard deviations."""

_NAME = b"withhold keyed noise 1"
_ROWS_AT_ONCE = 256  # the working set stays within the cache; the result does not depend on it


def keyed_normal(key: NoiseKey, context: bytes, rows: NDArray[np.uint8], d: int) -> NDArray[np.float32]:
    """Return `d` standard normal values for each row.

    Parameters
    ----------
    context : bytes
        What the noise is for, such as the digest of the artifact; other contexts give independent noise.
    rows : ndarray of uint8, shape (n, m)
        The canonical bytes of each record.
    d : int
        Values a row.

    Returns
    -------
    ndarray of float32, shape (n, d)
        Row i depends on `key`, `context` and ``rows[i]`` only.

    Examples
    --------
    >>> rows = np.arange(6, dtype=np.uint8).reshape(2, 3)
    >>> key = NoiseKey.from_seed(0)
    >>> noise = keyed_normal(key, b"docs", rows, 4)
    >>> bool((noise[1:] == keyed_normal(key, b"docs", rows[1:], 4)).all())
    True
    """
    out = np.empty((len(rows), d), np.float32)
    for start, words in _words(key, b"normal", context, rows, d):
        # By symmetry from the lower tail, where float32 has the finest grid; the quantile is then as exact as float32.
        upper = words >> 31 == 1
        lower = np.where(upper, ~words, words)
        quantile = ndtri(((lower + 0.5) * 2.0**-32).astype(np.float32))
        out[start : start + len(words)] = np.where(upper, -quantile, quantile)
    return out


def keyed_uniform(key: NoiseKey, context: bytes, rows: NDArray[np.uint8], d: int) -> NDArray[np.float64]:
    """Return `d` values uniform on (0, 1) for each row; parameters as for `keyed_normal`.

    Examples
    --------
    >>> keyed_uniform(NoiseKey.from_seed(0), b"docs", np.zeros((2, 3), np.uint8), 1).shape
    (2, 1)
    """
    out = np.empty((len(rows), d))
    for start, words in _words(key, b"uniform", context, rows, d):
        out[start : start + len(words)] = (words + 0.5) * 2.0**-32
    return out


def _words(
    key: NoiseKey, kind: bytes, context: bytes, rows: NDArray[np.uint8], d: int
) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Yield the first row's number and the words, shape (k, d), of one block of rows after the other."""
    if not isinstance(rows, np.ndarray) or rows.dtype != np.uint8 or rows.ndim != 2:
        got = f"{rows.dtype} of shape {rows.shape}" if isinstance(rows, np.ndarray) else f"a {type(rows).__name__}"
        raise InvalidTypeError(f"The rows to draw noise for must be a 2-d array of uint8 (got {got}).")
    if d < 1:
        raise refused("d", "at least 1", d)
    width = rows.shape[1]
    secret = key.reveal()
    fields = b"".join(len(field).to_bytes(8, "little") + field for field in (_NAME, kind, secret, bytes(context)))
    start = hashlib.shake_256(fields + width.to_bytes(8, "little"))
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        block = memoryview(rows[first : first + _ROWS_AT_ONCE].tobytes())
        count = min(_ROWS_AT_ONCE, len(rows) - first)
        states = [start.copy() for _ in range(count)]
        for i, state in enumerate(states):
            state.update(block[i * width : (i + 1) * width])
        stream = b"".join([state.digest(4 * d) for state in states])
        yield first, np.frombuffer(stream, "<u4").reshape(count, d)
