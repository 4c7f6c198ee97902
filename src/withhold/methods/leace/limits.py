"""Limits of a promise against linear readers, as findings on the training rows.

After a linear erasure a nonlinear reader finds the attribute in columns with few values; where the promise itself ends,
a finding says so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from withhold.contracts.finding import Finding
from withhold.contracts.wording import advice
from withhold.data.attributes import Attribute, Attributes
from withhold.data.equal_mass import equal_mass
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.leace.moments import Moments

MODAL_SHARE = 0.25  # a column with so common a value counts as discrete
BINS = 32
READABLE = 0.02  # share of H(S) read from one column, above which the finding is raised


def discrete_columns(H: np.ndarray) -> np.ndarray:
    """Return the numbers of the varying columns of which one value fills at least a quarter of the rows.

    Examples
    --------
    >>> discrete_columns(np.array([[0, 1.0, 5], [0, 2.0, 5], [1, 3.0, 5], [0, 4.0, 5], [0, 5.0, 5]])).tolist()
    [0]
    """
    ordered = np.sort(H, axis=0)
    lag = max(1, int(np.ceil(MODAL_SHARE * len(H))) - 1)
    common = (ordered[lag:] == ordered[:-lag]).any(axis=0) if len(H) > lag else np.zeros(H.shape[1], dtype=bool)
    return np.flatnonzero(common & (ordered[0] < ordered[-1]))


def information(values: np.ndarray, codes: np.ndarray) -> float:
    """Return the information of binned `values` about `codes` in nats, less the plug-in bias, at least 0.

    The bias of a contingency table is (rows - 1)(columns - 1) / 2n (Miller and Madow).

    Examples
    --------
    >>> codes = np.repeat([0, 1], 500)
    >>> round(information(codes + 0.0, codes), 2), information(np.tile([0.0, 1.0], 500), codes)
    (0.69, 0.0)
    """
    bins = equal_mass(values, BINS)
    joint = np.zeros((BINS, int(codes.max()) + 1))
    np.add.at(joint, (bins, codes), 1)
    joint = joint[joint.sum(axis=1) > 0][:, joint.sum(axis=0) > 0]
    n = joint.sum()
    outer = joint.sum(axis=1, keepdims=True) @ joint.sum(axis=0, keepdims=True) / n
    cells = joint > 0
    plug_in = float((joint[cells] * np.log(joint[cells] / outer[cells])).sum() / n)
    return max(0.0, float(plug_in - (joint.shape[0] - 1) * (joint.shape[1] - 1) / (2 * n)))


def read_discrete_columns(H: np.ndarray, Z: np.ndarray, attribute: Attribute, names: list[str]) -> list[Finding]:
    """Look for the attribute in each column that is discrete in `H`, as `Z` releases it.

    Parameters
    ----------
    H, Z : ndarray of shape (n_samples, n_encoded)
        Before erasure and as released, the same rows.
    attribute : Attribute
        Of these rows; a continuous one is cut in eight equal parts.
    names : list of str
        Column each encoded column belongs to.
    """
    known = np.flatnonzero(attribute.known)
    if known.size < 2:
        return []
    codes = attribute.codes[known] if attribute.kind == "categorical" else equal_mass(attribute.values[known])
    shares = np.bincount(codes) / len(codes)
    entropy = float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
    # The bias of an average table of this size: below it nothing was seen.
    floor = max(READABLE * entropy, BINS * (len(shares) - 1) / (2 * len(codes)))
    read = {j: information(Z[known, j], codes) for j in discrete_columns(H[known])}
    found = sorted((j for j in read if read[j] > floor), key=lambda j: -read[j])
    if not found:
        return []
    worst, others = found[0], len({names[j] for j in found} - {names[found[0]]})
    more = f" and from {others} more" if others else ""
    text = (
        f"A reader that is not linear, such as a tree, can still read {attribute.name!r} from the column "
        f"{names[worst]!r} ({read[worst]:.3f} of {entropy:.3f} nat){more}. The guarantee covers linear readers only. "
        f"Use {advice('DeepMinMax', '--method deepminmax')}, or drop these columns."
    )
    return [Finding(code="discrete_columns_void_linear_guarantee", severity="warning", text=text, column=names[worst])]


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
    decoded = None if data.codec is None or not tabled else data.codec.encode(data.codec.decode(Z))
    findings = constant_columns(H, names)
    for attribute in sensitive:
        findings += read_discrete_columns(H, Z if decoded is None else decoded, attribute, names)
    if decoded is None:
        return Inspection({}, findings)
    correlation, more = decoding_voids(Z, decoded, sensitive)
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
        f"Nothing was erased from columns that are constant in the training rows: {shown}. If they vary in new rows, "
        "they may reveal the attribute. Drop them, or fit on rows in which they vary."
    )
    return [Finding(code="constant_column", severity="info", text=text, column=whole[0])]


def orthogonal_fallback(width: int) -> Finding:
    """Say that the covariance of the features was too large to hold."""
    text = (
        f"The data have {width} columns, too many for their covariance, so LEACE used an orthogonal projection: it "
        "hides as much from linear readers, but changes the data more."
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
    hidden = ", ".join(map(repr, sensitive.names))
    text = (
        f"Casting the release to valid categories and whole numbers brought back a correlation of {after:.3f} between "
        f"{hidden} and a column, so the guarantee of LEACE does not hold for the table. Use "
        f"{advice('DeepMinMax', '--method deepminmax')}."
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
