"""What somebody who has a fitted sanitiser, but not its key, can compute with it: for the audit, never for release."""

import copy
from typing import Any

import numpy as np
import pyarrow as pa

from withhold.methods.estimator.drift import release_counting
from withhold.methods.estimator.fitted_release import chunk_rows
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.privacy.noise_key import NoiseKey


def draws(sanitizer: Sanitizer) -> bool:
    """Whether two releases of one record under different keys differ.

    Examples
    --------
    >>> from withhold.methods.controls import Identity
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]])
    >>> draws(Identity().fit(X, sensitive_features=["a", "b", "a"]))
    False
    """
    return sanitizer._draws()


def redraw(sanitizer: Sanitizer, X: Any) -> Any:
    """Return a release of `X` under a key of its own: a further draw of every record.

    Parameters
    ----------
    sanitizer : Sanitizer
        Fitted; it keeps its key.
    X : as in `Sanitizer.transform`

    Examples
    --------
    >>> from withhold.methods.controls import Noise
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> noise = Noise(random_state=0).fit(X, sensitive_features=np.arange(50) % 2)
    >>> bool((redraw(noise, X) == redraw(noise, X)).any()), bool((noise.transform(X) == noise.transform(X)).all())
    (False, True)
    """
    other = copy.copy(sanitizer)
    other.noise_key, other.noise_seed = NoiseKey.generate(), None
    return release_counting(other, X, None)


def noise_free(sanitizer: Sanitizer, X: Any) -> np.ndarray:
    """Return Z of `X` before any noise is added.

    Parameters
    ----------
    sanitizer : Sanitizer
        Fitted.
    X : as in `Sanitizer.transform`

    Examples
    --------
    >>> from withhold.methods.controls import Identity
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]])
    >>> noise_free(Identity().fit(X, sensitive_features=["a", "b", "a"]), X).tolist()
    [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]]
    """
    _, H, _ = sanitizer._read(X)
    step = chunk_rows(int(H.shape[1]))
    parts = [sanitizer._encode(H[start : start + step]) for start in range(0, H.shape[0], step)]
    return np.concatenate(parts)


def decoded(sanitizer: Sanitizer, Z: np.ndarray) -> pa.Table | None:
    """Return the table that a released representation decodes to; None where there is no way back from Z alone.

    Which of the trained decoders a record meets hangs on the record, which is not released.

    Parameters
    ----------
    sanitizer : Sanitizer
        Fitted.
    Z : ndarray of shape (n_samples, n_dimensions)
    """
    own = sanitizer.codec_space or sanitizer.own_table
    return sanitizer._decode(Z) if own and sanitizer.codec_ is not None else None


def pixels_without_noise(sanitizer: Sanitizer, X: pa.Table) -> pa.Table:
    """Return the images that a sanitiser of images makes of `X` before any noise is added.

    Parameters
    ----------
    sanitizer : Sanitizer
        Fitted, with images as its output.
    X : pyarrow.Table
        With a column of images.
    """
    return sanitizer.encoding_.pictured(noise_free(sanitizer, X), sanitizer.encoding_.read(X))
