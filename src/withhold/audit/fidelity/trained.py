"""Models trained on a release, tested on originals: for each column as the target, beside one trained on originals."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from withhold.audit.fidelity.matched import Matched
from withhold.contracts.errors import DataError
from withhold.contracts.fidelity_record import PredictionFidelity
from withhold.data.splits import split_rows
from withhold.training.session import one_thread
from withhold.training.trees import TreeClassifier

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Held out for the test, and most rows of it: a share is then known to a point and a half.
TESTED, MOST_TESTED = 0.3, 5_000
# A number is cut at so many quantiles of the training part; a category keeps so many of its commonest levels.
CUTS, CLASSES = 4, 10
# Fewer rows of a class are no test of it.
LEAST_TESTED = 20
# Small trees, as many of them for several classes as for two: both models are the same, and what counts is the
# difference.
TREES, ROUNDS, FEWEST_ROUNDS = 80, 40, 12


def train_and_test(
    columns: Sequence[Matched],
    rng: np.random.Generator,
    *,
    rows: int,
    most: int,
    first: Sequence[str] = (),
    groups: Codes | None = None,
    unseen: npt.NDArray[np.bool_] | None = None,
) -> dict[str, PredictionFidelity]:
    """Predict columns of held-out originals from their other columns.

    Parameters
    ----------
    columns : sequence of Matched
        Of the same rows; all are predictors.
    rng : numpy.random.Generator
        Divides the rows.
    rows, most : int
        Most rows to train on, and most columns to predict; each costs two models.
    first : sequence of str, optional
        Columns that are predicted before others, such as the utility attribute.
    groups : ndarray of int, optional
        Subject of each row; none stands on both sides.
    unseen : ndarray of bool, optional
        Rows that the sanitiser was not fitted on: only these are tested.

    Returns
    -------
    dict of str to PredictionFidelity
        Columns with at least two classes of at least 20 tested rows each.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.fidelity.matched import shared_columns
    >>> rng = np.random.default_rng(0)
    >>> a = rng.integers(0, 2, 600)
    >>> before = pa.table({"a": a, "b": a, "c": rng.permutation(a)})
    >>> after = pa.table({"a": a, "b": rng.permutation(a), "c": a})
    >>> found = train_and_test(list(shared_columns(before, after)[0]), rng, rows=400, most=3)
    >>> found["b"].original, found["b"].release < 0.6
    (1.0, True)
    """
    if len(columns) < 2:
        return {}
    n = len(columns[0].before)
    try:
        train, test = split_rows(n, TESTED, rng, groups)
    except DataError:  # too few rows or subjects to hold any out
        return {}
    test = test if unseen is None else test[unseen[test]]
    train, test = np.sort(rng.permutation(train)[:rows]), np.sort(rng.permutation(test)[:MOST_TESTED])
    before, after, held = (
        np.column_stack([_feature(column, codes[part]) for column, codes in zip(columns, side, strict=True)])
        for side, part in (
            ([column.before for column in columns], train),
            ([column.after for column in columns], train),
            ([column.before for column in columns], test),
        )
    )
    found = {}
    with one_thread():
        for place in _targets(columns, first, most):
            column, others = columns[place], np.arange(len(columns)) != place
            classes = _classes(column, train)
            raw, released = (classes[codes[train]] for codes in (column.before, column.after))
            truth = classes[column.before[test]]
            scored = [one for one in np.unique(truth[truth >= 0]) if (truth == one).sum() >= LEAST_TESTED]
            if len(scored) < 2:
                continue
            seed = int(rng.integers(2**31))
            tested = held[:, others]
            original, release = (
                _score(_guess(X[:, others], y, tested, seed), truth, scored)
                for X, y in ((before, raw), (after, released))
            )
            found[column.name] = PredictionFidelity(
                original=round(original, 4), release=round(release, 4), classes=len(scored)
            )
    return found


def _targets(columns: Sequence[Matched], first: Sequence[str], most: int) -> list[int]:
    """Return which columns are predicted: those named, then others spread evenly over the table."""
    named = [place for place, column in enumerate(columns) if column.name in first]
    rest = [place for place in range(len(columns)) if place not in named]
    places = np.linspace(0, len(rest) - 1, min(len(rest), max(0, most - len(named))))
    return named + [rest[k] for k in places.round().astype(int).tolist()]


def _feature(column: Matched, codes: Codes) -> Floats:
    """Return numbers as they are and categories as codes, NaN where missing."""
    return column.values(codes) if column.numeric else np.where(codes < 0, np.nan, codes.astype(np.float64))


def _classes(column: Matched, train: Codes) -> Codes:
    """Return the class of each code of a column, -1 where missing, by the original of the training rows."""
    codes = column.before[train]
    codes = codes[(codes >= 0) & (codes < len(column.levels))]
    classes = np.full(len(column.levels) + 2, -1, np.int64)
    if not len(codes):
        return classes
    if column.numeric:
        edges = np.unique(np.quantile(codes, np.arange(1, CUTS + 1) / (CUTS + 1), method="higher"))
        classes[: len(column.levels)] = np.searchsorted(edges, np.arange(len(column.levels)))
        return classes
    counts = np.bincount(codes, minlength=len(column.levels))
    own = np.argsort(-counts, kind="stable")[:CLASSES]
    classes[: len(column.levels)] = len(own)
    classes[own] = np.arange(len(own))
    return classes


def _guess(X: Floats, y: Codes, tested: Floats, seed: int) -> Codes:
    """Return the class that trees give each tested row; where there is one class or none, that."""
    known = y >= 0
    classes = len(np.unique(y[known]))
    if classes < 2:
        return np.full(len(tested), y[known][0] if known.any() else -1, np.int64)
    model = TreeClassifier(
        max_iter=max(FEWEST_ROUNDS, min(ROUNDS, TREES // classes)),
        learning_rate=0.2,
        max_leaf_nodes=15,
        early_stopping=False,
        random_state=seed,
    )
    model.fit(X[known], y[known])
    return np.asarray(model.predict(tested), np.int64)


def _score(guess: Codes, truth: Codes, scored: Sequence[int]) -> float:
    """Return the balanced accuracy: the mean over classes of the share that is recognised."""
    return float(np.mean([(guess[truth == one] == one).mean() for one in scored]))
