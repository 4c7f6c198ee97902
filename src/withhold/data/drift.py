"""Drift: where new rows are unlike those a sanitiser was fitted on, so that its promise may not hold for them."""

import numpy as np
from scipy.special import chdtri, ndtri

from withhold.contracts.threats import DriftKind, DriftNote
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
        notes += [*_shares(name, before, after, error), *_shifts(name, before, after, error)]
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


def _shares(name: str, seen: ColumnTally, new: ColumnTally, error: float) -> list[DriftNote]:
    """Return what more rows are than at the fit: of rare or new values, out of range, without a value."""
    ends = f"{_percent(new.below / max(1, new.rows))} below and {_percent(new.above / max(1, new.rows))} above"
    named = f", such as {', '.join(map(repr, new.examples))}" if new.examples else ""
    counts: dict[DriftKind, tuple[int, int]] = {
        "levels": (seen.unseen, new.unseen),
        "range": (seen.below + seen.above, new.below + new.above),
        "missing": (seen.missing, new.missing),
    }
    notes = []
    for kind, (before, after) in counts.items():
        found = _more(before, seen.rows, after, new.rows, error)
        if found is not None:
            share, usual = map(_percent, found)
            text = {
                "levels": f"hold values of '{name}' that were rare or absent at the fit{named}; they are released as "
                "another one.",
                "range": f"lie outside the range of '{name}' at the fit ({ends}; {usual} of the rows of the fit did).",
                "missing": f"lack a value of '{name}', {usual} of the rows of the fit did.",
            }[kind]
            notes.append(
                DriftNote(
                    column=name, kind=kind, share=found[0], expected=found[1], text=f"{share} of the new rows {text}"
                )
            )
    return notes


def _shifts(name: str, seen: ColumnTally, new: ColumnTally, error: float) -> list[DriftNote]:
    expected, got = int(seen.cells.sum()), int(new.cells.sum())
    if len(seen.cells) < 2 or got <= ROWS or not expected:
        return []
    index = stability_index(seen.cells, new.cells)
    # Without drift the index is about a chi-squared times the sum of the inverse sizes.
    if index <= max(LARGE, float(chdtri(len(seen.cells) - 1, error)) * (1 / expected + 1 / got)):
        return []
    moved = float(np.abs(seen.cells / expected - new.cells / got).sum() / 2)
    return [
        DriftNote(
            column=name,
            kind="shift",
            share=min(1.0, moved),
            index=index,
            text=f"The distribution of '{name}' has moved: {_percent(moved)} of the rows would have to change for it "
            f"to be that of the fit (population stability index {index:.2g}).",
        )
    ]


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
