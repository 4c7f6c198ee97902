"""How many directions data use: the effective rank."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def effective_rank(Z: ArrayLike, *, standardise: bool = False) -> float:
    """Return exp(entropy) of the normalised eigenvalues of the covariance of Z; 0 for a constant Z.

    Parameters
    ----------
    Z : array of shape (n_samples, n_dimensions)
    standardise : bool, default=False
        Use correlations: columns count alike whatever their units, and constant ones not at all.

    Returns
    -------
    float
        Between 0 and n_dimensions.

    References
    ----------
    O. Roy, M. Vetterli, "The effective rank: a measure of effective dimensionality", EUSIPCO 2007.

    Examples
    --------
    >>> Z = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> round(effective_rank(Z), 6), round(effective_rank(Z * [1.0, 9.0]), 2)
    (2.0, 1.07)
    >>> round(effective_rank(Z * [1.0, 9.0], standardise=True), 6), effective_rank(np.ones((4, 2)))
    (2.0, 0.0)
    """
    centred: NDArray[np.float64] = np.asarray(Z, dtype=np.float64)
    if centred.size == 0:
        return 0.0
    centred = centred - centred.mean(axis=0)
    if standardise:
        scale = centred.std(axis=0)
        centred = centred[:, scale > 0] / scale[scale > 0]
    narrow = centred if centred.shape[1] <= centred.shape[0] else centred.T  # the smaller Gram matrix: same spectrum
    values = np.linalg.eigvalsh(narrow.T @ narrow).clip(min=0)
    total = values.sum()
    if total <= np.finfo(np.float64).tiny:
        return 0.0
    shares = values[values > 0] / total
    return float(np.exp(-(shares * np.log(shares)).sum()))
