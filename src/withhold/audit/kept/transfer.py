"""What a model trained on a release is worth on originals, beside one trained on what no record has a part in.

A release made by a conditional generator predicts its class very well, with or without records: it was made from it.
What counts is how a model that learned from the release does on real records, and whether one that learned from the
generator alone, under the same classes, does as well: the no-record control.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.audit.effort import USUAL, find_effort
from withhold.audit.kept.utility import LEAST_ROWS, score_of, trained_and_tested
from withhold.audit.view.view import AttackView
from withhold.contracts.audit_record import TransferResult
from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute
from withhold.data.splits import split_rows
from withhold.training.session import one_thread

TESTED, MOST_TESTED = 0.3, 3_000


def transfer(
    attribute: Attribute,
    original: pa.Table,
    release: pa.Table,
    no_record: pa.Table | None = None,
    *,
    groups: NDArray[np.int64] | None = None,
    effort: str = USUAL,
    seed: int = 0,
) -> TransferResult | None:
    """Train on originals, release and control of some records and test on the originals of others.

    Parameters
    ----------
    attribute : Attribute
        What is predicted; the class of each record, also of its release and its control.
    original, release, no_record : pyarrow.Table
        Row for row, with the same columns.
    groups : ndarray of int, optional
        Subject of each record; none stands on both sides.
    effort : {"quick", "standard", "thorough"}

    Returns
    -------
    TransferResult or None
        None for other columns, for few records, or where the attribute does not vary.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=400)
    >>> original, noise = pa.table({"x": y + 0.1 * rng.normal(size=400)}), pa.table({"x": rng.normal(size=400)})
    >>> found = transfer(read_attributes(y)[0], original, original, noise, effort="quick")
    >>> found.original > 0.95, found.release > 0.95, found.no_record < 0.8
    (True, True, True)
    """
    tables = [original, release, *([] if no_record is None else [no_record])]
    n = original.num_rows
    if any(set(table.column_names) != set(original.column_names) or table.num_rows != n for table in tables):
        return None
    knobs, rng = find_effort(effort), stream(seed, "audit", "transfer", attribute.name)
    strata = attribute.codes if attribute.kind == "categorical" else None
    train, test = split_rows(n, TESTED, rng, groups, strata)
    train, test = rng.permutation(train)[: knobs.transfer_rows], rng.permutation(test)[:MOST_TESTED]
    train, test = train[attribute.known[train]], test[attribute.known[test]]
    truth = attribute.codes if attribute.kind == "categorical" else attribute.values
    if min(len(train), len(test)) < LEAST_ROWS or min(len(np.unique(truth[part])) for part in (train, test)) < 2:
        return None
    # One view of all, so that a column is read the same way everywhere.
    stacked = pa.concat_tables([table.select(original.column_names).cast(original.schema) for table in tables])
    with one_thread():
        view = AttackView.fit(stacked, row_order=False)
        rows = np.tile(np.arange(n), len(tables))
        repeated = attribute.take(rows)
        scores = [
            score_of(
                attribute,
                truth[test],
                trained_and_tested(repeated, view, train + k * n, test, knobs, int(rng.integers(2**62))),
            )
            for k in range(len(tables))
        ]
    return TransferResult(original=scores[0], release=scores[1], no_record=scores[2] if len(scores) > 2 else None)
