"""A release that carries almost nothing: low leakage by destroying everything must be visible."""

import numpy as np
import numpy.typing as npt

from withhold.audit.findings.wording import finding
from withhold.contracts.finding import Finding

LEAST_RETENTION, LEAST_RANK = 0.02, 1.5


def effective_rank(matrix: npt.NDArray[np.floating]) -> float:
    """Return the exponential of the entropy of the normalised eigenvalues of the correlation matrix.

    References
    ----------
    Roy and Vetterli, "The effective rank", EUSIPCO 2007.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(1000, 3))
    >>> round(effective_rank(x), 1), round(effective_rank(x[:, :1] * [1.0, 2.0, 3.0]), 1)
    (3.0, 1.0)
    """
    scale = matrix.std(axis=0, dtype=np.float64)
    kept = matrix[:, scale > 0].astype(np.float64)
    if kept.shape[1] == 0:
        return 0.0
    standard = (kept - kept.mean(axis=0)) / scale[scale > 0]
    values = np.clip(np.linalg.eigvalsh(standard.T @ standard), 0.0, None)
    shares = values[values > 0] / values.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def collapse(matrix: npt.NDArray[np.floating], mean_retention: float | None) -> list[Finding]:
    """Say so when the release has no more than one direction or keeps almost nothing of the original.

    Parameters
    ----------
    matrix : ndarray, shape (n, p)
        The release as numbers (without the order of rows).
    mean_retention : float or None
        Mean over the original columns, where it was measured.

    Examples
    --------
    >>> collapse(np.zeros((10, 2)), None)[0].code
    'collapse'
    """
    if mean_retention is not None and mean_retention < LEAST_RETENTION:
        text = f"The release carries almost nothing of the original: mean retention is {mean_retention:.3f}."
        return [finding("collapse", "warning", f"{text} Low leakage is no achievement here.")]
    rank = effective_rank(matrix)
    if rank < LEAST_RANK:
        what = "nothing" if rank == 0 else "one direction"
        return [finding("collapse", "warning", f"The release has collapsed to {what} (effective rank {rank:.2f}).")]
    return []
