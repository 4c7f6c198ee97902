"""Drift at transform: new rows are counted while they are coded, and compared with those of the fit."""

import warnings
from typing import Any

from withhold.contracts.errors import DriftWarning
from withhold.contracts.threats import DriftNote
from withhold.data.drift import drift
from withhold.data.tally import Tally
from withhold.methods.estimator.contract import Method

# Notes that fit into one warning; `drift_of` gives all.
SHOWN = 5


def drift_of(sanitizer: Method, X: Any) -> list[DriftNote]:
    """Say where rows are unlike those a sanitiser was fitted on, without releasing them.

    Parameters
    ----------
    sanitizer : Sanitizer
        Fitted.
    X : as in `Sanitizer.transform`

    Returns
    -------
    list of DriftNote
        The largest share of rows first; empty where nothing is worth a word, and for sparse matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from withhold.methods.controls import Identity
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> identity = Identity().fit(X, sensitive_features=np.arange(500) % 2)
    >>> [(note.column, note.kind) for note in drift_of(identity, X * [1.0, 10.0])]
    [('x1', 'range'), ('x1', 'shift')]
    """
    tally = new_tally(sanitizer)
    if tally is not None:
        features = sanitizer.encoding_.read(X, sanitizer.accepts_sparse)
        sanitizer.encoding_.encode(features, tally)
    return notes_of(sanitizer, tally)


def new_tally(sanitizer: Method) -> Tally | None:
    """Return an empty count for new rows; None where nothing is known of the rows of the fit."""
    seen = sanitizer.encoding_.seen
    return None if seen is None else seen.empty()


def release_counting(sanitizer: Method, X: Any, tally: Tally | None) -> Any:
    """Do what `transform` does, counting into `tally` instead of warning: for rows that come in pieces."""
    features, H, rows = sanitizer._read(X, tally)
    return sanitizer._deliver(features, sanitizer._release(H, rows), rows)


def notes_of(sanitizer: Method, tally: Tally | None) -> list[DriftNote]:
    """Compare what was counted with the rows of the fit."""
    seen = sanitizer.encoding_.seen
    return [] if tally is None or seen is None or not seen.rows else drift(seen, tally)


def warn_of_drift(sanitizer: Method, tally: Tally | None) -> None:
    """Warn the caller of `transform` about drift."""
    notes = notes_of(sanitizer, tally)
    if not notes:
        return
    lines = "".join(f"\n- {note.text}" for note in notes[:SHOWN])
    more = f"\n- and {len(notes) - SHOWN} more" if len(notes) > SHOWN else ""
    warnings.warn(
        "The rows to release are unlike those the sanitiser was fitted on, so an earlier audit says little about "
        f"them. Fit and audit again.{lines}{more}",
        DriftWarning,
        stacklevel=4,  # this, transform, scikit-learn's wrapper of transform
    )
