"""What the order of rows tells: an attacker that reads no column, only where a row stands and who stands beside it.

Matched studies are stored case by case with their controls, households row by row, sites one after the other. Whoever
knows S of some rows then knows it of their neighbours, whatever was done to the columns.
"""

import time
from collections.abc import Iterator
from itertools import chain, repeat

import numpy as np

from withhold.audit.design import Design
from withhold.audit.leakage.crossfit import join_pieces, piece_of, smoothed_log_prior
from withhold.audit.leakage.log_ratios import HeldRows, InnerPart, LogRatios
from withhold.audit.leakage.shuffles import places_before
from withhold.audit.leakage.subjects import constant_within
from withhold.audit.statistics.arrays import Codes, Reals
from withhold.information.calibration import fit_calibration

NAME = "order"
BLOCKS = 32
# Repeating patterns (controls follow cases, left follows right) are looked for at these periods, and at the longer ones
# at which classes agree most (the wells of a plate, the days of a year).
PERIODS, LONGER = tuple(range(2, 13)), 2
# Fewer rows have no order to speak of.
LEAST_ROWS = 20
# Rows of prior mixed into each cell of a lookup: a cell seen once says little.
PRIOR_ROWS = 1.0
# Cells of both neighbours together, beyond which each is looked at alone.
MOST_CELLS = 400
# Classes whose agreement over distances is looked at, and what is left of none by rounding.
MOST_CLASSES, ROUNDING = 16, 1e-9
# How often a pattern must come again, and the share of a multiple's agreement that makes a part of it the period.
LEAST_REPEATS, NEARLY = 4, 0.7
# A file was hardly ever shuffled with the seed that is tried: standard errors by which such an order must do better.
ERRORS = 4.0
# Records of a row's own subject that are passed over before it counts as without neighbour.
MOST_STEPS = 100


def patterns(seen: Codes, fitted: Codes, groups: Codes | None = None) -> Iterator[Codes]:
    """Yield ways to cut rows into cells by their position, and by the nearest classes above and below that are known.

    Parameters
    ----------
    seen : ndarray of int, shape (n,)
        Class of each row, -1 where the attacker does not know it.
    fitted : ndarray of int
        Rows from which periods are learned.
    groups : ndarray of int, optional
        Subjects: records of a row's own subject are passed over, as nobody is scored whose other records are known.

    Examples
    --------
    >>> *_, beside = patterns(np.array([0, -1, 1, 1]), np.array([0, 2, 3]))
    >>> len(set(beside[:2].tolist())), len(list(patterns(np.zeros(40, int), np.arange(40))))
    (2, 13)
    """
    n = len(seen)
    position = np.arange(n)
    yield position * min(BLOCKS, max(1, n // 10)) // n
    yield from (position % period for period in (*PERIODS, *longer_periods(seen, fitted)))
    yield from _beside(seen, groups)


def before_shuffles(seen: Codes) -> Iterator[Codes]:
    """Yield such ways for rows as they stood before each shuffle with a common seed."""
    n = len(seen)
    for before in places_before(n):
        yield before * min(BLOCKS, max(1, n // 10)) // n
        order = np.argsort(before)
        for cells in _beside(seen[order], None):
            yield cells[before]


def _beside(seen: Codes, groups: Codes | None) -> Iterator[Codes]:
    """Yield cells by the nearest known classes above and below each row."""
    above, below = _nearest(seen, groups), _nearest(seen[::-1], None if groups is None else groups[::-1])[::-1]
    classes = int(seen.max(initial=0)) + 2
    if classes**2 <= MOST_CELLS:
        yield above * classes + below
    else:
        yield above
        yield below


def longer_periods(s: Codes, rows: Codes) -> list[int]:
    """Return the distances beyond `PERIODS` at which classes of known rows agree most, and stand out most.

    The second because rows that lie in blocks agree at every short distance.

    Parameters
    ----------
    s : ndarray of int, shape (n,)
        Class codes.
    rows : ndarray of int
        Rows whose class is known.

    Examples
    --------
    >>> s = np.tile(np.arange(40) < 7, 30).astype(int)
    >>> 40 in longer_periods(s, np.random.default_rng(0).permutation(1200)[:600])
    True
    """
    n, first = len(s), PERIODS[-1] + 1
    last = n // LEAST_REPEATS
    if last <= first + 1 or not len(rows):
        return []
    known = np.zeros(n)
    known[rows] = 1.0
    agreement = np.zeros(last + 2)
    for level in np.unique(s[rows])[:MOST_CLASSES]:
        here = np.where((s == level) & (known > 0), 1.0, 0.0)
        agreement += _at_distance(here - known * here.sum() / known.sum(), last + 2)
    agreement /= np.sqrt(np.maximum(_at_distance(known, last + 2), 1.0))
    inside = agreement[first : last + 1]
    peaks = inside - (agreement[first - 1 : last] + agreement[first + 1 : last + 2]) / 2
    if np.ptp(agreement) < ROUNDING:
        return []
    chosen = [first + int(i) for score in (inside, peaks) for i in np.argsort(-score, kind="stable")[:LONGER]]
    return list(dict.fromkeys(_shortest(period, agreement) for period in chosen))


def _shortest(period: int, agreement: Reals) -> int:
    """Return the shortest part of a period that is nearly one itself: all its multiples are."""
    parts = [period // k for k in range(2, period // PERIODS[-1]) if period % k == 0]
    return min((part for part in parts if agreement[part] > NEARLY * agreement[period]), default=period)


def _at_distance(values: Reals, many: int) -> Reals:
    """Return sum over i of values[i] values[i + d] for d = 0, 1, ..., by the fast Fourier transform."""
    spectrum = np.fft.rfft(values, 2 * len(values))
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, 2 * len(values))[:many])


def stretches(s: Codes, groups: Codes | None) -> tuple[Codes, Codes]:
    """Return the row that stands for each stretch of rows of one subject, and the stretch of each row.

    That rows of a subject stand together tells nothing of a subject whose class nobody knows. Where no subjects are
    given, or classes differ within one, every row is a stretch of its own.

    Parameters
    ----------
    s : ndarray of int, shape (n,)
        Class of each row, -1 where unknown.

    Examples
    --------
    >>> stretches(np.array([-1, 1, 0, 0]), np.array([7, 7, 3, 3]))
    (array([1, 2]), array([0, 0, 1, 1]))
    """
    rows = np.arange(len(s))
    if groups is None or not constant_within(groups, s):
        return rows, rows
    of = np.cumsum(np.r_[True, groups[1:] != groups[:-1]]) - 1
    # The first row of a known class stands for the stretch; the first of all where none is known.
    order = np.lexsort((rows, s < 0, of))
    return order[np.unique(of[order], return_index=True)[1]], of


def attack_order(s: Codes, classes: int, design: Design) -> LogRatios | None:
    """Attack class codes by the order of rows alone; in each fold with the pattern that did best on inner rows.

    Parameters
    ----------
    s : ndarray of int, shape (n,)
        Class codes, -1 where unknown.
    design : Design
        Folds. What is known of neighbours are the classes of rows that attackers may train on.

    Returns
    -------
    LogRatios or None
        None where too few rows have an order to speak of.

    Examples
    --------
    >>> from withhold.audit.effort import find_effort
    >>> rng, everyone = np.random.default_rng(0), np.ones(900, bool)
    >>> folds = rng.integers(5, size=900)
    >>> design = Design(folds, None, tuple(range(5)), everyone, everyone, find_effort("quick"), 0)
    >>> found = attack_order((np.arange(900) % 3 == 0).astype(int), 2, design)
    >>> float(found.best().mean()) > 0.6
    True
    """
    if len(s) < LEAST_ROWS:
        return None
    known, started = s >= 0, time.process_time()
    rows, of = stretches(s, design.groups)
    alone, groups = s[rows], None if design.groups is None else design.groups[rows]
    pieces = []
    for number, train, test in design.folds(known):
        log_prior = smoothed_log_prior(s[train], classes)
        fitted, held = design.inner(train, s, number)
        seen = np.where(known & design.trainable & (design.fold != number), s, -1)[rows]
        learned, watched = np.unique(of[fitted]), np.unique(of[held])
        best, inner = np.zeros((len(rows), classes)) + log_prior, -np.inf
        # Subjects are stretches of rows here, and a shuffle moved rows.
        shuffled = before_shuffles(seen) if groups is None else ()
        for cells, errors in chain(zip(patterns(seen, learned, groups), repeat(0.0)), zip(shuffled, repeat(ERRORS))):
            guess = _lookup(cells, alone, learned, log_prior)
            reached = float((guess - log_prior)[watched, alone[watched]].mean()) if len(watched) else 0.0
            # A mean of k nats over m rows has a standard error of about sqrt(2 k / m).
            if reached - errors * np.sqrt(2 * max(0.0, reached) / max(1, len(watched))) > inner:
                best, inner = guess, reached
        calibration = fit_calibration(best[watched], alone[watched], log_prior)
        ratio = calibration.apply(best[of[held]]) - log_prior
        said = HeldRows(test, held, {NAME: ratio[np.arange(len(held)), s[held]]})
        tables = {NAME: calibration.apply(best[of[test]]) - log_prior}
        part = InnerPart(test, held, s[held], {NAME: ratio.astype(np.float32)})
        parts = () if design.groups is None else (part,)
        pieces.append(piece_of(test, s[test], tables, said, log_prior, parts))
    return join_pieces(pieces, [NAME], {}, {NAME: time.process_time() - started}) if pieces else None


def _lookup(cells: Codes, s: Codes, rows: Codes, log_prior: Reals) -> Reals:
    """Return log-probabilities of all rows from the classes of `rows` in the same cell."""
    counts = np.zeros((int(cells.max()) + 1, len(log_prior)))
    np.add.at(counts, (cells[rows], s[rows]), 1.0)
    posterior = (counts + PRIOR_ROWS * np.exp(log_prior)) / (counts.sum(axis=1, keepdims=True) + PRIOR_ROWS)
    return np.asarray(np.log(posterior)[cells])


def _nearest(seen: Codes, groups: Codes | None) -> Codes:
    """Return the last known class above each row, plus one; 0 where there is none."""
    position = np.where(seen >= 0, np.arange(len(seen)), -1)
    above = np.r_[-1, np.maximum.accumulate(position)[:-1]]
    last = above
    if groups is not None:
        for _ in range(MOST_STEPS):
            own = (last >= 0) & (groups[last] == groups)
            if not own.any():
                break
            last = np.where(own, above[last], last)
        last = np.where((last >= 0) & (groups[last] == groups), -1, last)
    return np.where(last < 0, 0, seen[np.maximum(last, 0)] + 1)
