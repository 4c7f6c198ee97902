"""A higher effort holds the lower ones: what each reads, weighed against the others on rows nobody was fitted on.

Each effort has folds and inner rows of its own, so that what it reached on them depends on which rows they are:
choosing by it took a worse attacker that had easier rows. Here the guesses of all efforts are averaged instead, each
with the attacker that it chose, and the weights are fitted on rows that all of them guess. The logarithm of an average
is at least the average of the logarithms: what is lost against the best effort is little where they differ little, and
where they differ the rows tell. Where an effort alone still reads more than the average, the worse counts, as it does
among parts of a release: more effort never reads less. That choice sees the scored records and errs towards more
leakage; the interval covers all attackers together, so that it covers the choice where an effort keeps to one of them.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.special import logsumexp

from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.statistics.arrays import Codes, Reals

NAME = "mixture of efforts"
# So many rows count for each effort before any is seen; passes of the fit.
PRIOR_ROWS, PASSES = 1.0, 100


def over_efforts(found: Mapping[str, LogRatios]) -> LogRatios:
    """Return what all efforts read and, chosen among them, the weighted average of their guesses.

    Parameters
    ----------
    found : mapping of str to LogRatios
        By effort, the highest last; all scored the same records.

    Returns
    -------
    LogRatios
        The average first, or the effort that alone reads more; attackers of the lower efforts under names with " at "
        and the effort. None of them is chosen alone.
    """
    *lower, highest = found.values()
    if not lower:
        return highest
    efforts = [highest, *lower]
    guesses = np.column_stack([one.best() for one in efforts])
    weights = _weights(efforts)
    alone = guesses.mean(axis=0)
    if alone.max() > _mixed(guesses, weights).mean():
        weights = np.broadcast_to(alone == alone.max(), weights.shape) / np.count_nonzero(alone == alone.max())
    everyone = highest
    for name, one in list(found.items())[:-1]:
        everyone = everyone.with_columns(one, f" at {name}")
    everyone = replace(everyone, inner=np.full_like(everyone.inner, -np.inf))
    reached = np.column_stack([one.inner[np.arange(len(one.rows)), one.chosen] for one in efforts])
    average = LogRatios(
        highest.rows,
        (NAME,),
        _mixed(guesses, weights)[:, None],
        np.array([min(float(one.least[one.chosen].min(initial=0.0)) for one in efforts)]),
        max(one.most for one in efforts),
        (weights * reached).sum(axis=1, keepdims=True),
        _tables(efforts, weights),
        highest.truth,
        seconds={NAME: 0.0},
    )
    # Inner rows differ between efforts, so that records of a subject are added up as the highest read them.
    return replace(average.with_columns(everyone, ""), parts=highest.parts)


def _mixed(guesses: Reals, weights: Reals) -> Reals:
    """Return the logarithm of the weighted average of guesses given as log-ratios, both of shape (m, e)."""
    return np.asarray(logsumexp(guesses, axis=1, b=weights))


def _weights(efforts: list[LogRatios]) -> Reals:
    """Return the weight of each effort for each record, shape (m, e).

    A record's weights hang on no guess that was fitted, calibrated or chosen with it: they are fitted on rows that each
    effort either held out or scored in the record's fold, and at least one of them held out.
    """
    n = int(efforts[0].rows.max(initial=-1)) + 1
    folds = np.column_stack([_folds(one) for one in efforts])
    said = [_said(one, n) for one in efforts]
    weights = np.full(folds.shape, 1.0 / len(efforts))
    cells, of = np.unique(folds, axis=0, return_inverse=True)
    for number, cell in enumerate(cells):
        guesses = [one.get(fold) for one, fold in zip(said, cell.tolist(), strict=True)]
        held = [guess for guess in guesses if guess is not None]
        if len(held) < len(efforts):
            continue
        ratios = np.column_stack([ratio for ratio, _ in held])
        usable = np.isfinite(ratios).all(axis=1) & np.any([inner for _, inner in held], axis=0)
        weights[of.ravel() == number] = fit_weights(ratios[usable])
    return weights


def _folds(one: LogRatios) -> Codes:
    """Return the fold of each record; -1 where nothing was held out of it."""
    fold = np.full(len(one.rows), -1)
    for number, part in enumerate(one.held):
        fold[(fold < 0) & np.isin(one.rows, part.scored, assume_unique=True)] = number
    return fold


def _said(one: LogRatios, n: int) -> dict[int, tuple[Reals, np.ndarray]]:
    """Return, by fold, log-ratios of all rows that the chosen attacker was not fitted on, and which were held out."""
    fold, best, chosen, found = _folds(one), one.best(), one.chosen, {}
    for number in np.unique(fold[fold >= 0]).tolist():
        here = fold == number
        name = one.names[int(chosen[here][0])]
        scored = one.held[number].scored
        part = next((p for p in one.held if name in p.values and np.array_equal(p.scored, scored)), None)
        if part is None:
            continue
        ratio, inner = np.full(n, np.nan), np.zeros(n, bool)
        ratio[one.rows[here]] = best[here]
        known = part.rows < n
        ratio[part.rows[known]], inner[part.rows[known]] = part.values[name][known], True
        found[number] = ratio, inner
    return found


def fit_weights(ratios: Reals) -> Reals:
    """Return the weights of an average of guesses by penalised maximum likelihood.

    Parameters
    ----------
    ratios : ndarray of shape (n, e)
        log q(s|z) - log p(s) at the true s.

    Examples
    --------
    >>> fit_weights(np.zeros((0, 2))).tolist()
    [0.5, 0.5]
    >>> fit_weights(np.tile([0.3, -0.3], (500, 1))).round(2).tolist()
    [1.0, 0.0]
    """
    efforts = ratios.shape[1]
    weights = np.full(efforts, 1.0 / efforts)
    for _ in range(PASSES if len(ratios) else 0):
        shares = np.log(weights) + ratios
        shares = np.exp(shares - logsumexp(shares, axis=1, keepdims=True))
        weights = (shares.sum(axis=0) + PRIOR_ROWS) / (len(ratios) + PRIOR_ROWS * efforts)
    return weights


def _tables(efforts: list[LogRatios], weights: Reals) -> dict[str, Reals]:
    """Return the average for every class, where S has classes."""
    tables = []
    for one in efforts:
        names = [one.names[k] for k in np.unique(one.chosen)]
        if any(name not in one.classes for name in names):
            return {}
        table = np.empty_like(one.classes[names[0]])
        for k, name in zip(np.unique(one.chosen), names, strict=True):
            table[one.chosen == k] = one.classes[name][one.chosen == k]
        tables.append(table)
    both = logsumexp(np.stack(tables), axis=0, b=weights.T[:, :, None])
    return {NAME: np.asarray(both, dtype=np.float32)}
