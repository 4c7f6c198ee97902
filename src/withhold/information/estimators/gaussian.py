"""Jointly Gaussian variables: the closed form of their information, for a batch, and without its bias for a sample."""

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import digamma
from torch import Tensor

from withhold.contracts.errors import DataError
from withhold.contracts.quantity import Quantity
from withhold.information.estimators.estimator import InformationEstimator, check_finite, interval
from withhold.information.estimators.inputs import Pair

RIDGE = 1e-3  # added to the variances of standardised columns: one-hot columns add up to one, so they are singular


def gaussian_information(a: Tensor, b: Tensor, ridge: float = RIDGE) -> Tensor:
    """Return (log det S_a + log det S_b - log det S_ab) / 2 of the covariances of standardised columns.

    It sees linear dependence only, and for independent variables its mean is about (columns of a) (columns of b) /
    (2 n): batches must be large. As a figure, use `withhold.information.estimators.gaussian`.

    Parameters
    ----------
    a, b : Tensor (n, columns)

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


CONDITION = "Exact only if the variables are jointly Gaussian: dependence that is not linear is not seen."

Reals = NDArray[np.float64]


class GaussianInformation(InformationEstimator):
    """Information of Gaussian variables from their covariance.

    Parameters
    ----------
    level : float, default=0.95

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=1000)
    >>> b = a + rng.normal(size=1000)  # .347 nat
    >>> abs(GaussianInformation().fit(a, b).estimate().value - 0.347) < 0.1
    True
    """

    takes = ("continuous",)

    def __init__(self, *, level: float = 0.95) -> None:
        self.level = level

    def _measure(self, pair: Pair) -> Quantity:
        a, b = (x.columns(np.arange(len(pair))) for x in (pair.a, pair.b))
        a, b = (x[:, x.std(axis=0) > 0] for x in (a, b))  # a constant tells nothing
        both = np.concatenate([a, b], axis=1)
        n, width = both.shape
        if n < width + 2:
            raise DataError(f"{width} columns need at least {width + 2} rows (got {n}). Collect more, or drop columns.")
        biases = [digamma((n - 1 - np.arange(x.shape[1])) / 2).sum() for x in (a, b, both)]
        logs, squares = zip(*(_log_density_parts(x) for x in (a, b, both)), strict=True)
        plug = 0.5 * (logs[0] + logs[1] - logs[2])
        value = check_finite(float(plug - 0.5 * (biases[0] + biases[1] - biases[2])), "GaussianInformation")
        ratios = plug + 0.5 * (squares[0] + squares[1] - squares[2])
        low, high = interval(ratios, value, self.level)
        return Quantity(value=value, low=low, high=high, kind="estimate", level=self.level, n=n, condition=CONDITION)


def _log_density_parts(x: Reals) -> tuple[float, Reals]:
    """Return the log determinant of the covariance of `x`, and each row's squared distance in its units."""
    if x.shape[1] == 0:
        return 0.0, np.zeros(len(x))
    covariance = np.atleast_2d(np.cov(x, rowvar=False))
    sign, log_determinant = np.linalg.slogdet(covariance)
    if sign <= 0 or np.linalg.cond(covariance) > SINGULAR:
        raise DataError("A column is a linear function of others (singular covariance). Drop it.")
    centred = x - x.mean(axis=0)
    return float(log_determinant), (centred * np.linalg.solve(covariance, centred.T).T).sum(axis=1)


SINGULAR = 1e12  # condition number of standardised columns at which a determinant is rounding
