"""How low a search over channels must aim for new rows to keep within a budget, and the merging of rare symbols."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from withhold.methods.discrete_channel.channels import leakage_on, sweep_channels

Reals = NDArray[np.float64]

AIMS = (1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.1)
FEWEST = 200  # rows below which halves say nothing
TRIED = 2  # restarts on each half
RARE = 10  # records expected to get a symbol, below which it is merged


@dataclass(frozen=True)
class Aim:
    """The budget to search with.

    Attributes
    ----------
    held_out : float or None
        What channels found with it tell of rows they were not found on, in nats; None where rows are too few.
    """

    budget: float
    held_out: float | None


def channel_aim(
    triples: np.ndarray,
    shape: tuple[int, ...],
    budget: float,
    groups: np.ndarray | None,
    search: Mapping[str, int | None],
    rng: np.random.Generator,
) -> Aim:
    """Return the highest aim whose channels, found on half of the rows, keep within `budget` on the other half.

    To keep within it means one standard error of that judgement below it.

    Parameters
    ----------
    triples : ndarray of int (n,)
        Cell, u and s of each row as one number.
    shape : tuple
        Numbers of cells, classes of U and of S.
    groups : ndarray or None
        Subjects: all rows of one are in one half.
    search : mapping
        ``symbols``, ``steps``, ``seed``.
    """
    if len(triples) < FEWEST:
        return Aim(budget, None)
    unit = np.arange(len(triples)) if groups is None else np.unique(groups, return_inverse=True)[1]
    first = rng.permutation(int(unit.max()) + 1)[unit] % 2 == 0
    halves = [np.bincount(triples[part], minlength=int(np.prod(shape))).reshape(shape) for part in (first, ~first)]
    if min(half.sum() for half in halves) == 0:
        return Aim(budget, None)
    aims = [budget * aim for aim in AIMS] if budget > 0 else [0.0]
    told, freedom = np.zeros(len(aims)), np.zeros(len(aims))
    for own, other in (halves, halves[::-1]):
        found = sweep_channels(own / own.sum(), aims, restarts=TRIED, **search)
        told += [leakage_on(one.channel, other.sum(axis=1)) / 2 for one in found]
        freedom += [(len(one.channel) - 1) * (shape[2] - 1) / 2 for one in found]
    # 2 n I of n rows is a noncentral chi-square: its standard deviation, as information.
    n = len(triples)
    error = np.sqrt(2.0 * np.maximum(told, 0.0) / n + freedom / (2.0 * n**2))
    kept = np.flatnonzero(told + error <= budget)
    chosen = int(kept[0]) if len(kept) else len(aims) - 1
    return Aim(aims[chosen], float(told[chosen]))


def merge_rare(channel: Reals, sizes: np.ndarray, joint: Reals) -> Reals:
    """Merge symbols that fewer than ten records are expected to get, each with the one where least is lost.

    Parameters
    ----------
    channel : ndarray (n_symbols, n_cells)
    sizes : ndarray (n_cells,)
        Records of each cell.
    joint : ndarray (n_cells, n_u, n_s)

    Examples
    --------
    >>> joint = np.eye(2)[:, :, None] / 2
    >>> merge_rare(np.array([[1.0, 0.0], [0.0, 0.9], [0.0, 0.1]]), np.array([50, 50]), joint).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    merged = np.array(channel)
    flat = joint.reshape(len(joint), -1)
    while len(merged) > 1:
        expected = merged @ sizes
        rarest = int(expected.argmin())
        if expected[rarest] >= RARE:
            break
        rest = np.delete(merged, rarest, axis=0)
        own, others = merged[rarest] @ flat, rest @ flat
        loss = _spread(own) + _spread(others) - _spread(own + others)
        rest[int(loss.argmin())] += merged[rarest]
        merged = rest
    return merged


def _spread(masses: Reals) -> Reals:
    """Mass times negative entropy; what two symbols lose by merging is the difference of it."""
    found: Reals = xlogy(masses, masses).sum(axis=-1) - xlogy(masses.sum(axis=-1), masses.sum(axis=-1))
    return found
