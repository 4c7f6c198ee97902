"""What became of each column of the original: how much of it can be read back, and how it changed."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.effort import Effort
from withhold.audit.kept.decoder import decode
from withhold.audit.kept.images import measure_images
from withhold.audit.view.cells import Cells
from withhold.audit.view.reading import Reading, read_columns
from withhold.audit.view.suppression import LEAST_RECORDS, suppress
from withhold.audit.view.view import AttackView
from withhold.contracts.audit_record import ColumnResult, Histogram
from withhold.data.shares import plug_in_entropy, smoothed_shares

Codes = npt.NDArray[np.integer[Any]]

# More training rows make the decoder dearer and hardly better.
MOST_TRAINING_ROWS = 60_000
# Part of the training rows on which network and lookup are compared.
INNER = 0.1


def measure_columns(
    release: pa.Table,
    original: pa.Table,
    view: AttackView,
    folds: npt.NDArray[np.integer],
    effort: Effort,
    rng: np.random.Generator,
    scored: npt.NDArray[np.bool_] | None = None,
) -> dict[str, ColumnResult]:
    """Measure every column of the original.

    Parameters
    ----------
    release, original : pyarrow.Table
        The same rows, without the sensitive and utility attributes.
    view : AttackView
        Of the release; fitted without the order of rows, or with it.
    folds : ndarray of int, shape (n,)
        Fold 0 is scored, the others train the decoder.
    scored : ndarray of bool, optional
        Rows that may be scored: those the sanitiser was not fitted on.

    Examples
    --------
    >>> from withhold.audit.effort import find_effort
    >>> rng = np.random.default_rng(0)
    >>> table = pa.table({"kept": rng.integers(0, 3, 1000), "lost": rng.integers(0, 3, 1000)})
    >>> kept = table.select(["kept"])
    >>> view = AttackView.fit(kept)
    >>> found = measure_columns(kept, table, view, np.arange(1000) % 5, find_effort("quick"), rng)
    >>> found["kept"].retention > 0.9, found["lost"].retention < 0.1
    (True, True)
    """
    folds = np.asarray(folds)
    training = folds != folds.min()
    score = np.flatnonzero(~training if scored is None else ~training & scored)
    train = rng.permutation(np.flatnonzero(training))[:MOST_TRAINING_ROWS]
    # One column at a time: only cells are kept of each.
    cut, cells, ends = {}, {}, {}
    for reading in read_columns(original):
        cut[reading.name] = Cells.fit(reading, training)
        cells[reading.name] = cut[reading.name].place(reading).astype(np.int16)
        ends[reading.name] = (reading.kind, reading.levels[[0, -1]] if len(reading.levels) else reading.levels)
    own, other_unit = {}, set()
    for reading in read_columns(release):
        if reading.name in cut:
            own[reading.name] = cut[reading.name].place(reading).astype(np.int16)
            if not _same_unit(*ends[reading.name], reading):
                other_unit.add(reading.name)
    if not set(cut) <= set(own):
        own = {name: placed for name, placed in own.items() if name not in other_unit}
    retention = _retention(view, cells, own, cut, train, score, effort.decoder_epochs, int(rng.integers(2**62)))
    found = {
        name: ColumnResult(
            kind=ends[name][0],
            retention=retention[name],
            own_information=own_information(cells[name], own[name]) if name in own else None,
            histogram=_histogram(cut[name], cells[name], own.get(name)),
        )
        for name in cut
    }
    return found | measure_images(release, original, view, train, score)


def _same_unit(kind: str, ends: npt.NDArray[Any], after: Reading) -> bool:
    """Whether a column of a release with other columns is still the column of that name, not a rescaled number.

    Of the original the kind and the ends of its values are given. A release with all columns of the original is held
    to them: there a value out of range is a loss, not a unit.
    """
    if kind != after.kind or kind == "category" or not len(ends) or not len(after.levels):
        return kind == after.kind
    inside = (after.levels >= ends[0]) & (after.levels <= ends[-1])
    return bool(after.counts[inside].sum() >= 0.5 * after.counts.sum())


def own_information(before: Codes, after: Codes) -> float | None:
    """Return I(before; after)/H(before) with the Miller-Madow correction, within [0, 1]; None if `before` is constant.

    Examples
    --------
    >>> x = np.arange(1000) % 4
    >>> own_information(x, x), own_information(x, np.arange(1000) // 4 % 4) < 0.01
    (1.0, True)
    """
    joint = before.astype(np.int64) * (int(after.max(initial=0)) + 1) + after
    h_before, h_after, h_joint = (_entropy(codes) for codes in (before, after, joint))
    if h_before <= 0:
        return None
    return float(np.clip((h_before + h_after - h_joint) / h_before, 0.0, 1.0))


def _entropy(codes: Codes) -> float:
    counts = np.unique(codes, return_counts=True)[1]
    return plug_in_entropy(counts) + (len(counts) - 1) / (2 * len(codes))


def _retention(
    view: AttackView,
    cells: Mapping[str, Codes],
    own: Mapping[str, Codes],
    cut: Mapping[str, Cells],
    train: Codes,
    score: Codes,
    epochs: int,
    seed: int,
) -> dict[str, float | None]:
    names = list(cells)
    out: dict[str, float | None] = dict.fromkeys(names)
    if len(score) < LEAST_RECORDS or len(train) < LEAST_RECORDS or not names:
        return out
    inner, train = train[: int(INNER * len(train))], train[int(INNER * len(train)) :]
    both = np.concatenate([inner, score])
    counts = [cut[name].count for name in names]
    truth = np.column_stack([cells[name] for name in names])
    found = decode(view.dense, truth, counts, train, both, epochs, seed)
    for column, name in enumerate(names):
        prior = np.log(smoothed_shares(np.bincount(truth[train, column], minlength=counts[column])))
        entropy = -float(prior[truth[score, column]].mean())
        guesses = [found[:, column]]
        if name in own:
            guesses.append(_lookup(truth[:, column], own[name], counts[column], train, both, prior))
        # Which reading is scored is decided on rows that are not scored.
        best = max(guesses, key=lambda guess: float(guess[: len(inner)].mean()) if len(inner) else 0.0)
        if len(np.unique(truth[score, column])) > 1:
            out[name] = float(np.clip(1.0 + best[len(inner) :].mean() / entropy, 0.0, 1.0))
    return out


def _lookup(
    truth: Codes, own: Codes, count: int, train: Codes, rows: Codes, prior: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Read the cell off the released column of the same name."""
    table = np.zeros((count, count))
    np.add.at(table, (own[train], truth[train]), 1.0)
    table += np.exp(prior)
    return np.asarray(np.log(table / table.sum(axis=1, keepdims=True)))[own[rows], truth[rows]]


def _histogram(cut: Cells, before: Codes, after: Codes | None) -> Histogram | None:
    if after is None:
        return None
    raw, released = (np.bincount(codes, minlength=cut.count) for codes in (before, after))
    shown = np.flatnonzero((raw > 0) | (released > 0))
    return Histogram(
        labels=[cut.labels[cell] for cell in shown],
        raw=suppress(raw[shown]),
        release=suppress(released[shown]),
    )
