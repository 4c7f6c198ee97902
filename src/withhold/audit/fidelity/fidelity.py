"""How far a release can stand for its original: every shared column, every pair of them, and how many are usable."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.fidelity.marginals import LEVEL, LEVEL_MOVED, MISSING_MOVED, MOVED, measure_column
from withhold.audit.fidelity.matched import Matched, shared_columns
from withhold.audit.fidelity.pairs import BROKEN, Pair, Paired, compare_pair
from withhold.audit.fidelity.trained import train_and_test
from withhold.contracts.fidelity_record import ColumnFidelity, FidelityResult, PredictionFidelity

Codes = npt.NDArray[np.int64]

# Pairs are compared on so many rows (as many as sdmetrics takes) and among so many columns at most: beyond, the audit
# would wait for them.
MOST_ROWS, MOST_COLUMNS = 50_000, 64
MOST_PAIRS_LISTED = 100
# A category with more values than this share of the rows names records: its pairs are combinations nobody shares.
NAMES_RECORDS = 0.5
USABLE_WHEN = (
    f"no share computed from the column is off by more than {100 * MOVED:.0f} points, no value that more than "
    f"{100 * LEVEL:.0f} % of its rows hold by more than {100 * LEVEL_MOVED:.0f}, nor its missing values by more than "
    f"{100 * MISSING_MOVED:.0f}, and its correlation (or Cramer's V) with each other usable column is off by no more "
    f"than {BROKEN:g}"
)


def measure_fidelity(
    before: pa.Table,
    after: pa.Table,
    rng: np.random.Generator | None = None,
    *,
    trained_rows: int = 0,
    targets: int = MOST_COLUMNS,
    utility: Sequence[str] = (),
    groups: Codes | None = None,
    unseen: npt.NDArray[np.bool_] | None = None,
) -> FidelityResult | None:
    """Compare a release with its original, column by column and pair by pair.

    Parameters
    ----------
    before, after : pyarrow.Table
        The same records, row by row.
    rng : numpy.random.Generator, optional
        Chooses the rows of long tables that pairs are compared on, and those that models are tested on.
    trained_rows, targets : int
        Most rows that models are trained on, none if 0, and most columns that they predict.
    utility : sequence of str, optional
        Columns that are predicted before others.
    groups : ndarray of int, optional
        Subject of each row; none stands on both sides of the test.
    unseen : ndarray of bool, optional
        Rows that the sanitiser was not fitted on: only these are tested.

    Returns
    -------
    FidelityResult or None
        None where the tables have no column in common.

    Examples
    --------
    >>> age, sex = [30, 40, 50, 60] * 25, ["f", "m"] * 50
    >>> before = pa.table({"age": age, "sex": sex, "town": ["a"] * 100})
    >>> found = measure_fidelity(before, pa.table({"age": age, "sex": ["f"] * 100}))
    >>> found.usable, found.compared, list(found.columns), found.absent
    (1, 2, ['sex', 'age'], ['town'])
    """
    shared, absent = shared_columns(before, after)
    n = before.num_rows
    draw = np.random.default_rng(0) if rng is None else rng
    chosen = np.sort(draw.choice(n, MOST_ROWS, replace=False)) if n > MOST_ROWS else np.arange(n)
    columns: dict[str, ColumnFidelity] = {}
    kept: dict[str, Paired] = {}
    for column in shared:  # one at a time: only codes are kept of each
        columns[column.name] = measure_column(column)
        if not _names_records(column):
            kept[column.name] = Paired(column if len(chosen) == n else column.take(chosen))
    if not columns:
        return None
    related = list(kept) if len(kept) <= MOST_COLUMNS else _evenly(list(kept))
    pairs, impossible_rows = _compare_all([kept[name] for name in related])
    _judge(columns, pairs)
    predicted: dict[str, PredictionFidelity] = {}
    if trained_rows:
        predicted = train_and_test(
            [kept[name].column for name in related],
            draw,
            rows=trained_rows,
            most=targets,
            first=utility,
            groups=None if groups is None else groups[chosen],
            unseen=None if unseen is None else unseen[chosen],
        )
    for name, found in predicted.items():
        columns[name] = columns[name].model_copy(update={"prediction": found})
    losses = [one.original - one.release for one in predicted.values()]
    scores = [pair.result.score for pair in pairs if pair.result.score is not None]
    impossible = [pair for pair in pairs if pair.result.impossible is not None]
    shapes = [1.0 - one.distance for one in columns.values() if one.distance is not None]
    return FidelityResult(
        usable=sum(one.usable for one in columns.values()),
        compared=len(columns),
        usable_when=USABLE_WHEN,
        absent=absent,
        column_shapes=_mean(shapes),
        pair_trends=_mean([p.result.score for p in pairs if p.related and p.result.score is not None]),
        all_pair_trends=_mean(scores),
        pairs_compared=len(pairs),
        broken_pairs=sum(pair.result.broken for pair in pairs),
        impossible_pairs=_mean([pair.result.impossible or 0.0 for pair in impossible]),
        impossible_pairs_by_chance=_mean([pair.by_chance or 0.0 for pair in impossible]),
        impossible_rows=_mean(impossible_rows.tolist()) if impossible else None,
        prediction_loss=round(float(np.median(losses)), 4) if losses else None,
        trained_rows=min(trained_rows, len(chosen)) if predicted else 0,
        columns=dict(sorted(columns.items(), key=lambda item: -damage(item[1], item[0], pairs))),
        pairs=[pair.result for pair in sorted(pairs, key=lambda pair: -pair.changed)[:MOST_PAIRS_LISTED]],
        rows=n,
        pair_rows=len(chosen),
        notes=_notes(n, len(columns), len(kept), len(related)),
    )


def _names_records(column: Matched) -> bool:
    known = int((column.before >= 0).sum())
    return not column.numeric and len(column.levels) > max(2.0, NAMES_RECORDS * known)


def _evenly(names: Sequence[str]) -> list[str]:
    """Return as many names as pairs are made of, spread evenly over the table."""
    return [names[k] for k in np.linspace(0, len(names) - 1, MOST_COLUMNS).round().astype(int).tolist()]


def _compare_all(columns: Sequence[Paired]) -> tuple[list[Pair], npt.NDArray[np.bool_]]:
    pairs = []
    rows = np.zeros(len(columns[0].column.after) if columns else 0, bool)
    for first, second in combinations(columns, 2):
        pair = compare_pair(first, second)
        if pair.impossible is not None:
            rows |= pair.impossible
        pairs.append(Pair(pair.result, pair.changed, pair.related, None, pair.by_chance))
    return pairs, rows


def _judge(columns: dict[str, ColumnFidelity], pairs: Sequence[Pair]) -> None:
    """Say which columns are usable: among those no pair is broken.

    A pair is broken by one of its columns. Those whose own values moved go first; of the others the one with the most
    broken pairs, until no pair is broken.
    """
    broken = [pair for pair in pairs if pair.result.broken]
    count = Counter(name for pair in broken for name in pair.result.columns)
    held = {name for name, column in columns.items() if column.usable}
    fault: set[str] = set()
    while left := [pair for pair in broken if set(pair.result.columns) <= held - fault]:
        each: Counter[str] = Counter()
        for pair in left:
            each.update(dict.fromkeys(pair.result.columns, 1))
        change = {name: sum(pair.changed for pair in left if name in pair.result.columns) for name in each}
        fault.add(max(each, key=lambda name: (each[name], change[name])))
    for name, column in columns.items():
        scores = [p.result.score for p in pairs if name in p.result.columns and p.result.score is not None]
        issues = [*column.issues, *(["pairs_broken"] if name in fault else [])]
        columns[name] = column.model_copy(
            update={"pairs": _mean(scores), "broken_pairs": count[name], "issues": issues, "usable": not issues}
        )


def damage(column: ColumnFidelity, name: str, pairs: Sequence[Pair]) -> float:
    """Return by how much the worst of a column is off; columns that are usable come last."""
    own = [column.moved or 0.0, abs(column.missing_after - (column.missing_before or 0.0))]
    own += [abs(level.after - (level.before or 0.0)) for level in column.levels]
    own += [pair.changed for pair in pairs if name in pair.result.columns] if "pairs_broken" in column.issues else []
    return max(own) + (0.0 if column.usable else 1.0)


def _mean(values: Sequence[float]) -> float | None:
    return round(float(np.mean(values)), 4) if len(values) else None


def _notes(rows: int, columns: int, kept: int, related: int) -> list[str]:
    notes = []
    if rows > MOST_ROWS:
        notes.append(f"Pairs of columns were compared on {MOST_ROWS:,} of {rows:,} rows, chosen at random.")
    if columns > kept:
        notes.append(f"Pairs leave out {columns - kept} of {columns} columns, whose values name records.")
    if kept > related:
        notes.append(f"Pairs were compared among {related} of {kept} columns, spread evenly over the table.")
    return notes
