"""The attack on a table of subjects: how their records spread, how many there are, and where in the file they stand.

Sums over records of what each of them tells miss what only several records show: one class varies more from visit to
visit than the other, or comes more often. Here each subject is one row, and the panel attacks those rows.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_matrix

from withhold.audit.attackers.attacker import Attacker
from withhold.audit.design import Design
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.subject_summary import describe
from withhold.audit.leakage.subjects import LEAST_SUBJECTS, constant_within
from withhold.audit.statistics.arrays import Codes, Matrix, Reals
from withhold.audit.view.view import AttackView, whiten

# A column that varies less is constant; standard deviations beyond this many are outliers.
CONSTANT, CLIP = 1e-9, 5.0


def attack_subjects(
    dense: Matrix,
    keys: pa.Table | None,
    codes: Codes,
    classes: int,
    panel: Sequence[type[Attacker]],
    design: Design,
    when: Reals | None = None,
) -> LogRatios | None:
    """Attack an attribute that is the same in all records of a subject, one row for each subject.

    Parameters
    ----------
    dense : ndarray of shape (n, p)
        The release as indicators and scaled numbers.
    keys : pyarrow.Table or None
        Columns that name subjects: of each its first value is read.
    codes : ndarray of shape (n,)
        Class of each record; -1 where unknown.
    panel : list of Attacker types
        Who attacks.
    design : Design
        With its subjects.
    when : ndarray of shape (n,), optional
        Time of each record; without one its place in the file.

    Returns
    -------
    LogRatios or None
        About subjects, `rows` the first known record of each; None where subjects have one record each, are too few, or
        differ in S within themselves.
    """
    groups, known = design.groups, np.flatnonzero(codes >= 0)
    if groups is None or not constant_within(groups, codes):
        return None
    subjects, first, of = np.unique(groups[known], return_index=True, return_inverse=True)
    if len(subjects) < LEAST_SUBJECTS or len(subjects) == len(known):
        return None
    rows = known[first]
    inner = replace(
        design, fold=design.fold[rows], groups=None, trainable=design.trainable[rows], scorable=design.scorable[rows]
    )
    named = None if keys is None else AttackView.fit(keys.take(pa.array(rows)), row_order=False)
    times = known.astype(np.float64) if when is None else when[known]
    table = describe(dense[known], of, times)
    found = cross_fit(_Rows(table, named), codes[rows], classes, panel, inner, "subjects")
    order = np.argsort(rows[found.rows], kind="stable")
    return replace(found.take(order), rows=rows[found.rows][order])


class _Rows:
    """A table of subjects as attackers read it, beside what their names tell."""

    images = None
    links = None
    relations = None
    distances = None

    def __init__(self, table: Matrix, named: AttackView | None) -> None:
        scale = table.std(axis=0, dtype=np.float64)
        used = scale > CONSTANT
        standard = (table[:, used] - table[:, used].mean(axis=0, dtype=np.float64)) / scale[used]
        self.dense: Matrix = np.clip(standard, -CLIP, CLIP).astype(np.float32)
        self.ordinal: Matrix = table
        self.words: csr_matrix | None = None
        if named is not None:
            self.dense = np.hstack([self.dense, named.dense])
            self.ordinal = np.hstack([self.ordinal, named.ordinal])
            self.words = named.words
        self.whitened: Matrix = whiten(self.dense)
