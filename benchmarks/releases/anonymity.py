"""A small k-anonymiser: Mondrian multidimensional generalisation (K. LeFevre, D. DeWitt, R. Ramakrishnan, ICDE 2006).

The records are cut again and again at the median of the column that still varies most, as long as both halves keep k
records; within a part every quasi-identifier is replaced by its range, or by the set of its values.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd


def parts(ranks: np.ndarray, rows: np.ndarray, k: int) -> Iterator[np.ndarray]:
    """Yield row numbers of parts of at least k records; `ranks` are columns scaled to [0, 1]."""
    spread = np.ptp(ranks[rows], axis=0)
    for column in np.argsort(-spread):
        if spread[column] == 0:
            break
        left = ranks[rows, column] <= np.median(ranks[rows, column])
        if left.all():
            left = ranks[rows, column] < ranks[rows, column].max()
        if k <= left.sum() <= len(rows) - k:
            yield from parts(ranks, rows[left], k)
            yield from parts(ranks, rows[~left], k)
            return
    yield rows


def anonymise(table: pd.DataFrame, quasi: list[str], k: int) -> pd.DataFrame:
    """Return the table with the columns `quasi` generalised so that every combination occurs at least k times."""
    codes = {}
    for name in quasi:
        column = table[name]
        codes[name] = column.rank(method="dense") if column.dtype.kind in "if" else pd.factorize(column, sort=True)[0]
    ranks = np.column_stack([np.asarray(codes[name], dtype=float) for name in quasi])
    ranks = (ranks - ranks.min(axis=0)) / np.maximum(np.ptp(ranks, axis=0), 1)
    out = {name: np.empty(len(table), dtype=object) for name in quasi}
    for rows in parts(ranks, np.arange(len(table)), k):
        for name in quasi:
            values = table[name].iloc[rows]
            if values.dtype.kind in "if":
                out[name][rows] = f"{values.min()}-{values.max()}" if values.min() < values.max() else f"{values.min()}"
            else:
                out[name][rows] = "|".join(sorted(values.astype(str).unique()))
    return table.assign(**out)
