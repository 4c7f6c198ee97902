"""Choose the kind of each column, and fit it."""

import datetime as dt
from dataclasses import dataclass

import pyarrow as pa

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.finding import Finding
from withhold.contracts.wording import advice, flags
from withhold.data.arrow_types import ENCODING_KEY, family, value_type
from withhold.data.columns.column import Column, describe
from withhold.data.columns.constant import ConstantColumn
from withhold.data.columns.levels import LevelCounts, fit_levels
from withhold.data.columns.numeric import Scaling, fit_quantity
from withhold.data.columns.screening import Screened, screen_integers, screen_levels
from withhold.data.columns.storage import Missing, plain, to_plain_list


@dataclass(frozen=True)
class FitOptions:
    """What the user asked of the columns.

    Attributes
    ----------
    keep, categorical, continuous : frozenset of str
        Columns never dropped as identifiers, treated as levels, treated as quantities.
    scaling : {"score", "affine"}
    reference_date : date or None
        Origin of dates; None takes the first day of the year of each column's median.
    min_rows : int
        Levels with fewer rows are pooled.
    """

    keep: frozenset[str] = frozenset()
    categorical: frozenset[str] = frozenset()
    continuous: frozenset[str] = frozenset()
    scaling: Scaling = "score"
    reference_date: dt.date | None = None
    min_rows: int = 10


def check_types(schema: pa.Schema) -> None:
    """Refuse columns whose values have neither a scale nor levels, all of them at once.

    Examples
    --------
    >>> check_types(pa.schema({"a": pa.int8(), "b": pa.list_(pa.int8())}))
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.DataError: Column 'b' (list<item: int8>) has neither a scale nor levels. Turn it into ...
    """
    unfit = [field for field in schema if family(field.type) == "unsupported"]
    if unfit:
        # As it came in, where its values are now stored in another way.
        kinds = [(field.metadata or {}).get(ENCODING_KEY, str(field.type).encode()).decode() for field in unfit]
        listed = " and ".join(f"{field.name!r} ({kind})" for field, kind in zip(unfit, kinds, strict=True))
        subject = f"Column {listed} has" if len(unfit) == 1 else f"Columns {listed} have"
        it = ("it", "them")[len(unfit) > 1]
        leave_out = advice(f"drop {it}", f"add {flags('--drop', [field.name for field in unfit])}")
        text = (
            f"{subject} neither a scale nor levels. Turn {it} into columns of numbers, text, dates or booleans, or "
            f"{leave_out}."
        )
        raise DataError(text)


def fit_column(
    field: pa.Field, column: pa.ChunkedArray, options: FitOptions
) -> tuple[Column | Screened, list[Finding]]:
    """Fit one column.

    Returns
    -------
    column : Column or Screened
        The fitted column, or why it is dropped.
    findings : list of Finding

    Examples
    --------
    >>> age = pa.chunked_array([list(range(20, 70)) * 4])
    >>> fitted, findings = fit_column(pa.field("age", pa.int64()), age, FitOptions())
    >>> fitted.kind, fitted.width, findings
    ('numeric', 1, [])
    """
    kind = value_type(field.type)
    group = family(kind)
    description = describe(field, column)
    if description.known == 0:
        listed = (
            to_plain_list(column.unify_dictionaries().chunk(0).dictionary)
            if pa.types.is_dictionary(field.type) and column.num_chunks and group != "null"
            else None
        )
        finding = Finding(
            code="constant_column",
            severity="warning",
            text=f"Column {field.name!r} has no known value; it is released all missing.",
            column=field.name,
        )
        return ConstantColumn(**description.common, categories=listed), [finding]
    if field.name in options.continuous and (group == "text" or pa.types.is_dictionary(field.type)):
        raise InvalidParameterError(
            f"Column {field.name!r} is declared continuous but is of type {field.type}. "
            "Convert it to numbers, or leave it categorical."
        )
    levelled = group in ("text", "boolean") or pa.types.is_dictionary(field.type) or field.name in options.categorical
    if levelled and field.name not in options.continuous:
        counted = LevelCounts.of(column, missing=description.missing)
        reason = screen_levels(field.name, counted, group)
        if reason is not None and field.name not in options.keep:
            return reason, [reason.finding]
        fitted, findings = fit_levels(description, counted, options.min_rows)
        return fitted, findings if reason is None else [reason.kept, *findings]
    if (
        field.name not in options.keep | options.continuous
        and group in ("integer", "float")
        and (reason := screen_integers(field.name, plain(column)))
    ):
        return reason, [reason.finding]
    return fit_quantity(description, plain(column), options.scaling, options.reference_date)


__all__ = ["FitOptions", "Missing", "check_types", "fit_column"]
