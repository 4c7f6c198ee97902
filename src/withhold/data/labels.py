"""Label arrays of any library as one Arrow table."""

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import torch

from withhold.contracts.arrow_columns import check_text
from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.data.arrow_types import plain_encodings
from withhold.data.frames import to_frame
from withhold.data.images import tensor_array

MOSTLY = 0.5
"""Share of common labels from which an index that starts at 0 is no longer taken for one that was reset: a choice."""


def label_table(values: Any, role: str) -> pa.Table:
    """Read one or several label columns passed as values.

    Parameters
    ----------
    role : str
        The parameter's name: it names an unnamed column (several: role_0, role_1, ...) and appears in messages.

    Examples
    --------
    >>> label_table(np.array([[0, 1], [1, 0]]), "s").column_names
    ['s_0', 's_1']
    """
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return plain_encodings(pa.table({role: values}), f"`{role}`")
    if isinstance(values, torch.Tensor):
        values = tensor_array(values, f"`{role}`")
    if isinstance(values, list | tuple):
        values = pd.Series(values, dtype=object)
    if isinstance(values, pd.api.extensions.ExtensionArray):  # a Categorical, among others
        values = pd.Series(values)
    if isinstance(values, pd.Index):
        values = values.to_series()
    if isinstance(values, pd.Series):
        values = values.to_frame(role if values.name is None else str(values.name))
    if isinstance(values, pd.DataFrame):
        values = values.set_axis(values.columns.astype(str), axis=1)
    if hasattr(values, "to_frame"):  # a polars Series
        values = values.alias(values.name or role).to_frame()
    if isinstance(values, np.ndarray):
        if values.ndim not in (1, 2):
            raise InvalidTypeError(f"`{role}` must have one value per row (got a {values.ndim}-d array).")
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        names = [role] if values.ndim == 1 else [f"{role}_{j}" for j in range(values.shape[1])]
        columns = values[:, None] if values.ndim == 1 else values
        values = pd.DataFrame({name: columns[:, j] for j, name in enumerate(names)})
    return to_frame(values, f"`{role}`").table


def check_arrow_text(values: Any, role: str) -> None:
    """Refuse an Arrow array, or a pandas column of one, with text that is not UTF-8.

    Examples
    --------
    >>> check_arrow_text(pa.array(["a", "b"]), "groups")
    """
    if isinstance(values, pd.Series) and isinstance(values.dtype, pd.ArrowDtype):
        values = pa.array(values)
    if isinstance(values, pa.Array | pa.ChunkedArray):
        check_text(pa.table({role: values}), f"`{role}`")


def check_same_index(X: Any, values: Any, role: str, subject: str = "X") -> None:
    """Refuse values whose pandas index contradicts that of `X`: rows are matched by position.

    A shuffled or filtered attribute would be paired with other people's records, and every reader would then fail: the
    release would look safe. An index that was reset (0, 1, 2, ...) says nothing and is accepted, unless the other one
    is in ascending order and shares most of its labels: that may as well be one row too few at either end, and only
    the caller can tell.

    Parameters
    ----------
    X, values : any
        Checked only where both are pandas objects.
    role, subject : str
        What `values` and `X` are called.

    Raises
    ------
    DataError

    Examples
    --------
    >>> X, s = pd.DataFrame({"a": [1, 2]}), pd.Series([0, 1])
    >>> check_same_index(X, s, "s")
    >>> check_same_index(X, s[::-1], "s")
    Traceback (most recent call last):
    withhold.contracts.errors.DataError: The index of `s` has the labels of X in another order, and rows are matched...
    """
    if not all(isinstance(item, pd.DataFrame | pd.Series) for item in (X, values)):
        return
    one, other = X.index, values.index
    plain = [index.equals(pd.RangeIndex(len(index))) for index in (one, other)]
    if len(one) != len(other) or one.equals(other):
        return
    same = one.is_unique and other.is_unique and bool(one.isin(other).all())
    if any(plain) and not same:
        theirs = other if plain[0] else one
        if not theirs.is_monotonic_increasing or one.isin(other).mean() < MOSTLY:
            return
    got = f"the labels of {subject} in another order" if same else f"other labels than {subject}"
    raise DataError(
        f"The index of `{role}` has {got}, and rows are matched by position. "
        f"Pass {role}.loc[{subject}.index], or reset both indexes if position is right."
    )


def unknown_column(name: str, known: Iterable[str], role: str) -> DataError:
    """Return the error for a column that is not there, with the nearest names.

    Examples
    --------
    >>> print(unknown_column("sx", ["sex", "age"], "sensitive_features"))
    There is no column 'sx' for `sensitive_features`. Did you mean 'sex'?
    """
    names = list(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    listed = ", ".join(map(repr, names[:12])) + (", ..." if len(names) > 12 else "")
    remedy = f"Did you mean {' or '.join(map(repr, near))}?" if near else f"The columns are: {listed}."
    return DataError(f"There is no column {name!r} for `{role}`. {remedy}")
