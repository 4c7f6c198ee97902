"""Reading what the user passes to a method: features, sensitive attribute, utility and groups, in any container."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
import torch
from sklearn.utils.validation import check_array

from withhold.contracts.errors import DataError, InvalidTypeError, sentence
from withhold.contracts.images import image_names
from withhold.data.attributes import Attributes, check_declared, read_attributes
from withhold.data.frames import Frame, check_unmasked, to_frame
from withhold.data.images import tensor_array
from withhold.data.labels import check_same_index, label_table
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
            sentence(
                f"X of {method}.fit",
                "of at least two rows",
                f"{features.n} sample" + "s" * (features.n != 1),
                "What varies with the attribute cannot be seen in fewer.",
                "Pass more records.",
            )
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
    removed = _removed(features.table, groups, *sensitive.names, *(utility.names if utility is not None else ()))
    _same_length(features.n, method, sensitive_features=sensitive, y=utility, groups=codes)
    if features.table is not None:
        kept = [name for name in features.table.column_names if name not in removed]
        if not kept:
            raise DataError(
                sentence(
                    f"X of {method}.fit",
                    "a table with a column beside the sensitive, utility and group columns",
                    f"only {', '.join(map(repr, removed))}" if removed else "no column at all",
                    "There is nothing left to release.",
                    "Pass a table with more columns.",
                )
            )
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
                sentence(
                    f"X of {method}",
                    "dense",
                    f"a sparse {type(X).__name__}",
                    "Sparse data were passed, and this method mixes every column into every other.",
                    "Reduce it first (sklearn.decomposition.TruncatedSVD), use LEACE, or pass X.toarray().",
                )
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
            sentence(
                f"The 'sensitive_features' argument of {method}.fit",
                "the name of a column of X, or an array with one value a row",
                "None",
                "Without it there is nothing to hide.",
                "Pass sensitive_features='sex' or an array; it is not needed at transform.",
            )
        )
    if y is None:
        raise DataError(
            sentence(
                f"The 'y' argument of {method}.fit",
                "the name of a column of X, or an array with one value a row",
                "None",
                "This method keeps what tells y, so without it there is nothing to keep.",
                "Pass y='income' or an array (command line: --utility income); it is not needed at transform.",
            )
        )


def _refuse_several(names: tuple[str, ...], method: str) -> None:
    raise DataError(
        sentence(
            f"The 'y' argument of {method}.fit",
            "one attribute",
            f"{len(names)}: {', '.join(map(repr, names[:5]))}",
            "This method keeps one, and the others would be lost without a word.",
            "Pass the one that matters most, or their combination as one column.",
        )
    )


def _refuse_images(table: pa.Table, method: str) -> None:
    names = image_names(table)
    if names:
        raise InvalidTypeError(
            sentence(
                f"X of {method}",
                "a table of numbers, categories and dates",
                f"records with a shape {tuple(table.schema.field(names[0]).type.shape)} in column {names[0]!r}",
                "Their values would be coded as text.",
                "Take a method for images and windows, such as AIOI, or pass one row of numbers a record: the output "
                "of an encoder, or x.reshape(len(x), -1).",
            )
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
        raise kind(
            sentence(
                f"X of {method}",
                "a matrix of finite numbers, one record a row",
                f"{_shaped(X)}what scikit-learn refuses: {reason}",
                "Every value of it enters the release.",
                "Reshape your data: X.reshape(1, -1) is one record, X.reshape(-1, 1) one column."
                if getattr(X, "ndim", 2) == 1
                else "Pass a 2-D numeric array, or a DataFrame for columns of other kinds and missing values.",
            )
        ) from error


def _shaped(X: Any) -> str:
    """Say what records are that are no rows of numbers."""
    shape = getattr(X, "shape", ())
    return f"records with a shape {tuple(shape[1:])}, " if len(shape) > 2 else ""


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


def _refuse_copy(array: np.ndarray, spec: Any, method: str) -> None:
    """Refuse sensitive values that equal a column of the matrix X: what is to be hidden would be an input."""
    for label in label_table(spec, "sensitive_features").columns:
        if not (pa.types.is_integer(label.type) or pa.types.is_floating(label.type)) or len(label) != len(array):
            continue
        values = label.to_numpy().astype(np.float64)
        for j in np.flatnonzero((array[:64] == values[:64, None]).all(axis=0)):
            if np.array_equal(array[:, j], values):
                raise DataError(
                    sentence(
                        f"The 'sensitive_features' array of {method}.fit",
                        "absent from X",
                        f"values equal to column {j} of X",
                        "What is to be hidden would be an input of the transform.",
                        f"Drop it first: numpy.delete(X, {j}, axis=1).",
                    )
                )


def _group_codes(groups: Any, table: pa.Table | None) -> np.ndarray:
    """Integer code of each row's subject."""
    if isinstance(groups, str):
        if table is None or groups not in table.column_names:
            raise DataError(
                sentence(
                    "The 'groups' argument",
                    "a column of X or an array with one value a row",
                    repr(groups),
                    "No column has this name.",
                    "Check the name, or pass the values.",
                )
            )
        column = table.column(groups).combine_chunks()
    else:
        values = groups.to_numpy() if hasattr(groups, "to_numpy") else np.asarray(groups)
        column = pa.array(np.asarray(values).ravel().tolist())
    return np.asarray(column.dictionary_encode(null_encoding="encode").indices, dtype=np.int64)


def _same_length(n: int, method: str, **parts: Any) -> None:
    """Refuse attributes that have another number of rows than X."""
    for name, part in parts.items():
        lengths = [] if part is None else [len(part)] if isinstance(part, np.ndarray) else [a.known.size for a in part]
        for length in lengths:
            if length != n:
                raise DataError(
                    sentence(
                        f"The '{name}' argument of {method}.fit",
                        f"one value for each of the {n} rows of X",
                        f"{length} values",
                        "Rows are matched by position.",
                        "Pass the column's name, or align the two first.",
                    )
                )
