"""AnnData files, written by the layout that anndata documents (checked against files that anndata 0.12 wrote)."""

from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.sparse as sp

from withhold.contracts.errors import DataError, InvalidParameterError
from withhold.io import growth
from withhold.io.formats.registry import left_out
from withhold.io.tables import read_table

COUNTS = np.array([[0, 1, 2], [3, 0, 0], [0, 0, 4], [0, 5, 0]], dtype=np.float32)


def frame(group, index, **columns):
    group.attrs.update({"encoding-type": "dataframe", "_index": "_index", "column-order": list(columns)})
    group.create_dataset("_index", data=index, dtype=h5py.string_dtype())
    for name, values in columns.items():
        if isinstance(values, tuple):
            stored = group.create_group(name)
            stored.attrs["encoding-type"] = "categorical"
            stored["codes"] = np.array(values[0], np.int8)
            stored.create_dataset("categories", data=values[1], dtype=h5py.string_dtype())
        else:
            group[name] = values


def sparse(file, name, matrix):
    group = file.create_group(name)
    group.attrs.update({"encoding-type": f"{matrix.format}_matrix", "shape": matrix.shape})
    for part in ("data", "indices", "indptr"):
        group[part] = getattr(matrix, part)


def written(path: Path, matrix, embedding=None) -> Path:
    with h5py.File(path, "w") as file:
        frame(file.create_group("obs"), list("ABCD"), sex=([0, 1, -1, 0], ["f", "m"]), n=np.arange(4))
        frame(file.create_group("var"), ["g1", "g2", "g3"])
        if sp.issparse(matrix):
            sparse(file, "X", matrix)
        else:
            file["X"] = matrix
        if embedding is not None:
            file["obsm/X_pca"] = embedding
    return path


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_matrix])
def test_matrices(tmp_path, form):
    table = read_table(written(tmp_path / "a.h5ad", form(COUNTS)))
    assert table.column_names == ["obs_names", "sex", "n", "g1", "g2", "g3"]
    assert table.column("sex").to_pylist() == ["f", "m", None, "f"]
    assert np.array_equal(np.column_stack([table.column(f"g{j}").to_numpy() for j in (1, 2, 3)]), COUNTS)


def test_an_embedding_and_what_is_beside_it(tmp_path):
    path = written(tmp_path / "a.h5ad", sp.csr_matrix(COUNTS), np.arange(8.0).reshape(4, 2))
    table = read_table(path, array="X_pca")
    assert table.column_names == ["obs_names", "sex", "n", "X_pca_0", "X_pca_1"]
    assert left_out(path, "X_pca") == ["the matrix 'X'"]
    assert left_out(path, None) == ["the matrix 'X_pca'"]
    with pytest.raises(InvalidParameterError, match=r"has no matrix 'pca'\. It holds 'X', 'X_pca'"):
        read_table(path, array="pca")


def test_a_forged_shape_and_damaged_files(tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "ALWAYS_BYTES", 1 << 16)
    path = written(tmp_path / "a.h5ad", sp.csr_matrix(COUNTS))
    with h5py.File(path, "a") as file:
        file["X"].attrs["shape"] = (10**9, 50_000)
    with pytest.raises(DataError, match="grows to more than 300 times its size"):
        read_table(path)
    with h5py.File(path, "a") as file:
        file["X"].attrs["shape"] = (4, 10**9)
    with pytest.raises(DataError, match="1,000,000,000 columns; at most 100,000 are read"):
        read_table(path)
    with h5py.File(path, "a") as file:
        file["X"].attrs["shape"] = (4, 2)  # less than its entries need
    with pytest.raises(DataError, match=r"is not a readable \.h5ad file"):
        read_table(path)
    whole = written(tmp_path / "b.h5ad", COUNTS).read_bytes()
    for content in (b"", b"text", whole[:900]):
        (tmp_path / "c.h5ad").write_bytes(content)
        with pytest.raises(DataError, match=r"is not a readable \.h5ad file"):
            read_table(tmp_path / "c.h5ad")
