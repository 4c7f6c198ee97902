"""Sensitive and utility attributes: what the user named or passed, read by the rules of the estimator contract."""

from collections.abc import Mapping
from shlex import quote
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.contracts.checks import refused
from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.wording import advice
from withhold.data.arrow_types import comparable, family
from withhold.data.attribute import Attribute, Attributes
from withhold.data.columns.storage import shown_values
from withhold.data.frames import Frame
from withhold.data.labels import label_table, unknown_column

__all__ = ["Attribute", "Attributes", "equal_columns", "read_attributes"]

# Integers with at most this many values are classes; with more they must be declared (design, section 2).
MAX_INTEGER_CLASSES = 20
# What NumPy and pandas write where they make text of a missing value: np.array(["f", nan]) holds "nan". "None", "NA"
# and empty texts can be classes of their own and stay so.
BECAME_TEXT = ("nan", "NaN", "NaT", "<NA>")


def read_attributes(
    spec: Any,
    frame: Frame | None = None,
    kinds: Mapping[str, str] | None = None,
    role: str = "sensitive_features",
) -> Attributes:
    """Read attributes named or passed by the user.

    Strings, booleans, categories and integers with at most 20 values are categorical; floats, dates, durations and
    decimals are continuous; integers with more values must be declared.

    Parameters
    ----------
    spec : str, list of str, array, Series or DataFrame
        Column name(s) of `frame`, or the values themselves.
    frame : Frame, optional
        The features. Values passed as an array must not equal one of its columns.
    kinds : mapping of str to {"categorical", "continuous"}, optional
        Declared kinds by attribute name.
    role : str, default="sensitive_features"
        The parameter's name, for messages; also the name of an unnamed array.

    Returns
    -------
    read : Attributes
        In the order named.

    Raises
    ------
    DataError
        Unknown column, wrong number of rows, one class only, an array that equals a column of `frame`, or an
        undeclared integer with more than 20 values.

    Examples
    --------
    >>> read_attributes([0.5, 1.5, 2.5])[0].kind
    'continuous'
    >>> read_attributes(np.arange(30), kinds={"sensitive_features": "categorical"})[0].n_classes
    30
    """
    if isinstance(spec, Attributes):
        return spec
    kinds = dict(kinds or {})
    if isinstance(spec, str) and frame is None:
        raise InvalidParameterError(
            f"`{role}` is the name {spec!r}, but the data have no named columns. Pass an array of values."
        )
    names = _named(spec, frame)
    if names is not None and frame is not None:
        names = list(dict.fromkeys(names))
        for name in names:
            if name not in frame.table.column_names:
                raise unknown_column(name, frame.table.column_names, role)
        table = frame.table.select(names)
    else:
        table = label_table(spec, role)
        if frame is not None:
            _check_against(table, frame, role)
    for name, kind in kinds.items():
        if kind not in ("categorical", "continuous"):
            raise refused(f"The kind of {name!r}", "'categorical' or 'continuous'", kind)
    return Attributes(tuple(_attribute(name, table.column(name), kinds.get(name), role) for name in table.column_names))


def check_declared(kinds: Mapping[str, str] | None, *read: Attributes | None) -> None:
    """Refuse a declared kind of something that is no attribute: a misspelt name would silently change nothing.

    Examples
    --------
    >>> check_declared({"agee": "continuous"}, read_attributes(pa.table({"age": [31.0, 42.5, 27.0]})))
    Traceback (most recent call last):
    ...
    withhold.contracts.errors.InvalidParameterError: `sensitive_kinds` names 'agee', which is no attribute. The attr...
    """
    names = [name for attributes in read if attributes is not None for name in attributes.names]
    for name in kinds or {}:
        if name not in names:
            listed = ", ".join(map(repr, names)) or "none"
            raise InvalidParameterError(
                f"`sensitive_kinds` names {name!r}, which is no attribute. The attributes are: {listed}."
            )


def equal_columns(values: pa.ChunkedArray, table: pa.Table) -> list[str]:
    """Return the names of the columns of `table` that hold exactly `values`, whatever their type.

    Examples
    --------
    >>> equal_columns(pa.chunked_array([[1, 0]]), pa.table({"a": [1.0, 0.0], "b": [0, 1]}))
    ['a']
    """
    plain = _plain(values)
    return [name for name in table.column_names if _equal(plain, _plain(table.column(name)))]


def names_given(given: Any) -> tuple[str, ...]:
    """Return the names in what was given; values have none.

    Examples
    --------
    >>> names_given("sex"), names_given(["sex", "race"]), names_given([0, 1, 1])
    (('sex',), ('sex', 'race'), ())
    """
    if isinstance(given, str):
        return (given,)
    words = isinstance(given, list | tuple) and all(isinstance(one, str) for one in given)
    return tuple(given) if words else ()


def _named(spec: Any, frame: Frame | None) -> list[str] | None:
    """Return column names if that is what `spec` holds, else None."""
    names = list(names_given(spec))
    if isinstance(spec, str):
        return names
    if not names or frame is None:
        return None
    # A list of strings as long as the table could also be labels; it is names when they differ and one is a column.
    if len(names) == frame.n_rows:
        known = set(frame.table.column_names)
        return names if len(set(names)) == len(names) and any(item in known for item in names) else None
    return names


def _check_against(table: pa.Table, frame: Frame, role: str) -> None:
    if table.num_rows != frame.n_rows:
        raise DataError(
            f"`{role}` has {table.num_rows} rows and X has {frame.n_rows}. "
            "Pass one value for each record, in the same order."
        )
    for name in table.column_names:
        for column in equal_columns(table.column(name), frame.table):
            raise DataError(
                f"`{role}` is equal to column {column!r} of X, so X would still hold what is to be hidden. "
                f"Pass the name instead ({role}={column!r}), which drops the column, or drop it from X."
            )


def _plain(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    values = comparable(values)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    return values


def _known(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Take out the texts that missing values became; every other text is a value."""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return values
    became = pc.is_in(values, value_set=pa.array(BECAME_TEXT, values.type))
    return pc.if_else(became, pa.scalar(None, values.type), values)


def _equal(a: pa.ChunkedArray, b: pa.ChunkedArray) -> bool:
    if a.type != b.type:
        text = [
            pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t) for t in (a.type, b.type)
        ]
        if text[0] != text[1]:
            return False
        try:
            common = pa.large_string() if text[0] else pa.float64()
            a, b = a.cast(common, safe=False), b.cast(common, safe=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return False
    return bool(a.equals(b))


def _flag(role: str) -> str:
    """Return the option that names the columns of a role."""
    return {"sensitive_features": "--sensitive", "y": "--utility"}.get(role, f"--{role}")


def _attribute(name: str, column: pa.ChunkedArray, declared: str | None, role: str) -> Attribute:
    plain = _plain(column)
    column = _known(plain)
    lost = column.null_count - plain.null_count
    became = np.asarray(pc.and_(pc.is_null(column), pc.is_valid(plain))) if lost else None
    kind, n = declared, len(column)
    called = f"`{role}`" if name == role else advice(f"Column {name!r} of `{role}`", f"Column {name!r} ({_flag(role)})")
    if family(column.type) == "unsupported":
        raise DataError(
            f"{called} is of type {column.type}; an attribute needs text, numbers, booleans or dates. "
            "Convert it, e.g. bytes to text, or a list to one column per item."
        )
    numeric = not _is_label(column.type)
    distinct = len(pc.unique(column.drop_null()))
    if kind is None:
        kind = "continuous" if numeric and not pa.types.is_integer(column.type) else "categorical"
        if numeric and kind == "categorical" and distinct > MAX_INTEGER_CLASSES:
            raise DataError(
                f"{called} must be declared: it has {distinct} different whole numbers, which may be classes or a "
                "quantity. "
                + advice(
                    f"Pass sensitive_kinds={{{name!r}: 'continuous'}} or 'categorical'.",
                    f"Add --continuous {quote(name)} (or --categorical {quote(name)}).",
                )
            )
    if distinct < 2:
        raise DataError(
            f"{called} must have at least two different known values (got {distinct} in {n} rows). "
            "Check it, or leave it out."
        )
    if kind == "continuous":
        return Attribute(name, "continuous", np.full(n, -1, dtype=np.int64), _numbers(called, column), (), became)
    encoded = column.combine_chunks().dictionary_encode()
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    raw = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    codes = np.where(raw >= 0, rank[raw], -1)
    levels = tuple(str(value) for value in shown_values(encoded.dictionary.take(pa.array(order))))
    return Attribute(name, "categorical", codes, np.full(n, np.nan), levels, became)


def _is_label(kind: pa.DataType) -> bool:
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return bool(text or pa.types.is_boolean(kind) or pa.types.is_null(kind))


def _numbers(called: str, column: pa.ChunkedArray) -> np.ndarray:
    kind = column.type
    try:
        if pa.types.is_temporal(kind):
            column = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(pa.int64())
        values: np.ndarray = np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"{called} is declared continuous but is of type {kind}. Declare it categorical.") from error
    if np.isinf(values).any():
        raise DataError(f"{called} must be finite (got infinities). Make them missing.")
    return values
