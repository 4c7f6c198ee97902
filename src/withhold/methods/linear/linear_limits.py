"""Where a promise against linear readers ends, as findings on the training rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from withhold.contracts.finding import Finding
from withhold.data.attributes import Attributes
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.linear.discrete_reading import read_discrete_columns
from withhold.methods.linear.moments import Moments

# A correlation of the decoded table above what the undecoded rows show by this much is not rounding.
DECODED = 0.005
ROWS, SPARSE_COLUMNS = 50_000, 2_048  # looked at


@dataclass(frozen=True)
class Inspection:
    """What was measured on the training rows, and what a reader must know of it."""

    measured: dict[str, float]
    findings: list[Finding]


def inspect_erasure(
    data: FitData, eraser: Callable[[Any], np.ndarray], tabled: bool, rng: np.random.Generator
) -> Inspection:
    """Look for what voids a linear erasure: constant and discrete columns, and, if `tabled`, decoding to a table.

    Parameters
    ----------
    data : FitData
    eraser : callable
        From encoded to erased rows.
    tabled : bool
        Whether the release is decoded to a table.
    rng : Generator
        Chooses the rows that are looked at.
    """
    rows = np.sort(rng.permutation(data.n)[:ROWS])
    H, sensitive = data.H[rows], data.sensitive.take(rows)
    Z = eraser(H)
    if sp.issparse(H):
        H, Z = H[:, :SPARSE_COLUMNS].toarray(), Z[:, :SPARSE_COLUMNS]
    names = column_names(data, H.shape[1])
    findings = constant_columns(H, names)
    for attribute in sensitive:
        findings += read_discrete_columns(H, Z, attribute, names)
    if data.codec is None or not tabled:
        return Inspection({}, findings)
    correlation, more = decoding_voids(Z, data.codec.encode(data.codec.decode(Z)), sensitive)
    return Inspection({"table_correlation": correlation}, findings + more)


def column_names(data: FitData, width: int) -> list[str]:
    """Return the name of the column that each encoded column belongs to."""
    if data.codec is None:
        return [f"x{j}" for j in range(width)]
    names = [""] * width
    for block in data.codec.blocks:
        names[block.start : block.stop] = [block.column] * (block.stop - block.start)
    return names


def constant_columns(H: np.ndarray, names: list[str]) -> list[Finding]:
    """Name the columns that did not vary in training: nothing was erased from them, whatever they hold later."""
    constant = [names[j] for j in np.flatnonzero(H.min(axis=0) == H.max(axis=0))]
    whole = sorted({name for name in constant if constant.count(name) == names.count(name)})
    if not whole:
        return []
    shown = ", ".join(map(repr, whole[:5])) + (" ..." if len(whole) > 5 else "")
    text = (
        f"Constant in the training rows, so nothing was erased from them: {shown}. If they vary in new rows they may "
        "reveal the attribute. Drop them, or fit on rows in which they vary."
    )
    return [Finding(code="constant_column", severity="info", text=text, column=whole[0])]


def orthogonal_fallback(width: int) -> Finding:
    """Say that the covariance of the features was too large to hold."""
    text = (
        f"The data have {width} columns, too many for their covariance: the directions of the attribute were removed "
        "by orthogonal projection, which hides as much from linear readers and changes the data more than LEACE."
    )
    return Finding(code="orthogonal_fallback", severity="info", text=text)


def decoding_voids(Z: np.ndarray, decoded: np.ndarray, sensitive: Attributes) -> tuple[float, list[Finding]]:
    """Compare what a linear reader finds in the decoded table with what it finds in Z.

    Parameters
    ----------
    Z, decoded : ndarray of shape (n_samples, n_encoded)
        The erased rows, and the same after decoding to a table and encoding again.
    sensitive : Attributes
        Of the same rows.

    Returns
    -------
    (float, list of Finding)
        The largest correlation of a decoded column with the attribute, and what it means.
    """
    before, after = largest_correlation(Z, sensitive), largest_correlation(decoded, sensitive)
    if after <= before + DECODED:
        return after, []
    text = (
        f"The table is not what was erased: cutting it to valid categories and whole numbers brings back a "
        f"correlation of {after:.3f} between {', '.join(map(repr, sensitive.names))} and a column. The guarantee of "
        "LEACE does not hold for the table. Release output='representation', or use DeepMinMax."
    )
    return after, [Finding(code="decoding_voids_linear_guarantee", severity="warning", text=text)]


def largest_correlation(H: np.ndarray, sensitive: Attributes) -> float:
    """Return the largest absolute correlation of a column of `H` with a level or value of an attribute.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> round(largest_correlation(np.array([[0.0], [1.0]]), read_attributes(["a", "b"])), 6)
    1.0
    """
    moments = Moments.empty(H.shape[1])
    moments.update(H, sensitive)
    covariance = moments.covariance()
    sd = np.sqrt(np.diag(covariance)) if covariance is not None else np.ones(H.shape[1])
    varying = sd > 1e-9 * max(1e-300, float(np.abs(H).max(initial=0.0)))
    return float((np.abs(moments.cross_covariance()[varying]) / sd[varying, None]).max(initial=0.0))
