"""The secret and the draws of a release: all that is random in it, as a function of key, artifact and record."""

import numpy as np

from withhold.privacy.keyed_noise import keyed_normal, keyed_uniform
from withhold.privacy.noise_key import NoiseKey

KEPT = "one fixed noise draw per record, from the kept key"
FRESH = "drawn with a new key; combined with earlier releases it may reveal more"
SEEDED = "not for sharing"
NONE = "none"

RELEASE = "release"
"""Label of the noise that is added to Z."""
BELOW_ONE = np.float32(1 - 2**-24)  # the largest float32 below one


class Draws:
    """What is random in the release of some rows: a function of the key, the artifact, the record and a label.

    Parameters
    ----------
    context : bytes
        Digest of the fitted sanitiser: another sanitiser draws other noise.
    rows : ndarray of uint8, shape (n_samples, n_bytes)
        Canonical bytes of each record, so that copies of a record cannot be averaged.

    Examples
    --------
    >>> draws = Draws(NoiseKey.from_seed(0), b"artifact", np.arange(6, dtype=np.uint8).reshape(3, 2))
    >>> draws.normal("release", 4).shape, draws.uniform("cells", 2).dtype
    ((3, 4), dtype('float32'))
    >>> bool((draws.normal("release", 4) == draws.normal("plane", 4)).any())
    False
    """

    def __init__(self, key: NoiseKey, context: bytes, rows: np.ndarray) -> None:
        self._key, self._context, self._rows = key, context, rows

    def __len__(self) -> int:
        return len(self._rows)

    def normal(self, label: str, d: int) -> np.ndarray:
        """Return `d` standard normal values a row, float32; another label gives independent ones."""
        return keyed_normal(self._key, self._of(label), self._rows, d)

    def uniform(self, label: str, d: int) -> np.ndarray:
        """Return `d` values a row, float32, uniform on the open interval (0, 1)."""
        drawn = keyed_uniform(self._key, self._of(label), self._rows, d).astype(np.float32)
        return np.minimum(drawn, BELOW_ONE)

    def apart(self) -> "Draws":
        """Return draws that tell copies of a record apart by their order among these rows; the first stays itself.

        Examples
        --------
        >>> draws = Draws(NoiseKey.from_seed(0), b"artifact", np.array([[7], [8], [7]], dtype=np.uint8))
        >>> first, _, second = draws.apart().uniform("release", 1)[:, 0]
        >>> bool(first == second), bool(draws.uniform("release", 1)[0, 0] == draws.uniform("release", 1)[2, 0])
        (False, True)
        """
        rows = np.ascontiguousarray(self._rows)
        if not len(rows):
            return self
        _, kind = np.unique(rows.view(np.dtype((np.void, rows.shape[1]))).ravel(), return_inverse=True)
        order = np.argsort(kind, kind="stable")
        first = np.searchsorted(kind[order], kind[order])
        number = np.empty(len(rows), dtype="<u4")
        number[order] = np.arange(len(rows)) - first
        return Draws(self._key, self._context, np.concatenate([rows, number[:, None].view(np.uint8)], axis=1))

    def _of(self, label: str) -> bytes:
        return self._context if label == RELEASE else self._context + b" draw " + label.encode()


def key_and_note(noise_key: NoiseKey | None, noise_seed: int | None, fresh: NoiseKey) -> tuple[NoiseKey, str]:
    """Choose the secret: the user's key, one derived from a seed (tests only), or the one made at fit or load.

    Parameters
    ----------
    noise_key : NoiseKey or None
        The key the user keeps: the same record comes out the same every time.
    noise_seed : int or None
        A public seed: whoever knows it can subtract the noise, so the release must not be shared.
    fresh : NoiseKey
        What is used when neither was given.

    Returns
    -------
    (NoiseKey, str)
        The key and the sentence that belongs on the release.
    """
    if noise_key is not None:
        return noise_key, KEPT if noise_key.shareable else SEEDED
    if noise_seed is not None:
        return NoiseKey.from_seed(int(noise_seed)), SEEDED
    return fresh, FRESH


def add_noise(Z: np.ndarray, scale: float | np.ndarray, draws: Draws) -> np.ndarray:
    """Add Gaussian noise of standard deviation `scale` (one, or one a column) to Z.

    Examples
    --------
    >>> draws = Draws(NoiseKey.from_seed(0), b"artifact", np.arange(6, dtype=np.uint8).reshape(3, 2))
    >>> add_noise(np.zeros((3, 2)), np.array([0.0, 1.0]), draws)[:, 0].tolist()
    [0.0, 0.0, 0.0]
    """
    return np.asarray(Z + scale * draws.normal(RELEASE, Z.shape[1]), dtype=Z.dtype)


def canonical_rows(array: np.ndarray) -> np.ndarray:
    """Return the bytes of each row of a matrix of numbers, uint8 of shape (n_samples, n_bytes).

    Minus zero and zero are the same number, so they are the same bytes.

    Examples
    --------
    >>> rows = canonical_rows(np.array([[0.0, 1.0], [-0.0, 1.0]]))
    >>> bool((rows[0] == rows[1]).all())
    True
    """
    positive = array if array.dtype.kind == "u" else array + np.zeros(1, array.dtype)
    return np.ascontiguousarray(positive).view(np.uint8).reshape(len(array), array.shape[1] * array.itemsize)
