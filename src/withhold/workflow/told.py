"""What the features tell of U: exactly for a finite table, else as trees find it on rows they were not fitted on."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import entr

from withhold.audit.attackers.boosting import Boosting
from withhold.audit.effort import EFFORTS, LEAST
from withhold.audit.view.pixels import blocks, pictures
from withhold.audit.view.reading import read_columns
from withhold.audit.view.view import AttackView
from withhold.contracts.images import image_names
from withhold.contracts.seeds import stream
from withhold.data.shares import smoothed_shares
from withhold.information.bounds.from_data import mixed_with_prior

Reals = NDArray[np.float64]
Codes = NDArray[np.int64]

# A table of X with at least so many rows in each cell is finite and known.
ROWS_PER_CELL = 10
# More rows than this make the held-out model slower, not noticeably better.
MOST_FITTED = 10_000


@dataclass(frozen=True)
class Known:
    """What the rows say about X and U.

    Attributes
    ----------
    u_x : float
        I(U;X).
    log_predicted : ndarray
        log q(u|x) of the second half.
    u_s_given_x, s_x : float or None
        I(U;S|X) and I(S;X), where X is finite.
    joint : ndarray, shape (n_x, n_u, n_s), or None
        p(x, u, s), where X is finite.
    """

    u_x: float
    log_predicted: Reals
    u_s_given_x: float | None = None
    s_x: float | None = None
    joint: Reals | None = None


def what_x_tells(
    features: pa.Table, u: Codes, s: Codes, first: NDArray[np.bool_], seed: int, notes: list[str]
) -> Known:
    """Return what X tells of U: exactly where X has few values, else as a model of one half finds on the other.

    Parameters
    ----------
    features : pyarrow.Table
        X.
    u, s : ndarray of int, shape (n,)
        Codes of U and S, none missing.
    first : ndarray of bool
        The half a model is fitted on.
    notes : list of str
        Gets a sentence about how it was found.
    """
    cells = _finite(features)
    prior = smoothed_shares(np.bincount(u[first], minlength=int(u.max()) + 1))
    if cells is not None:
        p = np.zeros((int(cells.max()) + 1, int(u.max()) + 1, int(s.max()) + 1))
        np.add.at(p, (cells, u, s), 1.0 / len(u))
        fitted = np.zeros(p.shape[:2])
        np.add.at(fitted, (cells[first], u[first]), 1.0)
        predicted = (fitted + prior) / (fitted.sum(axis=1, keepdims=True) + 1.0)
        notes.append(
            f"X is a finite table of {len(p)} cells with {ROWS_PER_CELL} rows or more in each: plug-in I(U;X)."
        )
        h_x, h_u, h_s = (float(entr(p.sum(axis=axes)).sum()) for axes in ((1, 2), (0, 2), (0, 1)))
        h_xu, h_xs, h_xus = float(entr(p.sum(axis=2)).sum()), float(entr(p.sum(axis=1)).sum()), float(entr(p).sum())
        logs = mixed_with_prior(predicted, prior)[cells[~first], u[~first]]
        # Sums of rounded entropies may leave their range by a last digit.
        u_x, s_x = min(max(0.0, h_x + h_u - h_xu), h_u), min(max(0.0, h_x + h_s - h_xs), h_s)
        return Known(u_x, logs, max(0.0, h_xu + h_xs - h_xus - h_x), s_x, p)
    X = _numbers(features)
    rng = stream(seed, "bounds", "model")
    train = rng.permutation(np.flatnonzero(first))[:MOST_FITTED]
    present, codes = np.unique(u[train], return_inverse=True)
    predicted = np.tile(prior, (int((~first).sum()), 1))
    if len(present) > 1:
        model = Boosting(EFFORTS[LEAST]).fit(np.ascontiguousarray(X[train]), codes, rng)
        predicted[:] = 0.0
        predicted[:, present] = np.exp(model.log_proba(np.ascontiguousarray(X[~first])))
    logs = mixed_with_prior(predicted, prior)[np.arange(len(predicted)), u[~first]]
    h_u = float(entr(np.bincount(u) / len(u)).sum())
    notes.append(
        "I(U;X) is the held-out estimate of boosted trees, on average too low: "
        "the loss counted from the true I(U;X) is at least as large, and what is achievable lies higher by as much."
    )
    return Known(max(0.0, h_u + float(logs.mean())), logs)


def _numbers(features: pa.Table) -> NDArray[np.generic]:
    """Return what the model learns from: codes and numbers of columns, and averages over blocks of images."""
    ordinal, images = AttackView.fit(features).ordinal, pictures(features)
    return ordinal if images is None else np.hstack([ordinal, blocks(images)[0]])


def _finite(features: pa.Table) -> Codes | None:
    """Return the cell of each row where X has few values, each with rows enough; else None."""
    if image_names(features):
        return None
    cells: Codes = np.zeros(features.num_rows, np.int64)
    for reading in read_columns(features):
        cells = compact(cells * (len(reading.levels) + 1) + reading.codes + 1)
        if (cells.max() + 1) * ROWS_PER_CELL > len(cells):
            return None
    return cells if np.bincount(cells).min() >= ROWS_PER_CELL else None


def compact(codes: Codes) -> Codes:
    """Return the codes numbered anew without gaps.

    Examples
    --------
    >>> compact(np.array([7, 2, 7])).tolist()
    [1, 0, 1]
    """
    found: Codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return found
