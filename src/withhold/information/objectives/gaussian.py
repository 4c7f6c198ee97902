"""The information of jointly Gaussian variables as a function of a batch, differentiable in both."""

import torch
from torch import Tensor

RIDGE = 1e-3  # added to the variances of standardised columns: one-hot columns add up to one, so they are singular


def gaussian_information(a: Tensor, b: Tensor, ridge: float = RIDGE) -> Tensor:
    """Return (log det S_a + log det S_b - log det S_ab) / 2 of the covariances of standardised columns.

    It sees linear dependence only, and for independent variables its mean is about (columns of a) (columns of b) /
    (2 n): batches must be large. As a figure, use `withhold.information.estimators.gaussian`.

    Parameters
    ----------
    a, b : Tensor (n, columns)
    ridge : float

    Examples
    --------
    >>> a = torch.tensor([[1.0], [-1.0], [1.0], [-1.0]])
    >>> float(gaussian_information(a, torch.tensor([[1.0], [1.0], [-1.0], [-1.0]])))
    0.0
    """
    both = torch.cat([a, b], dim=1)
    centred = both - both.mean(dim=0)
    scaled = centred / (centred.square().mean(dim=0) + FLAT).sqrt()
    covariance = scaled.T @ scaled / len(scaled)
    covariance = covariance + ridge * torch.eye(len(covariance), dtype=a.dtype, device=a.device)
    k = a.shape[1]
    return 0.5 * (_log_det(covariance[:k, :k]) + _log_det(covariance[k:, k:]) - _log_det(covariance))


FLAT = 1e-8  # variance of a column that does not vary


def _log_det(matrix: Tensor) -> Tensor:
    value: Tensor = 2 * torch.linalg.cholesky(matrix).diagonal().log().sum()
    return value
