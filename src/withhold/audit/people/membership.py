"""Membership: whether the rows a sanitiser was fitted on can be told from those it never saw.

A sanitiser that learned its rows by heart treats them differently: it keeps them better, or hides them better. Two
attackers try: one has the release, one has the originals too and sees how far each record was moved. Parts that differ
in the first place are told apart without any release, so the originals alone are attacked for comparison. The order of
rows is not used: where the fit part stands first in the file, order alone tells all.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.audit.design import Design
from withhold.audit.leakage.attack import Panel, attack
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.parts import Judge, guess_scores
from withhold.audit.people.correspondence import Correspondence
from withhold.audit.statistics.arrays import Codes, Reals
from withhold.audit.view.shared_columns import SharedColumns
from withhold.audit.view.view import AttackView, whiten
from withhold.contracts.seeds import stream
from withhold.contracts.threats import MembershipResult
from withhold.data.attribute import Attribute
from withhold.data.splits import fold_numbers, split_rows

# Fewer rows on either side and nothing is said.
LEAST_ROWS = 20
# Rows attacked are within these numbers, by the columns and the effort.
FEWEST, MOST_ROWS = 2_000, 20_000
# Columns whose deviations are given one by one; beyond that their sum is.
MOST_DEVIATIONS = 200

RELEASE, BOTH = "release", "release and original"


def membership(
    release: pa.Table,
    original: pa.Table | None,
    fit_rows: NDArray[np.bool_],
    panel: Panel,
    design: Design,
    level: float = 0.95,
) -> MembershipResult | None:
    """Attack "was fitted on".

    Parameters
    ----------
    release, original : pyarrow.Table
        The same records, row for row, without the columns judged apart.
    fit_rows : ndarray of bool, shape (n,)
        Rows the sanitiser was fitted on.
    panel : Panel
        Those of them that the effort names are used.
    design : Design
        Its effort, subjects and seed; folds are made here.
    level : float
        Of the intervals.

    Returns
    -------
    MembershipResult or None
        None where either part has too few rows.
    """
    design, rows = _design(np.asarray(fit_rows, bool), release, original, design)
    member = np.asarray(fit_rows, bool)[rows]
    if min(member.sum(), (~member).sum()) < LEAST_ROWS:
        return None
    judge = Judge(level, design.seed, design.groups, {"all": np.ones(len(rows), bool)})
    panel = replace(panel, classes=panel.only(*design.effort.membership_panel).classes)
    target = Attribute("membership", "categorical", member.astype(np.int64), np.full(len(rows), np.nan), ("no", "yes"))

    def found(table: pa.Table, purpose: str) -> LogRatios:
        return attack(AttackView.fit(table, row_order=False), target, panel, design, f"membership {purpose}")

    after = release.take(pa.array(rows))
    attacks = {RELEASE: found(after, RELEASE)}
    control = excess = None
    if original is not None and original.num_columns:
        before = original.take(pa.array(rows))
        control = found(before, "original")
        attacks[BOTH] = found(_side_by_side(before, after, design), BOTH)
        excess = judge.worst(judge.read(attacks[BOTH].minus(control.best())), "estimate")
    # The level is shared by the attacks of which the best is reported.
    shared = replace(judge, level=1.0 - (1.0 - level) / len(attacks))
    quantities = {name: shared.worst(shared.read(ratios)) for name, ratios in attacks.items()}
    best = max(quantities, key=lambda name: quantities[name].value)
    accuracy, area, rate = _scores(judge, attacks[best])
    return MembershipResult(
        leakage=quantities[best].model_copy(update={"level": level}),
        balanced_accuracy=accuracy,
        auc=area,
        tpr_at_1pct_fpr=rate,
        members=int(member.sum()),
        others=int((~member).sum()),
        attacker=f"{quantities[best].attacker} on {best}",
        attacks=quantities,
        control=None if control is None else judge.worst(judge.read(control)),
        excess=excess,
        control_balanced_accuracy=None if control is None else _scores(judge, control)[0],
        entropy=target.entropy(),
    )


def _design(
    member: NDArray[np.bool_], release: pa.Table, original: pa.Table | None, design: Design
) -> tuple[Design, Codes]:
    """Return folds for this attack and the rows it is made on: all, or a random part of whole subjects."""
    rng = stream(design.seed, "audit", "membership")
    n, width = len(member), release.num_columns + (0 if original is None else 2 * original.num_columns)
    most = int(np.clip(design.effort.membership_entries / max(1, width), FEWEST, MOST_ROWS))
    rows = np.arange(n)
    if n > most:
        rows = split_rows(n, most / n, rng, design.groups, member.astype(np.int64))[1]
    groups = None if design.groups is None else design.groups[rows]
    units = len(rows) if groups is None else len(np.unique(groups))
    folds = max(2, min(3, units // 2))
    fold = fold_numbers(len(rows), folds, rng, groups, member[rows].astype(np.int64))
    everywhere = np.ones(len(rows), bool)
    made = replace(
        design, fold=fold, groups=groups, scored_folds=tuple(range(folds)), trainable=everywhere, scorable=everywhere
    )
    return made, rows


def _side_by_side(before: pa.Table, after: pa.Table, design: Design) -> pa.Table:
    """Return both records of each row, and how far one lies from the other and from what was to be expected."""
    columns = {f"released {name}": after.column(name) for name in after.column_names}
    columns |= {f"original {name}": before.column(name) for name in before.column_names}
    shared = SharedColumns.of(before, after)
    if shared.names:
        moved = np.abs(shared.scores[1] - shared.scores[0])
        changed = shared.exact[1] != shared.exact[0]
        columns |= {"moved": pa.array((moved**2).sum(axis=1)), "changed columns": pa.array(changed.sum(axis=1))}
        if moved.shape[1] <= MOST_DEVIATIONS:
            columns |= {f"moved {j}": pa.array(moved[:, j]) for j in range(moved.shape[1])}
        if changed.shape[1] <= MOST_DEVIATIONS:
            columns |= {f"changed {j}": pa.array(changed[:, j]) for j in range(changed.shape[1])}
    surprise = _surprise(before, after, design)
    if surprise is not None:
        columns["surprise"] = pa.array(surprise)
    return pa.table(columns)


def _surprise(before: pa.Table, after: pa.Table, design: Design) -> Reals | None:
    """Return the length of each record's deviation from what other records lead to expect, fold by fold."""
    X, Z = (whiten(AttackView.fit(table, row_order=False).dense) for table in (before, after))
    if not X.shape[1] or not Z.shape[1]:
        return None
    out = np.zeros(len(X))
    for number in design.scored_folds:
        train, test = np.flatnonzero(design.fold != number), np.flatnonzero(design.fold == number)
        found = Correspondence.fit(X[train], Z[train], stream(design.seed, "audit", "membership", "map", number))
        out[test] = (found.deviations(X[test], Z[test]) ** 2).sum(axis=1)
    return np.asarray(np.log(out + 1e-12))


def _scores(judge: Judge, found: LogRatios) -> tuple[float | None, float | None, float | None]:
    columns = zip(*(guess_scores(judge, found, name) for name in found.names), strict=True)
    accuracy, area, rate = (max((v for v in column if v is not None), default=None) for column in columns)
    return accuracy, area, rate
