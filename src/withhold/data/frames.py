"""Frames of any library as one Arrow table, and back in the container and dtypes they came in."""

import json
from dataclasses import dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import torch

from withhold.contracts.errors import DataError, InvalidTypeError
from withhold.contracts.images import image_names
from withhold.data.arrow_types import encoded_again, plain_encodings
from withhold.data.images import images_to_array, images_to_table, tensor_array

Container = Literal["pandas", "polars", "pyarrow", "numpy", "torch"]

# Field metadata: the pandas dtype where Arrow's default conversion would not give it back (Int64, object, float16 ...).
DTYPE_KEY = b"withhold.dtype"
_SPARSE = "sparse of "


@dataclass(frozen=True)
class Frame:
    """A table in canonical form, with what is needed to give it back as it came.

    Attributes
    ----------
    table : pyarrow.Table
        The records.
    container : {"pandas", "polars", "pyarrow", "numpy", "torch"}
        The library the caller uses.
    index : pandas.Index or None
        Row labels of a pandas frame.

    Examples
    --------
    >>> frame = to_frame(pd.DataFrame({"age": [31, 42]}))
    >>> frame.container, frame.table.column_names, frame.n_rows
    ('pandas', ['age'], 2)
    """

    table: pa.Table
    container: Container
    index: Any = None

    @property
    def n_rows(self) -> int:
        """Number of records."""
        return int(self.table.num_rows)

    def native(self, table: pa.Table | None = None) -> Any:
        """Return `table` (default: the own one) in this frame's container, with its row labels where they fit."""
        table = self.table if table is None else table
        index = self.index if self.index is not None and len(self.index) == table.num_rows else None
        return from_arrow(table, self.container, index)


def to_frame(X: Any, subject: str = "X") -> Frame:
    """Read any table-like object into a `Frame`.

    Parameters
    ----------
    X : DataFrame, Table, ndarray or Tensor
        pandas, polars (also lazy), pyarrow, anything else narwhals understands, or a 2-d array or tensor
        (columns x0, x1, ...). Arrays and tensors of three or four dimensions are images (one column, "image"):
        (n, height, width), (n, height, width, channels), for tensors also (n, 1 or 3, height, width). Windows of a
        signal, (n, time, channels), take the same form.
    subject : str, default="X"
        What to call the input in messages.

    Raises
    ------
    InvalidTypeError
        If it is no table: sparse, complex, one-dimensional.
    DataError
        If column names repeat or are not strings, or a column holds values of several types.

    Examples
    --------
    >>> to_frame(np.zeros((3, 2), dtype="float32")).table.column_names
    ['x0', 'x1']
    """
    if isinstance(X, Frame):
        return X
    if isinstance(X, pd.DataFrame):
        return Frame(plain_encodings(_from_pandas(X, subject), subject), "pandas", X.index)
    if isinstance(X, pa.RecordBatch):
        X = pa.Table.from_batches([X])
    if isinstance(X, pa.Table):
        check_names(X.column_names, subject)
        return Frame(plain_encodings(X, subject), "pyarrow")
    if isinstance(X, np.ndarray | torch.Tensor) and X.ndim in (3, 4):
        return Frame(images_to_table(X, subject), "torch" if isinstance(X, torch.Tensor) else "numpy")
    if isinstance(X, np.ndarray):
        return Frame(_from_numpy(X, subject), "numpy")
    if isinstance(X, torch.Tensor):
        return Frame(_from_numpy(tensor_array(X, subject), subject), "torch")
    native = nw.from_native(X, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if not isinstance(native, nw.DataFrame):
        remedy = "X.toarray()" if hasattr(X, "toarray") else "a DataFrame, a pyarrow table, an array or a tensor"
        raise InvalidTypeError(f"{subject} is a {type(X).__name__}. Pass {remedy}.")
    check_names(list(native.columns), subject)
    table = plain_encodings(_from_narwhals(native, subject), subject)
    return Frame(table, "polars" if native.implementation.is_polars() else "pyarrow")


def from_arrow(table: pa.Table, container: Container, index: Any = None) -> Any:
    """Return `table` as an object of the library `container`, with the dtypes it had there.

    Parameters
    ----------
    container : {"pandas", "polars", "pyarrow", "numpy", "torch"}
    index : pandas.Index, optional
        Row labels, for pandas only.

    Examples
    --------
    >>> from_arrow(pa.table({"x0": [1.0], "x1": [2.0]}), "numpy")
    array([[1., 2.]])
    """
    table = encoded_again(table)
    if container == "pyarrow":
        return table
    if container == "polars":
        return nw.from_arrow(table, backend="polars").to_native()
    if container == "pandas":
        return _to_pandas(table, index)
    if image_names(table) and table.num_columns == 1:
        return images_to_array(table, container)
    if table.num_columns == 0:
        array = np.empty((table.num_rows, 0))
    else:
        columns = [column.to_numpy() for column in table.columns]
        array = np.empty((table.num_rows, len(columns)), dtype=np.result_type(*columns))
        for j, column in enumerate(columns):
            array[:, j] = column
    return torch.from_numpy(array) if container == "torch" else array


def check_names(names: list[Any], subject: str) -> None:
    """Refuse column names that repeat or are not strings.

    Examples
    --------
    >>> check_names(["a", "b"], "X")
    """
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise DataError(
                f"The column names of {subject} must be strings (got {name!r}, {type(name).__name__}). "
                "Rename them; in pandas: frame.columns = frame.columns.astype(str)."
            )
        if name in seen:
            raise DataError(f"Two columns of {subject} are called {name!r}. Rename or drop one of them.")
        seen.add(name)


def check_unmasked(X: Any, subject: str) -> None:
    """Refuse a masked array: what the mask hides would be read as values.

    Examples
    --------
    >>> check_unmasked(np.ma.masked_array([1.0], mask=[False]), "X")
    """
    if isinstance(X, np.ma.MaskedArray) and np.ma.getmaskarray(X).any():
        raise DataError(
            f"{subject} must be an array without a mask, or its masked values would be released. "
            "Pass X.filled(nan) where values may be missing, or a DataFrame."
        )


def _column(name: Any, subject: str) -> str:
    """Call a column by its name and table; an unnamed array is a table whose only column is called like it."""
    return subject if subject == f"`{name}`" else f"Column {name!r} of {subject}"


def _mixed(name: Any, subject: str, error: Exception, dtype: Any = None) -> DataError:
    if getattr(dtype, "kind", "") == "c":
        return DataError(
            f"{_column(name, subject)} holds complex numbers ({dtype}). Split it into two columns, or drop it."
        )
    return DataError(
        f"{_column(name, subject)} mixes types ({str(error).splitlines()[0][:120]}). "
        "Convert it to one type, e.g. all to text, or drop it."
    )


def _from_narwhals(native: nw.DataFrame[Any], subject: str) -> pa.Table:
    try:
        return native.to_arrow()
    except (pa.ArrowException, NotImplementedError) as error:
        for name in native.columns:
            try:
                native.select(name).to_arrow()
            except (pa.ArrowException, NotImplementedError):
                raise DataError(
                    f"{_column(name, subject)} is of type {native.schema[name]}, which Arrow does not have. "
                    "Cast it, e.g. to Int64 or Float64, or drop it."
                ) from error
        raise


def _from_pandas(X: pd.DataFrame, subject: str) -> pa.Table:
    check_names(list(X.columns), subject)
    arrays, fields = [], []
    for name in X.columns:
        series: Any = X[name]
        _check_categories(name, series.dtype, subject)
        _check_sparse(name, series.dtype, subject)
        try:
            array = pa.Array.from_pandas(series.sparse.to_dense() if _is_sparse(series.dtype) else series)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise _mixed(name, subject, error, series.dtype) from error
        # pandas has no type of its own for some that it holds as Arrow's.
        usual = None if isinstance(series.dtype, pd.ArrowDtype) else array.slice(0, 0).to_pandas().dtype
        metadata = None if usual == series.dtype else {DTYPE_KEY: _dtype_name(series.dtype)}
        arrays.append(array)
        fields.append(pa.field(name, array.type, metadata=metadata))
    if not arrays:
        return pa.table({"_": pa.nulls(len(X))}).select([])
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _is_sparse(dtype: Any) -> bool:
    return isinstance(dtype, pd.SparseDtype)


def _check_categories(name: str, dtype: Any, subject: str) -> None:
    """Refuse categories that are intervals or periods: Arrow holds them, and can neither compare nor give them back."""
    if isinstance(dtype, pd.CategoricalDtype) and isinstance(dtype.categories.dtype, pd.IntervalDtype | pd.PeriodDtype):
        raise DataError(
            f"{_column(name, subject)} has categories of type {dtype.categories.dtype}, which Arrow cannot give back. "
            f"Convert them to text: frame[{name!r}].astype(str).astype('category')."
        )


def _check_sparse(name: str, dtype: Any, subject: str) -> None:
    """Refuse sparse columns of anything but numbers and booleans: what fills them has no form that comes back."""
    if _is_sparse(dtype) and dtype.subtype.kind not in "biuf":
        text = (
            f"{_column(name, subject)} is sparse and of {dtype.subtype}, which does not come back as it was. "
            f"Make it dense: frame[{name!r}].sparse.to_dense()."
        )
        raise DataError(text)


def _dtype_name(dtype: Any) -> str:
    if _is_sparse(dtype):  # pandas reads no dtype with a fill value of its own from its name
        return f"{_SPARSE}{dtype.subtype} {json.dumps(np.asarray(dtype.fill_value).item())}"
    if isinstance(dtype, pd.StringDtype) and dtype.na_value is pd.NA:
        return f"string[{dtype.storage}]"
    return "arrow" if isinstance(dtype, pd.ArrowDtype) else str(dtype)


def _to_pandas(table: pa.Table, index: Any) -> pd.DataFrame:
    bare = table.replace_schema_metadata(None)
    columns = {}
    for field, column in zip(bare.schema, bare.columns, strict=True):
        name = (field.metadata or {}).get(DTYPE_KEY, b"").decode()
        columns[field.name] = _series(column, name)
    frame = pd.DataFrame(columns) if columns else pd.DataFrame(index=pd.RangeIndex(table.num_rows))
    if index is not None:
        frame.index = index
    return frame


def _series(column: pa.ChunkedArray, name: str) -> Any:
    if not name or name == "category":
        return column.to_pandas()
    if name == "object":
        values = column.to_pandas(integer_object_nulls=True).astype(object)
        return values.where(values.notna(), None)
    if name.startswith(_SPARSE):
        subtype, _, fill = name.removeprefix(_SPARSE).partition(" ")
        return column.to_pandas().astype(pd.SparseDtype(subtype, json.loads(fill)))
    dtype: Any = pd.ArrowDtype(column.type) if name == "arrow" else pd.api.types.pandas_dtype(name)
    if hasattr(dtype, "__from_arrow__"):
        return pd.Series(dtype.__from_arrow__(column))
    return column.to_pandas().astype(dtype)


def _from_numpy(X: np.ndarray, subject: str) -> pa.Table:
    check_unmasked(X, subject)
    if X.ndim != 2 or X.dtype.kind not in "biufOUM":
        raise InvalidTypeError(
            f"{subject} is a {X.ndim}-d array of {X.dtype}. Pass a 2-d array of real numbers, (n_samples, n_features), "
            "or records with a shape (3-d or 4-d)."
        )
    arrays = []
    for j in range(X.shape[1]):
        try:
            arrays.append(pa.array(np.ascontiguousarray(X[:, j]), from_pandas=X.dtype == object))
        except (pa.ArrowException, TypeError) as error:
            raise _mixed(f"x{j}", subject, error) from error
    if not arrays:
        return pa.table({"_": pa.nulls(len(X))}).select([])
    return pa.Table.from_arrays(arrays, names=[f"x{j}" for j in range(X.shape[1])])
