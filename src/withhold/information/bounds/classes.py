"""Making a joint smaller without changing its curve, or with a curve that is still a valid bound.

*Lumping*: rows u with the same p(s|u) merge exactly. Given the merged U', the rest of U is independent of S, so a
release can tell it for nothing: with V independent of (U', S) and U a function of (U', V), Z = (Z', V) leaves
H(U|Z) = H(U'|Z') and I(S;Z) = I(S;Z'). |U| = 100 then costs what |U| = 5 costs (the two panels of AIOI's Fig. 2).

*Merging classes of S* (beyond eight): S' = f(S) gives I(S';Z) <= I(S;Z), so the curve of S' lies below that of S.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

Reals = NDArray[np.float64]
Codes = NDArray[np.intp]

# Conditional probabilities that agree to this many digits are the same.
DIGITS = 12


@dataclass(frozen=True)
class Lumped:
    """A joint with equal rows merged.

    Attributes
    ----------
    joint : ndarray, shape (n_classes, n_s)
    row : ndarray of int, shape (n_u,)
        Class of each u; -1 where p(u) = 0.
    share : ndarray, shape (n_u,)
        p(u | its class).
    """

    joint: Reals
    row: Codes
    share: Reals

    def lift_prices(self, prices: Reals) -> Reals:
        """Return prices for every u: those of its class (the value of every block is unchanged)."""
        return np.where(self.row[:, None] >= 0, prices[self.row], prices.min())

    def lift_atoms(self, atoms: Reals) -> Reals:
        """Return p(z, u, s) for Z = (Z', V): V cuts each class into its members, all classes at once."""
        members = [np.flatnonzero(self.row == c) for c in range(len(self.joint))]
        if max(len(m) for m in members) == 1:
            lifted = np.zeros((len(atoms), len(self.row), atoms.shape[2]))
            lifted[:, [m[0] for m in members]] = atoms
            return lifted
        ends = [np.cumsum(self.share[m]) for m in members]
        cuts = np.unique(np.concatenate([[0.0], *(np.round(end / end[-1], DIGITS) for end in ends)]))
        lifted = np.zeros((len(atoms), len(cuts) - 1, len(self.row), atoms.shape[2]))
        for v, (low, high) in enumerate(itertools.pairwise(cuts)):
            for c, (m, end) in enumerate(zip(members, ends, strict=True)):
                u = m[min(int(np.searchsorted(end / end[-1], 0.5 * (low + high))), len(m) - 1)]
                lifted[:, v, u] = (high - low) * atoms[:, c]
        return lifted.reshape(-1, *lifted.shape[2:])


def lump(joint: Reals) -> Lumped:
    """Merge rows of `joint` with the same p(s|u).

    Parameters
    ----------
    joint : ndarray, shape (n_u, n_s)

    Examples
    --------
    >>> lump(np.array([[0.1, 0.2], [0.2, 0.4], [0.1, 0.0]])).joint.round(3).tolist()
    [[0.3, 0.6], [0.1, 0.0]]
    """
    total = joint.sum(axis=1)
    live = np.flatnonzero(total > 0)
    conditional = np.round(joint[live] / total[live, None], DIGITS)
    _, first, inverse = np.unique(conditional, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))  # classes in the order in which they first appear
    row = np.full(len(joint), -1, np.intp)
    row[live] = order[np.ravel(inverse)]
    merged = np.zeros((len(first), joint.shape[1]))
    np.add.at(merged, row[live], joint[live])
    share = np.zeros(len(joint))
    share[live] = total[live] / merged.sum(axis=1)[row[live]]
    return Lumped(merged, row, share)


def merge_columns(joint: Reals, most: int) -> Codes:
    """Group the classes of S into at most `most`, each time joining the two that cost the least of I(U;S).

    Parameters
    ----------
    joint : ndarray, shape (n_u, n_s)

    Returns
    -------
    ndarray of int, shape (n_s,)
        Group of each class.

    Examples
    --------
    >>> merge_columns(np.array([[0.2, 0.19, 0.01], [0.1, 0.11, 0.39]]), 2).tolist()
    [0, 0, 1]
    """
    group = np.arange(joint.shape[1])
    columns = [joint[:, s] for s in range(joint.shape[1])]
    while len(columns) > most:
        table = np.array(columns)
        uncertainty = _unnormalised(table)
        pairs = _unnormalised(table[:, None] + table[None])
        cost = pairs - uncertainty[:, None] - uncertainty[None]
        cost[np.tril_indices(len(columns))] = np.inf
        a, b = np.unravel_index(int(cost.argmin()), cost.shape)
        columns[a] = columns[a] + columns.pop(int(b))
        group[group == b] = a
        group[group > b] -= 1
    return group


def merged(joint: Reals, group: Codes) -> Reals:
    """Return the joint of U and the groups of S."""
    out = np.zeros((joint.shape[0], int(group.max()) + 1))
    np.add.at(out.T, group, joint.T)
    return out


def _unnormalised(masses: Reals) -> Reals:
    """Mass times entropy: sum of -m log(m / total)."""
    total = masses.sum(axis=-1)
    found: Reals = entr(masses).sum(axis=-1) - entr(total)
    return found
