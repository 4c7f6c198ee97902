"""Count levels, pool the rare ones, and cap how many get a feature."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.contracts.finding import Finding
from withhold.data.arrow_types import comparable, family, value_type
from withhold.data.columns.categorical import CategoricalColumn
from withhold.data.columns.column import Column, Description, field_metadata
from withhold.data.columns.constant import ConstantColumn
from withhold.data.columns.storage import Missing, absent, to_plain_list

# A column gets at most this many one-hot features; the most frequent levels have them.
MOST_LEVELS = 256
# What rare levels of a text come out as.
OTHER = "other"
_DECLARES_LEVELS = "_PL_ENUM"  # of a column of polars whose type lists its levels, so that none can be added


@dataclass(frozen=True)
class LevelCounts:
    """The different values of a column and the rows of each, in category order or sorted.

    Attributes
    ----------
    declared : list or None
        All categories of a dictionary type, used or not, as plain values.
    """

    values: pa.Array
    counts: np.ndarray
    declared: list[Any] | None = None

    @classmethod
    def of(cls, column: pa.ChunkedArray, missing: Missing = "null") -> "LevelCounts":
        """Count the known values of `column`."""
        if pa.types.is_dictionary(column.type):
            column = column.unify_dictionaries()
            listed = column.chunk(0).dictionary
            codes = pc.drop_null(pa.chunked_array([chunk.indices for chunk in column.chunks])).to_numpy()
            counts = np.bincount(codes.astype(np.int64), minlength=len(listed))
            used = np.flatnonzero((counts > 0) & ~absent(listed))
            return cls(listed.take(pa.array(used)), counts[used], to_plain_list(listed.drop_null()))
        found = pc.value_counts(comparable(column.filter(pa.array(~absent(column)))))
        values, counts = found.field("values"), found.field("counts").to_numpy(zero_copy_only=False)
        order = pc.sort_indices(values)
        return cls(values.take(order).cast(column.type), counts[order.to_numpy()])


def fit_levels(description: Description, counted: LevelCounts, min_rows: int) -> tuple[Column, list[Finding]]:
    """Fit a column of levels.

    Examples
    --------
    >>> from withhold.data.columns.column import describe
    >>> column = pa.chunked_array([["a"] * 20 + ["b"] * 12 + ["c"] * 3])
    >>> fitted, findings = fit_levels(describe(pa.field("x", pa.string()), column), LevelCounts.of(column), 10)
    >>> fitted.levels, fitted.pooled, fitted.stand_in, findings[0].code
    (['a', 'b'], True, 'other', 'rare_levels_pooled')
    """
    name = description.name
    plain, counts = to_plain_list(counted.values), counted.counts
    by_count = np.argsort(-counts, kind="stable")
    # A value that all of a few rows share is no rare level among others.
    alone = len(counts) == 1 and not description.unknown
    frequent = by_count[(counts[by_count] >= min_rows) | alone]
    kept = np.sort(frequent[:MOST_LEVELS])
    pool = np.setdiff1d(by_count, kept)
    many = _rows(int(counts[pool].sum()), min_rows)
    stand_in = _stand_in(description, counted) if len(pool) else None
    one = len(pool) == 1
    becomes = ("comes" if one else "come") + (" out missing" if stand_in is None else f" out as {stand_in!r}")
    known = int(counts[pool].sum()) >= min_rows
    part = 100 * max(int(counts[pool].sum()), min_rows) / (description.known + description.unknown)
    share = f"{many}, {'' if known else 'less than '}{part:.1f} %"
    listed = counted.declared is not None
    findings = []
    if len(frequent) > MOST_LEVELS:
        text = (
            f"Column {name!r} has {len(counts)} levels; the {MOST_LEVELS} most frequent are told apart, "
            f"the other {len(pool)} ({share}) {becomes}."
        )
        findings.append(Finding(code="many_levels", severity="warning", text=text, column=name))
    elif len(pool):
        text = (
            f"{len(pool)} level{'' if one else 's'} of column {name!r} with fewer than {min_rows} rows"
            f"{'' if one else ' each'} ({share}) {becomes} in the release."
            + (f" {'Its name stays' if one else 'Their names stay'} listed in the column's type." if listed else "")
        )
        severe = counts[pool].sum() > 0.1 * counts.sum()
        findings.append(
            Finding(code="rare_levels_pooled", severity="warning" if severe else "info", text=text, column=name)
        )
    if len(kept) == 0 or (len(kept) == 1 and len(pool) == 0):
        value = plain[kept[0]] if len(kept) else stand_in
        common, categories = description.common, counted.declared
        text = f"Column {name!r} has one value ({value!r}) and tells nothing."
        if not len(kept):
            shown = "all missing" if value is None else f"as {value!r} in every row"
            text = f"No level of column {name!r} has {min_rows} rows; it is released {shown}."
            common = {**common, "nullable": common["nullable"] or value is None}
            categories = categories if categories is None or value is None else [*categories, value]
        findings.append(Finding(code="constant_column", severity="warning", text=text, column=name))
        return ConstantColumn(**common, value=value, categories=categories), findings
    common = {**description.common, "nullable": description.field.nullable or (len(pool) > 0 and stand_in is None)}
    column = CategoricalColumn(
        **common,
        levels=[plain[i] for i in kept],
        pooled=len(pool) > 0,
        stand_in=stand_in,
        usual=int(np.argmax(counts[kept])),
        categories=counted.declared,
    )
    return column, findings


def _stand_in(description: Description, counted: LevelCounts) -> str | None:
    """Return what rare levels come out as: `OTHER`, or None for missing.

    Missing where the column has missing values, and where no level can be added: of numbers, codes and dates, of an
    order, of a type that lists its levels.
    """
    kind = description.field.type
    ordered = pa.types.is_dictionary(kind) and kind.ordered
    listed = _DECLARES_LEVELS in field_metadata(description.field)
    if description.missing != "never" or family(value_type(kind)) != "text" or ordered or listed:
        return None
    taken = {*counted.values.to_pylist(), *(counted.declared or ())}
    return next(name for name in (OTHER, *(f"{OTHER} {i}" for i in range(2, len(taken) + 3))) if name not in taken)


def _rows(number: int, least: int) -> str:
    return f"{number} rows" if number >= least else f"fewer than {least} rows"
