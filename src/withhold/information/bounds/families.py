"""Families of posteriors, and the linear programme that mixes them into a mechanism.

At the optimum of Lemma 2.1 a posterior q = p(u, s | z) puts each block of a partition of S on one u. Neither the masses
of the blocks nor H_U(q) and H_S(q) depend on which u a block takes beyond that block alone, so all |U|^blocks
posteriors of one partition are handled at once: a *family* has one weight for each (block, u), and the weights of each
block sum to the weight of the family. A coupling of the blocks turns them into posteriors afterwards.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array
from scipy.special import entr

Reals = NDArray[np.float64]

# Weights below this are rounding of the linear programme.
NEGLIGIBLE = 1e-13


@dataclass(frozen=True)
class Family:
    """One partition of S with the mass of its blocks.

    Attributes
    ----------
    kernel : ndarray, shape (n_u, n_s)
        Block B on u holds its s in proportion to `kernel[u, s]`.
    members : ndarray of bool, shape (n_blocks, n_s)
    masses : ndarray, shape (n_blocks,)
        Sum to one.
    allowed : ndarray of bool, shape (n_blocks, n_u)
        The u that a block may take.
    """

    kernel: Reals
    members: NDArray[np.bool_]
    masses: Reals
    allowed: NDArray[np.bool_]


@dataclass(frozen=True)
class Mixture:
    """Solution of the linear programme.

    Attributes
    ----------
    atoms : ndarray, shape (n_z, n_u, n_s)
        Joint masses p(z, u, s).
    uncertainty : float
        Its objective H(U|Z), before rounding is repaired.
    prices : ndarray, shape (n_u, n_s)
        Dual variables mu, zero where p(u, s) = 0.
    slope : float
        Dual variable lambda of the limit on leakage.
    """

    atoms: Reals
    uncertainty: float
    prices: Reals
    slope: float


def mix(joint: Reals, families: Sequence[Family], most_leakage: float | None) -> Mixture | None:
    """Return the mixture of posteriors with the least H(U|Z) among those that average to `joint`.

    Parameters
    ----------
    joint : ndarray, shape (n_u, n_s)
        p(u, s).
    most_leakage : float or None
        Limit on I(S;Z); None where every family keeps S independent of Z anyway.

    Returns
    -------
    Mixture or None
        None when the families cannot average to `joint`.

    Examples
    --------
    >>> joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> everything = np.ones((1, 2), bool)
    >>> told = [Family(joint, everything, np.ones(1), np.eye(2, dtype=bool)[[u]]) for u in (0, 1)]  # Z = U
    >>> round(mix(joint, told, 1.0).uncertainty, 6)
    0.0
    """
    cells = np.flatnonzero(joint.ravel() > 0)
    number = np.full(joint.size, -1)
    number[cells] = np.arange(len(cells))
    parts = [_weights(family) for family in families]
    rows, columns, values, costs, kept = [], [], [], [], []
    row, column = len(cells), 0
    for family, part in zip(families, parts, strict=True):
        own = column + np.arange(len(part.block))
        column += len(own)
        inside = part.mass > 0
        cell = number[(part.u[:, None] * joint.shape[1] + np.arange(joint.shape[1]))[inside]]
        rows.append(cell)
        columns.append(np.repeat(own, inside.sum(axis=1)))
        values.append(part.mass[inside] / joint.ravel()[cells][cell])
        # H_U and H_S of a posterior: the blocks' own entropy, counted once, and that of S within each block.
        height = float(entr(family.masses).sum())
        first = part.block == 0
        costs.append(height * first)
        total = part.mass.sum(axis=1)
        kept.append(height * first + entr(part.mass).sum(axis=1) - entr(total))
        for block in range(1, len(family.masses)):  # the weights of each block sum to those of the first
            other = part.block == block
            rows.append(np.full(int(first.sum() + other.sum()), row))
            columns.append(np.concatenate([own[first], own[other]]))
            values.append(np.concatenate([-np.ones(int(first.sum())), np.ones(int(other.sum()))]))
            row += 1
    matrix = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(row, column))
    right = np.zeros(row)
    right[: len(cells)] = 1.0
    limit = {}
    if most_leakage is not None:
        least = float(entr(joint.sum(axis=0)).sum()) - most_leakage
        limit = {"A_ub": -np.concatenate(kept)[None], "b_ub": [-least]}
    solved = linprog(np.concatenate(costs), A_eq=matrix.tocsr(), b_eq=right, bounds=(0, None), method="highs", **limit)
    if solved.status != 0:
        return None
    prices = np.zeros(joint.size)
    prices[cells] = solved.eqlin.marginals[: len(cells)] / joint.ravel()[cells]
    slope = -float(solved.ineqlin.marginals[0]) if most_leakage is not None else float("inf")
    atoms = _atoms(families, parts, solved.x, joint.shape)
    return Mixture(atoms, float(solved.fun), prices.reshape(joint.shape), slope)


@dataclass(frozen=True)
class _Part:
    """The weights of one family: block and u of each, and the masses it puts on s."""

    block: NDArray[np.intp]
    u: NDArray[np.intp]
    mass: Reals


def _weights(family: Family) -> _Part:
    block, u = np.nonzero(family.allowed)
    mass = family.kernel[u] * family.members[block]
    total = mass.sum(axis=1, keepdims=True)
    usable = total[:, 0] > 0
    block, u = block[usable], u[usable]
    return _Part(block, u, mass[usable] / total[usable] * family.masses[block, None])


def _atoms(families: Sequence[Family], parts: Sequence[_Part], x: Reals, shape: tuple[int, ...]) -> Reals:
    """Couple the blocks of each family in use: cut [0, weight] wherever one of its blocks changes its u."""
    atoms, column = [], 0
    for family, part in zip(families, parts, strict=True):
        weights = np.maximum(x[column : column + len(part.block)], 0.0)
        column += len(weights)
        lines = [np.flatnonzero((part.block == b) & (weights > NEGLIGIBLE)) for b in range(len(family.masses))]
        if any(len(line) == 0 for line in lines):
            continue
        ends = [np.cumsum(weights[line]) for line in lines]
        total = float(np.mean([end[-1] for end in ends]))
        ends = [end / end[-1] for end in ends]
        cuts = np.unique(np.concatenate([[0.0], *ends]))
        for low, high in itertools.pairwise(cuts):
            if total * (high - low) <= NEGLIGIBLE:
                continue
            atom = np.zeros(shape)
            for line, end in zip(lines, ends, strict=True):
                chosen = line[min(int(np.searchsorted(end, 0.5 * (low + high))), len(line) - 1)]
                atom[part.u[chosen]] += part.mass[chosen]
            atoms.append(total * (high - low) * atom)
    return np.stack(atoms)
