"""LEACE: the smallest linear change after which no linear reader finds the attribute.

N. Belrose, D. Schneider-Joseph, S. Ravfogel, R. Cotterell, E. Raff, S. Biderman, "LEACE: Perfect linear concept
erasure in closed form", NeurIPS 2023 (belrose2023leace).

Idea. A linear classifier with convex loss gains nothing over a constant if and only if the features have no
covariance with the one-hot attribute (theorem 3.1). Among all affine maps that make the covariance zero there is one
that changes the features least, in every norm at once (theorem 4.3). It needs two covariance matrices.

====================  =================================================================
paper                 here
====================  =================================================================
X, Z                  `H` (features), S (attribute, one-hot or numbers)
Sigma_XX, Sigma_XZ    ``moments.covariance()``, ``moments.cross_covariance()``
W                     Sigma_XX^(-1/2), pseudo-inverse; W+ its inverse on the same space
P_(W Sigma_XZ)        u u^T, orthogonal projection onto the columns of W Sigma_XZ
r(x)                  released Z = x - W+ u u^T W (x - mean)  (equation 1)
====================  =================================================================

Departures. None in the formula. Columns of S are divided by their standard deviation, which leaves the column space
alone and makes `svd_tol` a correlation. Rows with a missing attribute count for Sigma_XX only. Several attributes are
erased together with their product. Eigenvalues of Sigma_XX below n_features * eps * largest are null directions, in
which the training rows do not vary: they are passed through unchanged. More than 8192 columns: orthogonal projection
(W = I), which needs no covariance of the features and changes them more; a finding says so. The package
``concept-erasure`` gives the same map with ``shrinkage=False, constrain_cov_trace=False`` and a small ``svd_tol``; its
defaults trade the guarantee for stability.

Guarantee. On the training rows no linear reader does better than a constant. Nothing is promised against any other
reader, and where a table is decoded to categories and integers the promise is void: see `findings_`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from withhold.contracts.checks import OneOf, Weight
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import stream
from withhold.data.columns.numeric import Scaling
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.sanitizer import Sanitizer
from withhold.methods.leace.limits import inspect_erasure, orthogonal_fallback
from withhold.methods.leace.moments import Moments

WIDEST = 8_192  # columns; the covariance of more would take over half a gigabyte
# Covariances are sums of some 1e5 products in double precision, the map may be applied in single: what is left of a
# correlation by rounding is below 1e-6, while sampling alone gives 1 / sqrt(n) > 1e-4.
RESIDUAL = 1e-6


@dataclass(frozen=True)
class LinearEraser:
    """The map x -> x - left right (x - mean), of rank at most that of the cross-covariance."""

    left: np.ndarray
    right: np.ndarray
    mean: np.ndarray

    def __call__(self, X: Any) -> np.ndarray:
        """Apply it to the rows of a dense or sparse matrix; the result is dense and has the dtype of `X`."""
        left, right, mean = (part.astype(X.dtype) for part in (self.left, self.right, self.mean))
        shift = X @ right.T - mean @ right.T if sp.issparse(X) else (X - mean) @ right.T
        return np.asarray((X.toarray() if sp.issparse(X) else X) - shift @ left.T)


@dataclass(kw_only=True, eq=False, repr=False)
class LEACE(Sanitizer):
    """Least-squares concept erasure in closed form.

    Parameters
    ----------
    svd_tol : float >= 0, default=1e-8
        Directions whose correlation with the attribute is below this are left alone.
    projection : {"oblique", "orthogonal"}, default="oblique"
        "oblique" is LEACE, the least change; "orthogonal" removes the covariance directions themselves.
    output : {"auto", "table", "representation"}, default="auto"
        Form of the release; "auto" gives the form of the input. A table is decoded to its categories and integers,
        which voids the guarantee where it changes what a linear reader sees.
    decode, noise_key, noise_seed
        Unused: the map draws nothing.
    sensitive_features, drop, keep, sensitive_kinds, categorical, continuous, device, random_state
        As for every method; see `Noise`.

    Attributes
    ----------
    map_ : LinearEraser
        The frozen map.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = rng.integers(2, size=200)
    >>> X = rng.normal(size=(200, 3)) + s[:, None]
    >>> Z = LEACE().fit(X, sensitive_features=s).transform(X)
    >>> bool(np.allclose(Z[s == 0].mean(axis=0), Z[s == 1].mean(axis=0)))
    True
    """

    codec_space: ClassVar[bool] = True
    numeric: ClassVar[Scaling] = "affine"
    accepts_sparse: ClassVar[bool] = True

    svd_tol: Weight = 1e-8
    projection: Annotated[str, OneOf(("oblique", "orthogonal"))] = "oblique"

    def partial_fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None, groups: Any = None) -> Self:
        """Add a batch to the statistics and solve again; batches in any order give the map of one `fit`.

        The first batch decides columns, dtype and, for a table, the codec: categories it lacks are pooled later. A
        loaded sanitiser has no statistics to add to (they would hold class means of the training data).

        Parameters
        ----------
        X, y, sensitive_features, groups : as in `fit`

        Returns
        -------
        self
        """
        first = not hasattr(self, "_moments")
        if first and hasattr(self, "map_"):
            raise InvalidParameterError(
                "A LEACE loaded from a file cannot learn from further batches, because the file holds no class means. "
                "Fit a new one on all batches."
            )
        data, features = self._start(X, y, sensitive_features, groups, {}, first=first)
        self.diagnostics_, self.curves_, self.findings_ = {}, {}, []
        self._add(data, first=first)
        self._finish(data, features)
        return self

    def _fit_encoded(self, data: FitData) -> None:
        self._add(data, first=True)

    def _add(self, data: FitData, first: bool) -> None:
        d = int(data.H.shape[1])
        if first:
            self._moments = Moments.empty(d, scatter=self.projection == "oblique" and d <= WIDEST)
        self._moments.update(data.H, data.sensitive)
        covariance, cross = self._moments.covariance(), self._moments.cross_covariance()
        left, right = erasing_factors(covariance, cross, float(self.svd_tol))
        still = self._moments.constant
        left[still], right[:, still] = 0.0, 0.0  # the eigenvectors have zeros there up to rounding only
        self.map_ = LinearEraser(left, right, self._moments.mean.copy())
        self.diagnostics_ |= {
            "rank": float(left.shape[1]),
            "residual_correlation": _residual(covariance, cross, left, right),
        }
        tabled = data.codec is not None and self._form() == "table"
        found = inspect_erasure(data, self.map_, tabled, stream(self.seed_, "inspection"))
        self.diagnostics_ |= found.measured
        self.findings_ += found.findings
        if covariance is None and self.projection == "oblique":
            self.findings_.append(orthogonal_fallback(d))

    def _encode(self, H: Any) -> np.ndarray:
        return self.map_(H)

    def _noise_scale(self) -> float:
        return 0.0

    def _state(self) -> dict[str, np.ndarray]:
        return {"left": self.map_.left, "right": self.map_.right, "mean": self.map_.mean}

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        self.map_ = LinearEraser(state["left"], state["right"], state["mean"])

    def guarantee(self) -> Guarantee:
        """Return what is promised, and whether it held on the training rows in the form they are released."""
        exact = self.diagnostics_["residual_correlation"] <= RESIDUAL
        voided = any(finding.code == "decoding_voids_linear_guarantee" for finding in self.findings_)
        return Guarantee(
            claim="On the training rows no affine predictor with a convex loss does better than a constant.",
            against="linear readers of Z (least squares, logistic regression, linear support vectors); nobody else",
            assumptions=(
                "New rows have the covariances of the training rows, up to sampling.",
                "Z is released as real numbers, not cut to categories or integers.",
                "The reader adds no products, bins or other functions of the columns.",
            ),
            reference="belrose2023leace",
            maturity="proven",
            holds=exact and not voided,
        )


def erasing_factors(
    covariance: np.ndarray | None, cross: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return `left` (d, k) and `right` (k, d) of the projection left right that LEACE subtracts (equation 1).

    Parameters
    ----------
    covariance : ndarray of shape (n_features, n_features) or None
        Sigma_XX; None for the orthogonal projection (W = I).
    cross : ndarray of shape (n_features, n_concepts)
        Sigma_XZ, columns of Z in units of their standard deviation.
    tolerance : float
        Singular values of W Sigma_XZ up to this are dropped.

    Examples
    --------
    >>> left, right = erasing_factors(np.diag([4.0, 1.0]), np.array([[2.0], [0.0]]), 1e-8)
    >>> (left @ right).round(6).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    if covariance is None:
        u, singular, _ = np.linalg.svd(cross, full_matrices=False)
        u = u[:, singular > tolerance]
        return u, u.T
    values, vectors = np.linalg.eigh(covariance)
    kept = values > values[-1] * len(values) * np.finfo(np.float64).eps
    basis, root = vectors[:, kept], np.sqrt(values[kept])
    # In the eigenbasis W is a division by `root`, so W Sigma_XZ needs no matrix square root.
    u, singular, _ = np.linalg.svd((basis.T @ cross) / root[:, None], full_matrices=False)
    u = u[:, singular > tolerance]
    return basis @ (root[:, None] * u), (u / root[:, None]).T @ basis.T


def _residual(covariance: np.ndarray | None, cross: np.ndarray, left: np.ndarray, right: np.ndarray) -> float:
    """Return the largest correlation of a feature with the attribute that is left, in units of the feature before."""
    rest = np.abs(cross - left @ (right @ cross))
    if covariance is None:
        unit = np.full(len(rest), max(np.abs(cross).max(initial=0.0), np.finfo(np.float64).tiny))
    else:
        unit = np.sqrt(np.diag(covariance))
    varying = unit > 0
    return float((rest[varying] / unit[varying, None]).max(initial=0.0))
