"""Where a promise against linear readers ends, as findings on the training rows."""

from dataclasses import dataclass

import numpy as np

from withhold.contracts.finding import Finding
from withhold.data.attributes import Attributes
from withhold.methods.fit_data import FitData
from withhold.methods.moments import Moments

# A correlation of the decoded table above what the undecoded rows show by this much is not rounding.
DECODED = 0.005


@dataclass(frozen=True)
class Decoding:
    """What decoding a table brought back: the largest correlation with the attribute, and the finding."""

    correlation: float
    findings: tuple[Finding, ...]


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


def decoding_voids(Z: np.ndarray, decoded: np.ndarray, sensitive: Attributes) -> Decoding:
    """Compare what a linear reader finds in the decoded table with what it finds in Z.

    Parameters
    ----------
    Z, decoded : ndarray of shape (n_samples, n_encoded)
        The erased rows, and the same after decoding to a table and encoding again.
    sensitive : Attributes
        Of the same rows.
    """
    before, after = largest_correlation(Z, sensitive), largest_correlation(decoded, sensitive)
    if after <= before + DECODED:
        return Decoding(after, ())
    text = (
        f"The table is not what was erased: cutting it to valid categories and whole numbers brings back a "
        f"correlation of {after:.3f} between {', '.join(map(repr, sensitive.names))} and a column. The guarantee of "
        "LEACE does not hold for the table. Release output='representation', or use DeepMinMax."
    )
    return Decoding(after, (Finding(code="decoding_voids_linear_guarantee", severity="warning", text=text),))


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
