"""Fit a column of quantities: origin, end knots, score map, cells and grid."""

import datetime as dt

import numpy as np
import pyarrow as pa

from withhold.contracts.finding import Finding
from withhold.data.arrow_types import family, value_type
from withhold.data.columns.cells import NumericCells
from withhold.data.columns.column import Column
from withhold.data.columns.constant import ConstantColumn
from withhold.data.columns.description import Description
from withhold.data.columns.grid import Grid
from withhold.data.columns.numeric import NumericColumn, Scaling
from withhold.data.columns.score import ScoreMap, end_rows, end_values
from withhold.data.columns.storage import absent, integers, numbers, restore, to_plain_list

_EPOCH = dt.date(1970, 1, 1)
_TICKS_PER_DAY = {"s": 86400, "ms": 86400 * 10**3, "us": 86400 * 10**6, "ns": 86400 * 10**9}


def fit_quantity(
    description: Description, column: pa.ChunkedArray, scaling: Scaling, reference_date: dt.date | None
) -> tuple[Column, list[Finding]]:
    """Fit a column of numbers, dates, times, durations or decimals.

    Examples
    --------
    >>> from withhold.data.columns.description import describe
    >>> column = pa.chunked_array([list(range(1000))])
    >>> fitted, _ = fit_quantity(describe(pa.field("x", pa.int64()), column), column, "score", None)
    >>> fitted.range
    (9.0, 990.0)
    """
    name, kind = description.name, value_type(description.field.type)
    origin = _origin(column, kind, reference_date)
    values, missing = numbers(column, name, origin)
    ordered = np.sort(values if missing is None else values[~missing])
    beyond = end_rows(len(ordered))
    grid = Grid.of(_distinct(ordered[beyond - 1 : len(ordered) + 1 - beyond])[0], kind)
    low, high = end_values(ordered, grid.unit)
    unique, counts = _distinct(np.clip(ordered, low, high))
    if len(unique) == 1:
        exact = bool(ordered[0] == ordered[-1])
        text = (
            f"Column {name!r} has one value and tells nothing."
            if exact
            else f"All but a few rows of column {name!r} share one value; it is released as constant."
        )
        finding = Finding(code="constant_column", severity="warning", text=text, column=name)
        known = column.filter(pa.array(~absent(column))).slice(0, 1)  # floats do not hold every constant
        value = to_plain_list(known.combine_chunks() if exact else restore(unique, None, kind, origin))[0]
        return ConstantColumn(**description.common, value=value), [finding]
    unit = float(np.abs(ordered[[0, -1]]).max())
    mean = float((ordered / unit).mean()) * unit
    std = float((ordered / unit).std()) * unit
    column_fitted = NumericColumn(
        **description.common,
        scaling=scaling,
        origin=origin,
        scored=ScoreMap.fit(unique, counts),
        bins=NumericCells.fit(unique, counts),
        mean=mean,
        std=std if std > 0 else unit,
        grid=grid,
    )
    return column_fitted, []


def _distinct(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return ordered[starts], np.diff(np.append(starts, len(ordered)))


def _origin(column: pa.ChunkedArray, kind: pa.DataType, reference_date: dt.date | None) -> int:
    """Return what to subtract from stored integers so that float64 tells them apart."""
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        per_day = 1 if pa.types.is_date32(kind) else _TICKS_PER_DAY["ms" if pa.types.is_date64(kind) else kind.unit]
        if reference_date is not None:
            return (reference_date - _EPOCH).days * per_day
        stored, missing = integers(column)
        middle = int(np.median(stored if missing is None else stored[~missing])) // per_day
        year = 1970 + int(np.floor(middle / 365.2425))
        return (dt.date(min(max(year, 1), 9999), 1, 1) - _EPOCH).days * per_day
    if family(kind) == "integer" and kind != pa.uint64():
        stored, missing = integers(column)
        known = np.sort(stored if missing is None else stored[~missing])
        span = int(known[-1]) - int(known[0])
        if max(abs(int(known[0])), abs(int(known[-1]))) > 2**53 and span < 2**62:
            coarse = 1 << max(0, span.bit_length() - 4)  # a round number among them, no record's own
            return int(known[min(len(known) - 1, 9)]) // coarse * coarse
    return 0
