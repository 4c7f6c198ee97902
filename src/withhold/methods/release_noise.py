"""Which secret draws the release noise, and what the reader of a release must be told about it."""

import numpy as np

from withhold.privacy.keyed_noise import keyed_normal
from withhold.privacy.noise_key import NoiseKey

KEPT = "one draw a record under the kept key"
FRESH = "a further draw; earlier draws unknown"
SEEDED = "not for sharing"
NONE = "none"


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


def add_noise(Z: np.ndarray, scale: float | np.ndarray, key: NoiseKey, context: bytes, rows: np.ndarray) -> np.ndarray:
    """Add Gaussian noise of standard deviation `scale`: a function of the key, the artifact and the record.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_dimensions)
    scale : float or ndarray of shape (n_dimensions,)
    key : NoiseKey
    context : bytes
        Digest of the fitted sanitiser: another sanitiser draws other noise.
    rows : ndarray of uint8, shape (n_samples, n_bytes)
        Canonical bytes of each record, so that copies of a record cannot be averaged.
    """
    return np.asarray(Z + scale * keyed_normal(key, context, rows, Z.shape[1]), dtype=Z.dtype)
