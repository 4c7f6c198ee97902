"""Where a nonlinear reader finds the attribute after a linear erasure: in columns with few values.

Erasing a direction adds to every column a multiple of that direction. In a column of the data that takes few values the
addition stands out: for all rows with the same value before, the released value *is* the erased direction, plus a
constant. A reader who is not linear sees the clusters and reads the attribute within each.
"""

import numpy as np

from withhold.contracts.finding import Finding
from withhold.data.attributes import Attribute

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
    edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1]))
    bins = np.searchsorted(edges, values, side="right")
    joint = np.zeros((len(edges) + 1, int(codes.max()) + 1))
    np.add.at(joint, (bins, codes), 1)
    joint = joint[joint.sum(axis=1) > 0][:, joint.sum(axis=0) > 0]
    n = joint.sum()
    outer = joint.sum(axis=1, keepdims=True) @ joint.sum(axis=0, keepdims=True) / n
    cells = joint > 0
    plug_in = float((joint[cells] * np.log(joint[cells] / outer[cells])).sum() / n)
    return max(0.0, float(plug_in - (joint.shape[0] - 1) * (joint.shape[1] - 1) / (2 * n)))


def read_discrete_columns(H: np.ndarray, Z: np.ndarray, attribute: Attribute, names: list[str]) -> list[Finding]:
    """Look for the attribute in each discrete column of `H` as released in `Z`.

    Parameters
    ----------
    H, Z : ndarray of shape (n_samples, n_encoded)
        Before and after erasure, the same rows.
    attribute : Attribute
        Of these rows; a continuous one is cut in eight equal parts.
    names : list of str
        Column each encoded column belongs to.
    """
    known = np.flatnonzero(attribute.known)
    if known.size < 2:
        return []
    codes = attribute.codes[known]
    if attribute.kind == "continuous":
        values = attribute.values[known]
        codes = np.searchsorted(np.unique(np.quantile(values, np.arange(1, 8) / 8)), values, side="right")
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
        f"After linear erasure {attribute.name!r} can still be read from the single discrete column {names[worst]!r} "
        f"({read[worst]:.3f} of {entropy:.3f} nat){more} by a reader that is not linear, such as a tree: the erased "
        "direction shows in columns with few values. The guarantee covers linear readers only. Use DeepMinMax, or "
        "drop these columns."
    )
    return [Finding(code="discrete_columns_void_linear_guarantee", severity="warning", text=text, column=names[worst])]
