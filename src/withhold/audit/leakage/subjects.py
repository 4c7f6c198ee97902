"""The attack on subjects: an attribute that is the same in all records of a person is read from all of them together.

A record may tell next to nothing while a hundred of them tell all. Log-ratios of the records of a subject are summed,
which is the best an attacker can do with records that are independent given the attribute, and then calibrated on
subjects of the inner part, because they rarely are: ten copies of one record tell no more than one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from withhold.audit.attackers.mixture import NAME as POOLED
from withhold.audit.attackers.mixture import pool
from withhold.audit.leakage.crossfit import join_pieces, smoothed_log_prior
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.parts import Judge, guess_scores
from withhold.audit.leakage.places import TABLE
from withhold.audit.statistics.arrays import Codes, Reals
from withhold.contracts.seeds import stream
from withhold.contracts.threats import SubjectResult
from withhold.data.shares import plug_in_entropy
from withhold.information.calibration import Calibration, fit_calibration

# Fewer subjects than this on the scored side, or a class of fewer, and an interval spans everything.
LEAST_SUBJECTS = 10


def subject_level(
    found: LogRatios, groups: Codes | None, judge: Judge, table: LogRatios | None = None
) -> SubjectResult | None:
    """Judge an attack on records as one on subjects.

    Parameters
    ----------
    found : LogRatios
        Of one categorical attribute, cross-fitted with subjects kept together.
    groups : ndarray of shape (n,) or None
        Subject of each row of the release.
    judge : Judge
        Of the records; its parts divide subjects too.
    table : LogRatios, optional
        What attackers of a table of subjects said of the same subjects.

    Returns
    -------
    SubjectResult or None
        None where the attribute is not constant within subjects, no subject has two records, or there are too few
        subjects.
    """
    if groups is None or found.truth is None or not constant_within(groups[found.rows], found.truth):
        return None
    subjects = np.unique(groups[found.rows])
    ratios = subject_log_ratios(found, groups, judge.seed)
    if ratios is None or len(subjects) == len(found.rows) or len(ratios.rows) < LEAST_SUBJECTS:
        return None
    if table is not None and np.array_equal(table.rows, ratios.rows):
        ratios = ratios.with_columns(table, TABLE)
    readings = judge.read(ratios)
    worst = judge.worst(readings)
    scores = [guess_scores(judge, ratios, name) for name in ratios.names]
    truth = ratios.truth if ratios.truth is not None else np.zeros(0, np.int64)
    counts = np.bincount(truth)
    return SubjectResult(
        leakage=worst,
        subjects=len(ratios.rows),
        rows_per_subject=len(found.rows) / len(ratios.rows),
        entropy=plug_in_entropy(counts),
        balanced_accuracy=max((a for a, _, _ in scores if a is not None), default=None),
        chance=1.0 / np.count_nonzero(counts),
        auc=max((a for _, a, _ in scores if a is not None), default=None),
        attacker=worst.attacker or "",
    )


def why_no_subjects(found: LogRatios, groups: Codes | None) -> str:
    """Say why an attribute was not attacked by subject, where `subject_level` gave nothing.

    Parameters
    ----------
    found : LogRatios
        Of one attribute.
    groups : ndarray of shape (n,) or None
        Subject of each row of the release.
    """
    if groups is None:
        return "No column was named that tells subjects (--groups COL, groups=): every record counts as one subject."
    if found.truth is None:
        return "The attribute is a number; records of a subject are only added up for classes."
    if not constant_within(groups[found.rows], found.truth):
        return "The attribute differs between the records of a subject, so that it belongs to records."
    if len(np.unique(groups[found.rows])) == len(found.rows):
        return "Every subject has one record, so that the attack on records is the attack on subjects."
    return f"Fewer than {LEAST_SUBJECTS} subjects could be scored."


def constant_within(groups: Codes, s: Codes) -> bool:
    """Whether each subject has one class only, among rows whose class is known.

    Examples
    --------
    >>> constant_within(np.array([4, 4, 7]), np.array([1, 1, 0])), constant_within(np.array([4, 4]), np.array([0, 1]))
    (True, False)
    """
    s, groups = s[s >= 0], groups[s >= 0]
    pairs = np.unique(np.column_stack([groups, s]), axis=0)
    return len(pairs) == len(np.unique(groups))


def subject_log_ratios(found: LogRatios, groups: Codes, seed: int = 0) -> LogRatios | None:
    """Sum log-ratios over the records of each subject and calibrate the sums, fold by fold.

    Parameters
    ----------
    found : LogRatios
        With its inner parts.
    groups : ndarray of shape (n,)
        Subject of each row of the release.
    seed : int
        Of the halving of inner subjects on which attackers are pooled.

    Returns
    -------
    LogRatios or None
        One record a subject; `rows` are the first scored record of each. None without inner parts.
    """
    names = tuple(name for name in found.names if any(name in part.classes for part in found.parts))
    if found.truth is None or not names:
        return None
    classes = next(iter(found.classes.values())).shape[1]
    pieces = []
    for number, part in enumerate(found.parts):
        here = np.isin(found.rows, part.scored)
        if not here.any():
            continue
        scored = _sums(groups[found.rows[here]], found.truth[here], {n: found.classes[n][here] for n in names})
        held = _sums(groups[part.rows], part.truth, part.classes)
        # The frequencies that attackers know are those of the subjects they were trained on.
        log_prior = smoothed_log_prior(_sums(groups[found.rows[~here]], found.truth[~here], {}).truth, classes)
        rng = stream(seed, "audit", "subjects", number)
        pieces.append(_piece(found.rows[here], scored, held, names, log_prior, rng))
    return join_pieces(pieces, list(pieces[0].names), found.failures, found.seconds) if pieces else None


@dataclass(frozen=True)
class _Sums:
    """Records gathered by subject: the first record, the class and the summed tables of each."""

    first: Codes
    truth: Codes
    tables: dict[str, Reals]


def _sums(groups: Codes, truth: Codes, tables: Mapping[str, np.ndarray]) -> _Sums:
    _, first, of = np.unique(groups, return_index=True, return_inverse=True)
    summed = {}
    for name, table in tables.items():
        summed[name] = np.zeros((len(first), table.shape[1]))
        np.add.at(summed[name], of, table)
    return _Sums(first, truth[first], summed)


def _piece(
    rows: Codes, scored: _Sums, held: _Sums, names: tuple[str, ...], log_prior: Reals, rng: np.random.Generator
) -> LogRatios:
    inner, tables, known = [], {}, {}
    for name in names:
        calibration, reached = Calibration(0.0, np.zeros(len(log_prior)), log_prior), 0.0
        if name in held.tables:
            calibration = fit_calibration(held.tables[name] + log_prior, held.truth, log_prior)
            known[name] = calibration.apply(held.tables[name] + log_prior) - log_prior
            reached = float(known[name][np.arange(len(held.truth)), held.truth].mean())
        tables[name] = calibration.apply(scored.tables[name] + log_prior) - log_prior
        inner.append(reached)
    if len(names) > 1:
        tables[POOLED], scores = pool(known, tables, held.truth, log_prior, rng)
        inner.append(float(scores.mean()))
    index = np.arange(len(scored.first))
    return LogRatios(
        rows[scored.first],
        tuple(tables),
        np.column_stack([table[index, scored.truth] for table in tables.values()]),
        np.array([table.min() for table in tables.values()]),
        float(-log_prior.min()),
        np.broadcast_to(np.array(inner), (len(index), len(tables))),
        {name: table.astype(np.float32) for name, table in tables.items()},
        scored.truth,
    )
