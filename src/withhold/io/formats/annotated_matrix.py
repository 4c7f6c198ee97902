"""AnnData files (.h5ad) of single-cell analysis: annotations of cells and one matrix of genes, read by h5py.

The layout is that of the AnnData on-disk format (https://anndata.readthedocs.io/en/stable/fileformat-prose.html):
groups say what they are in `encoding-type`. The package anndata would bind everybody to older versions of pandas.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.contracts.wording import advice
from withhold.io.growth import check_growth
from withhold.io.reading import Reading
from withhold.io.table_format import check_columns, damaged

MATRIX = "X"
# A column a gene: more are asked for by name of an embedding instead.
_MOST_COLUMNS = 100_000
_BYTES = 8


def read(path: Path, array: str | None, reading: Reading) -> pa.Table:
    """Return annotations of the cells and a matrix: X, or with `array` a layer or an embedding such as X_pca."""
    import h5py

    try:
        with h5py.File(path, "r") as file:
            if not _is_group(file.get("obs")):
                raise damaged(path, ".h5ad")
            sizes: list[int] = []
            file.visititems(lambda name, stored: sizes.append(int(getattr(stored, "nbytes", 0))))
            check_growth(path, max(sizes))
            annotations = dict(_frame(file["obs"]))
            places = _matrices(file)
            if array is not None and array not in places:
                listed = ", ".join(f"'{name}'" for name in places) or "none"
                raise InvalidParameterError(f"'{path}' has no matrix '{array}'. It holds {listed}.")
            if array is None and MATRIX not in places:
                return pa.table(annotations)
            name = array or MATRIX
            matrix = _matrix(path, file[places[name]])
            genes = _genes(file) if places[name] == MATRIX or places[name].startswith("layers/") else None
    except (FileNotFoundError, PermissionError, MemoryError):
        raise
    except (OSError, LookupError, TypeError, ValueError, RuntimeError) as error:
        if isinstance(error, DataError | InvalidParameterError):
            raise
        raise damaged(path, ".h5ad") from error
    names = genes or [f"{name}_{j}" for j in range(matrix.shape[1])]
    check_columns(path, [*annotations, *names])
    columns = {gene: pa.array(column) for gene, column in zip(names, np.ascontiguousarray(matrix.T), strict=True)}
    return pa.table(annotations | columns)


def beside(path: Path, array: str | None) -> Iterator[str]:
    """Yield the parts of a file that are about cells and are not read."""
    import h5py

    with h5py.File(path, "r") as file:
        read_place = _matrices(file).get(array or MATRIX)
        for name, place in _matrices(file).items():
            if place != read_place:
                yield f"the matrix '{name}'"
        for part, words in (("raw", "raw counts"), ("obsp", "pairs of cells"), ("uns", "unstructured notes")):
            if part in file and len(file[part]):
                yield words


def _is_group(stored: Any) -> bool:
    return hasattr(stored, "keys")


def _matrices(file: Any) -> dict[str, str]:
    """Return where the matrices of a file are, by name."""
    stored = file.get(MATRIX)
    shaped = stored is not None and (not _is_group(stored) or "shape" in stored.attrs)
    found = {MATRIX: MATRIX} if shaped else {}
    for group in ("layers", "obsm"):
        found |= {name: f"{group}/{name}" for name in file.get(group, {})}
    return found


def _matrix(path: Path, stored: Any) -> NDArray[Any]:
    shape = tuple(int(side) for side in (stored.attrs["shape"] if _is_group(stored) else stored.shape))
    if len(shape) != 2:
        raise DataError(f"'{stored.name}' of '{path}' must have rows and columns (got shape {shape}). Name another.")
    if shape[1] > _MOST_COLUMNS:
        raise DataError(
            f"'{stored.name}' of '{path}' has {shape[1]:,} columns; at most {_MOST_COLUMNS:,} are read. Name an "
            "embedding with " + advice("array='X_pca'", "--array X_pca") + "."
        )
    check_growth(path, shape[0] * shape[1] * _BYTES)
    if not _is_group(stored):
        return np.asarray(stored[()])
    dense = np.zeros(shape, stored["data"].dtype)
    by_row = str(stored.attrs["encoding-type"]).startswith("csr")
    data, indices, ends = (stored[part][()] for part in ("data", "indices", "indptr"))
    lines = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    if by_row:
        dense[lines, indices] = data
    else:
        dense[indices, lines] = data
    return dense


def _frame(group: Any) -> Iterator[tuple[str, pa.Array]]:
    """Yield the columns of a stored data frame, its row labels first where they are more than a count."""
    label = group.attrs.get("_index", "_index")
    order = [str(name) for name in group.attrs.get("column-order", [])]
    index = _values(group[label])
    if index.to_pylist() != [str(j) for j in range(len(index))]:
        yield "obs_names" if label == "_index" else str(label), index
    for name in order:
        yield name, _values(group[name])


def _values(stored: Any) -> pa.Array:
    if not _is_group(stored):
        texts = stored.dtype.kind in "OS"
        return pa.array(stored.asstr()[()].tolist(), pa.string()) if texts else pa.array(stored[()])
    kind = stored.attrs.get("encoding-type", "")
    if kind == "categorical":
        codes = stored["codes"][()].astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), _values(stored["categories"]))
    if str(kind).startswith("nullable"):
        plain = _values(stored["values"]).to_numpy(zero_copy_only=False)
        return pa.array(plain, mask=stored["mask"][()].astype(bool))
    raise ValueError(f"{stored.name} is {kind!r}")


def _genes(file: Any) -> list[str] | None:
    var = file.get("var")
    if not _is_group(var):
        return None
    return [str(name) for name in _values(var[var.attrs.get("_index", "_index")]).to_pylist()]
