"""Drift: where new rows are unlike those a sanitiser was fitted on, so that its promise may not hold for them."""

import numpy as np
from scipy.special import chdtri, ndtri

from withhold.contracts.threats import DriftNote
from withhold.data.shares import smoothed_shares
from withhold.data.tally import ColumnTally, Tally

# A share of rows beyond what was usual that is worth a word: one in a hundred, and more than ten rows.
SHARE, ROWS = 0.01, 10
# What was usual may vary by this part of itself.
SLACK = 0.5
# Population stability index of a large shift, the convention of credit scoring (Siddiqi, 2006).
LARGE = 0.25
# Chance of a note about some column where nothing has changed.
ERROR = 0.001


def drift(seen: Tally, new: Tally) -> list[DriftNote]:
    """Compare new rows with those of the fit.

    Parameters
    ----------
    seen : Tally
        Of the fit.
    new : Tally
        Of new rows, counted with the same ranges and cells.

    Returns
    -------
    list of DriftNote
        One for each column and kind, the largest share first; empty where nothing is worth a word.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> seen = Tally.of_matrix(rng.normal(size=(1000, 1)))
    >>> seen.matrix(rng.normal(size=(1000, 1)))
    >>> new = seen.empty()
    >>> new.matrix(rng.normal(size=(1000, 1)) + 3.0)
    >>> [note.kind for note in drift(seen, new)]
    ['shift', 'range']
    """
    error = ERROR / max(1, 4 * len(new.columns))
    notes: list[DriftNote] = []
    for name, after in new.columns.items():
        before = seen.columns[name]
        notes += [
            note for note in (kind(name, before, after, error) for kind in (_levels, _range, _missing, _shift)) if note
        ]
    return sorted(notes, key=lambda note: -note.share)


def stability_index(expected: np.ndarray, got: np.ndarray) -> float:
    """Return the population stability index of two counts over the same cells: a symmetric divergence in nats.

    Half a row is added to each cell, so that an empty one does not make it infinite.

    Examples
    --------
    >>> round(stability_index(np.array([50, 50]), np.array([70, 30])), 2)
    0.17
    """
    p, q = smoothed_shares(expected), smoothed_shares(got)
    return float(((q - p) * np.log(q / p)).sum())


def _levels(name: str, seen: ColumnTally, new: ColumnTally, error: float) -> DriftNote | None:
    share = _more(seen.unseen, seen.rows, new.unseen, new.rows, error)
    if share is None:
        return None
    named = f", such as {', '.join(map(repr, new.examples))}" if new.examples else ""
    return DriftNote(
        column=name,
        kind="levels",
        share=share[0],
        expected=share[1],
        text=f"{_percent(share[0])} of the new rows hold values of '{name}' that were rare or absent at the fit"
        f"{named}; they are released as another one.",
    )


def _range(name: str, seen: ColumnTally, new: ColumnTally, error: float) -> DriftNote | None:
    share = _more(seen.below + seen.above, seen.rows, new.below + new.above, new.rows, error)
    if share is None:
        return None
    ends = f"{_percent(new.below / new.rows)} below and {_percent(new.above / new.rows)} above"
    return DriftNote(
        column=name,
        kind="range",
        share=share[0],
        expected=share[1],
        text=f"{_percent(share[0])} of the new rows lie outside the range of '{name}' at the fit ({ends}; "
        f"{_percent(share[1])} of the rows of the fit did).",
    )


def _missing(name: str, seen: ColumnTally, new: ColumnTally, error: float) -> DriftNote | None:
    share = _more(seen.missing, seen.rows, new.missing, new.rows, error)
    if share is None:
        return None
    return DriftNote(
        column=name,
        kind="missing",
        share=share[0],
        expected=share[1],
        text=f"{_percent(share[0])} of the new rows lack a value of '{name}', "
        f"{_percent(share[1])} of the rows of the fit did.",
    )


def _shift(name: str, seen: ColumnTally, new: ColumnTally, error: float) -> DriftNote | None:
    expected, got = int(seen.cells.sum()), int(new.cells.sum())
    if len(seen.cells) < 2 or got <= ROWS or not expected:
        return None
    index = stability_index(seen.cells, new.cells)
    # Without drift the index is about a chi-squared times the sum of the inverse sizes.
    if index <= max(LARGE, float(chdtri(len(seen.cells) - 1, error)) * (1 / expected + 1 / got)):
        return None
    moved = float(np.abs(seen.cells / expected - new.cells / got).sum() / 2)
    return DriftNote(
        column=name,
        kind="shift",
        share=min(1.0, moved),
        index=index,
        text=f"The distribution of '{name}' has moved: {_percent(moved)} of the rows would have to change for it to be "
        f"that of the fit (population stability index {index:.2g}).",
    )


def _more(usual: int, of: int, count: int, n: int, error: float) -> tuple[float, float] | None:
    """Return the share and the usual one where there is clearly more than usual, by enough rows to matter."""
    if not n or count <= ROWS:
        return None
    share, expected = count / n, usual / of if of else 0.0
    if share - expected <= SHARE + SLACK * expected:
        return None
    pooled = (count + usual) / (n + of)
    spread = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / max(of, 1)))
    return (share, expected) if share - expected > -float(ndtri(error)) * spread else None


def _percent(share: float) -> str:
    return "none" if share == 0 else f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"
