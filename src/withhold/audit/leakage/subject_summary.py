"""What the records of a subject say together: level, spread, extremes, steps and trend of each column, and times."""

import numpy as np

from withhold.audit.statistics.arrays import Codes, Matrix, Reals

# Columns of the release that are summarised: each gives a column for each statistic.
WIDEST = 256
# A column that is the same in all but fewer records than these has nothing to summarise: a level of its own for each
# text costs as much as a measurement.
LEAST_RECORDS = 10
# Records that are asked for a value that comes again before all are.
PROBED = 20_000


def describe(matrix: Matrix, of: Codes, when: Reals) -> Matrix:
    """Return statistics over the records of each subject, of each column that varies, and of the times of its records.

    Parameters
    ----------
    matrix : ndarray of shape (n, p)
        Columns without missing values.
    of : ndarray of int, shape (n,)
        Subject of each record, 0..k-1.
    when : ndarray of shape (n,)
        Time of each record, or its place in the file.

    Returns
    -------
    ndarray of float32, shape (k, at most 7 min(p, 256) + 5)
        For each column that varies mean, spread, least and largest (of flags the mean alone), how many records hold a
        value that an earlier one of the subject holds (where only some do), mean step from one record to the next, and
        trend; then the number of records, the first time, the mean gap between two, how the gaps differ, and the same
        against their mean.

    Examples
    --------
    >>> table = describe(np.array([[1.0], [3.0], [5.0]], np.float32), np.array([0, 0, 1]), np.array([0.0, 1.0, 2.0]))
    >>> table[0, :6].tolist()
    [2.0, 1.0, 1.0, 3.0, 2.0, 1.0]
    """
    order = np.lexsort((when, of))
    owner, counts = of[order], np.bincount(of)
    start = np.r_[0, np.cumsum(counts)[:-1]]
    place = np.arange(len(of)) - np.repeat(start + (counts - 1) / 2, counts)
    reach = np.repeat(np.maximum((counts - 1) / 2, 0.5), counts)
    between = np.maximum(counts - 1, 1)
    columns: list[Reals] = []
    for column in varied(matrix)[:WIDEST]:
        values = column[order].astype(np.float64)
        mean = np.add.reduceat(values, start) / counts
        off = values - np.repeat(mean, counts)
        spread = np.sqrt(np.maximum(np.add.reduceat(off**2, start) / counts, 0.0))
        step = np.abs(np.diff(values, prepend=values[:1]))
        step[start] = 0.0
        trend = np.add.reduceat(off * place / reach, start) / counts
        columns.append(mean)
        # Whether a flag is set ever, or always, and how it spreads, stands in its mean.
        if not ((column == column.min()) | (column == column.max())).all():
            columns += [spread, np.minimum.reduceat(values, start), np.maximum.reduceat(values, start)]
            if repeats(values[:PROBED], owner[:PROBED]).any():
                again = repeats(values, owner)
                columns += [again] if again.sum() < len(values) - len(counts) else []
        columns += [np.add.reduceat(step, start) / between, trend]
    times = when[order].astype(np.float64)
    gaps = np.diff(times, prepend=times[:1])
    gaps[start] = 0.0
    mean_gap = np.add.reduceat(gaps, start) / between
    spread_gap = np.sqrt(np.maximum(np.add.reduceat(gaps**2, start) / between - mean_gap**2, 0.0))
    uneven = np.log1p(spread_gap) - np.log1p(mean_gap)
    columns += [np.log(counts), times[start], np.log1p(mean_gap), np.log1p(spread_gap), uneven]
    return np.asarray(np.column_stack(columns), dtype=np.float32)


def repeats(values: Reals, of: Codes) -> Reals:
    """Return how many records of each subject hold a value that another one before holds.

    Examples
    --------
    >>> repeats(np.array([5.0, 7.0, 5.0, 5.0]), np.array([0, 0, 0, 1])).tolist()
    [1.0, 0.0]
    """
    order = np.lexsort((values, of))
    again = (np.diff(values[order]) == 0) & (np.diff(of[order]) == 0)
    return np.bincount(of[order[1:]][again], minlength=int(of.max()) + 1).astype(np.float64)


def varied(matrix: Matrix) -> list[Matrix]:
    """Return the columns that differ from their median in enough records; of few records, in one.

    Examples
    --------
    >>> matrix = np.column_stack([np.arange(100), np.arange(100) == 7]).astype(np.float32)
    >>> len(varied(matrix))
    1
    """
    least = min(LEAST_RECORDS, max(1, len(matrix) // LEAST_RECORDS))
    return [column for column in matrix.T if np.count_nonzero(column != np.median(column)) >= least]
