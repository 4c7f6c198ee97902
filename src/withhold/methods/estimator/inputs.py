"""Reading what the user passes to a method: features, sensitive attribute, utility and groups, in any container."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
import torch
from sklearn.utils.validation import check_array

from withhold.contracts.checks import check_rows
from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.contracts.images import image_names
from withhold.contracts.wording import advice
from withhold.data.attributes import Attributes, check_declared, read_attributes
from withhold.data.frames import Frame, check_unmasked, to_frame
from withhold.data.images import tensor_array
from withhold.data.labels import check_arrow_text, check_same_index, label_table, unknown_column
from withhold.data.schema import pandas_index


@dataclass(frozen=True)
class Features:
    """Features of some rows: a table with named columns or a matrix, and the container they came in.

    Exactly one of `table` and `array` is set.
    """

    container: Any
    table: pa.Table | None = None
    array: Any = None
    index: Any = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.table.num_rows if self.table is not None else self.array.shape[0])


@dataclass(frozen=True)
class FitInputs:
    """All that `fit` was given, read and checked; `removed` are columns of X that are never features."""

    features: Features
    sensitive: Attributes
    utilities: Attributes | None
    groups: np.ndarray | None
    removed: tuple[str, ...]


def read_fit_inputs(
    X: Any,
    y: Any,
    sensitive_features: Any,
    groups: Any,
    *,
    method: str,
    kinds: Mapping[str, str] | None,
    drop: Sequence[str] = (),
    coded: bool,
    accept_sparse: bool,
    images: bool = False,
    needs: tuple[bool, bool] = (True, False),
    several_y: bool = False,
) -> FitInputs:
    """Read the arguments of `fit`; names become columns of X and leave the features.

    `needs` says whether the method must be given the sensitive attribute, and y.
    """
    _refuse_missing(sensitive_features if needs[0] else (), y if needs[1] else (), method)
    for name, values in (("sensitive_features", sensitive_features), ("y", y), ("groups", groups)):
        check_same_index(X, values, name)
    features = read_features(X, coded=coded, accept_sparse=accept_sparse, method=method, images=images)
    if features.n < 2:
        raise DataError(
            f"X has {features.n} sample{'s' * (features.n != 1)}; {method} needs at least two. Pass more records."
        )
    frame = Frame(features.table, "pyarrow") if features.table is not None else None
    sensitive = Attributes(())
    if sensitive_features is not None:
        if features.array is not None and not sp.issparse(features.array):
            _refuse_copy(features.array, sensitive_features, method)
        sensitive = read_attributes(sensitive_features, frame=frame, kinds=kinds, role="sensitive_features")
    utility = None if y is None else read_attributes(y, frame=frame, kinds=kinds, role="y")
    check_declared(kinds, sensitive, utility)
    if utility is not None and len(utility) > 1 and not several_y:
        _refuse_several(utility.names, method)
    codes = None if groups is None else _group_codes(groups, features.table)
    _check_dropped(drop, features.table)
    removed = _removed(features.table, groups, *sensitive.names, *(utility.names if utility is not None else ()), *drop)
    _same_length(features.n, sensitive_features=sensitive, y=utility, groups=codes)
    if features.table is not None:
        kept = [name for name in features.table.column_names if name not in removed]
        if not kept:
            beside = f"beside {', '.join(map(repr, removed))}" if removed else "at all"
            raise DataError(f"X has no column {beside}, so nothing is left to release. Pass a table with more columns.")
        features = Features(features.container, table=features.table.select(kept), index=features.index)
    return FitInputs(features, sensitive, utility, codes, tuple(dict.fromkeys(removed)))


def read_features(X: Any, *, coded: bool, accept_sparse: bool, method: str, images: bool = False) -> Features:
    """Read X as a table if it will be `coded` or holds `images` that the method accepts, else as a matrix."""
    if images and isinstance(X, np.ndarray | torch.Tensor) and X.ndim in (3, 4):
        frame = to_frame(X, f"X of {method}")
        return Features(frame.container, table=frame.table)
    if sp.issparse(X):
        if not accept_sparse:
            raise InvalidTypeError(
                f"{method} cannot read a sparse X ({type(X).__name__}), because it mixes all columns. Reduce it with "
                "sklearn.decomposition.TruncatedSVD, use LEACE, or pass X.toarray()."
            )
        return Features("sparse", array=_matrix(X, method))
    if coded:
        tensor = isinstance(X, torch.Tensor) and X.ndim == 2
        frame = to_frame(X if is_frame(X) or tensor else _matrix(X, method), f"X of {method}")
        if not images:
            _refuse_images(frame.table, method)
        return Features(frame.container, table=frame.table, index=frame.index)
    container = "torch" if isinstance(X, torch.Tensor) else "numpy"
    return Features(container, array=_matrix(X, method))


def _refuse_missing(sensitive_features: Any, y: Any, method: str) -> None:
    if sensitive_features is None:
        raise DataError(
            f"{method} needs sensitive_features, the attribute to hide. Pass sensitive_features='sex' or an array with "
            "one value per row; transform does not need it."
        )
    if y is None:
        raise DataError(
            f"{method} needs y, the attribute to keep; transform does not need it. "
            + advice("Pass y='income', or an array with one value per row.", "Add --utility COL.")
        )


def _refuse_several(names: tuple[str, ...], method: str) -> None:
    raise DataError(
        f"{method} keeps one attribute y (got {len(names)}: {', '.join(map(repr, names[:5]))}). Pass the most "
        "important one, or combine them into one column."
    )


def _refuse_images(table: pa.Table, method: str) -> None:
    names = image_names(table)
    if names:
        shape = tuple(table.schema.field(names[0]).type.shape)
        raise InvalidTypeError(
            f"{method} cannot read images or windows: column {names[0]!r} holds records of shape {shape}. Use AIOI, or "
            "pass one row of numbers per record, such as the output of an encoder or x.reshape(len(x), -1)."
        )


def is_frame(X: Any) -> bool:
    """Whether X has named columns: a pandas, polars or pyarrow table, or another that narwhals reads.

    Examples
    --------
    >>> is_frame(np.zeros((2, 2))), is_frame(pa.table({"a": [1]}))
    (False, True)
    """
    if isinstance(X, pd.DataFrame | pa.Table | pa.RecordBatch):  # also with repeated names, which narwhals refuses
        return True
    known = nw.from_native(X, pass_through=True)
    return isinstance(known, nw.DataFrame | nw.LazyFrame)


def _matrix(X: Any, method: str) -> Any:
    """Return a finite two-dimensional float32 or float64 matrix (dense or CSR), or raise in our words."""
    if isinstance(X, torch.Tensor):
        X = tensor_array(X, f"X of {method}")
    check_unmasked(X, f"X of {method}")
    try:
        return check_array(X, dtype=[np.float64, np.float32], accept_sparse="csr", input_name="X")
    except (ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0].rstrip(".:")  # below stand values, which are somebody's record
        kind = InvalidTypeError if isinstance(error, TypeError) else DataError
        remedy = (
            "Reshape your data: X.reshape(1, -1) is one record, X.reshape(-1, 1) one column."
            if getattr(X, "ndim", 2) == 1
            else "Pass a 2-D numeric array, or a DataFrame for other kinds of columns and missing values."
        )
        raise kind(f"{method} cannot read X{_shaped(X)}: {reason}. {remedy}") from error


def _shaped(X: Any) -> str:
    """Say what records are that are no rows of numbers."""
    shape = getattr(X, "shape", ())
    return f" of records with a shape {tuple(shape[1:])}" if len(shape) > 2 else ""


def _removed(table: pa.Table | None, groups: Any, *attributes: str) -> list[str]:
    """Columns that are no features: the attributes, also where their values came as a Series of that name, and groups.

    A recoded copy under the attribute's own name ("F" for "f") equals no column and would otherwise be an input.
    """
    if table is None:
        return []
    of_groups = groups if isinstance(groups, str) else getattr(groups, "name", None)
    names = [*attributes, *([] if of_groups is None else [str(of_groups)])]
    names += pandas_index(table.schema)  # of an Arrow table that came from pandas
    return [name for name in names if name in table.column_names]


def _check_dropped(drop: Sequence[str], table: pa.Table | None) -> None:
    """Refuse names of columns that are not there: a misspelt one would be released."""
    if drop and table is None:
        raise DataError(f"X has no names of columns, so drop={list(drop)!r} means nothing. Pass a DataFrame.")
    for name in drop:
        if table is not None and name not in table.column_names:
            raise unknown_column(name, table.column_names, "drop")


def _refuse_copy(array: np.ndarray, spec: Any, method: str) -> None:
    """Refuse sensitive values that equal a column of the matrix X: what is to be hidden would be an input."""
    for label in label_table(spec, "sensitive_features").columns:
        if not (pa.types.is_integer(label.type) or pa.types.is_floating(label.type)) or len(label) != len(array):
            continue
        values = label.to_numpy().astype(np.float64)
        for j in np.flatnonzero((array[:64] == values[:64, None]).all(axis=0)):
            if np.array_equal(array[:, j], values):
                raise DataError(
                    f"Column {j} of X equals sensitive_features, so {method} would read what it must hide. Drop it "
                    f"first: numpy.delete(X, {j}, axis=1)."
                )


def _group_codes(groups: Any, table: pa.Table | None) -> np.ndarray:
    """Integer code of each row's subject."""
    if isinstance(groups, str):
        if table is None or groups not in table.column_names:
            raise DataError(f"X has no column {groups!r}. Pass groups as the name of a column, or one value per row.")
        column = table.column(groups).combine_chunks()
    else:
        check_arrow_text(groups, "groups")
        values = groups.to_numpy() if hasattr(groups, "to_numpy") else np.asarray(groups)
        column = pa.array(np.asarray(values).ravel().tolist())
    return np.asarray(column.dictionary_encode(null_encoding="encode").indices, dtype=np.int64)


def _same_length(n: int, **parts: Any) -> None:
    """Refuse attributes that have another number of rows than X."""
    for name, part in parts.items():
        lengths = [] if part is None else [len(part)] if isinstance(part, np.ndarray) else [a.known.size for a in part]
        for length in lengths:
            check_rows(name, length, n)
