"""Several versions of one table, record by record, averaged: noise that differs between them goes down by the root."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.audit.view.suppression import LEAST_RECORDS
from withhold.contracts.images import image_array, image_column, is_image
from withhold.data.columns.storage import plain

# Levels of one column whose share of the versions becomes a column of its own.
MOST_LEVELS = 50


def averaged(versions: Sequence[pa.Table]) -> pa.Table:
    """Return the mean of every column that all versions share and that is not the same in all of them.

    A number becomes its mean over the versions in which it is known. Any other column becomes, for each level of at
    least ten records, the share of the versions that have it. Columns that are the same everywhere are kept as they
    are, beside those that are not; where none differs nothing is returned, because there is nothing to average.

    Parameters
    ----------
    versions : sequence of pyarrow.Table
        Row i of each is the same record.

    Examples
    --------
    >>> one, two = pa.table({"a": [1.0, 2.0], "b": [7, 8]}), pa.table({"a": [3.0, 2.0], "b": [7, 8]})
    >>> averaged([one, two]).to_pydict()
    {'mean of a': [2.0, 2.0], 'b': [7, 8]}
    >>> averaged([one, one]).num_columns
    0
    """
    shared = [name for name in versions[0].column_names if all(name in table.column_names for table in versions[1:])]
    columns: dict[str, pa.Array | pa.ChunkedArray] = {}
    differs = False
    for name in shared:
        given = [plain(table.column(name)) for table in versions]
        if all(same(given[0], one) for one in given[1:]):
            columns[name] = versions[0].column(name)
            continue
        made = _mean(name, given)
        differs = differs or bool(made)
        columns |= made
    return pa.table(columns) if differs else pa.table({})


def further_columns(table: pa.Table, release: pa.Table) -> pa.Table:
    """Return the columns of `table` that the release does not hold with the same values under the same name.

    Examples
    --------
    >>> further_columns(pa.table({"a": [1, 2], "b": [3, 3]}), pa.table({"a": [1, 2], "b": [3, 4]})).column_names
    ['b']
    """
    held = set(release.column_names)
    return table.select(
        [
            name
            for name in table.column_names
            if name not in held or not same(plain(table.column(name)), plain(release.column(name)))
        ]
    )


def same(one: pa.ChunkedArray, two: pa.ChunkedArray) -> bool:
    """Whether two columns hold the same values, whatever their types: 1, 1.0 and a missing one are what they are.

    Examples
    --------
    >>> same(pa.chunked_array([[1, None]]), pa.chunked_array([[1.0, None]]))
    True
    """
    if is_image(one.type) or is_image(two.type):
        return one.type == two.type and bool(np.array_equal(image_array(one), image_array(two), equal_nan=True))
    if _number(one.type) and _number(two.type):
        return bool(np.array_equal(_reals(one), _reals(two), equal_nan=True))
    return bool(_words(one).equals(_words(two)))


def _mean(name: str, given: Sequence[pa.ChunkedArray]) -> dict[str, pa.Array]:
    """Mean of numbers over the versions in which they are known; shares of the levels of anything else."""
    if any(is_image(one.type) for one in given):
        if any(not is_image(one.type) or one.type.shape != given[0].type.shape for one in given):
            return {}
        total = sum(image_array(one).astype(np.float32) for one in given)
        return {f"mean of {name}": image_column(np.asarray(total / np.float32(len(given))))}
    if all(_number(one.type) for one in given):
        values = np.stack([_reals(one) for one in given])
        known = np.isfinite(values)
        count = known.sum(axis=0)
        with np.errstate(invalid="ignore"):
            mean = np.where(known, values, 0.0).sum(axis=0) / count
        # In the type of the versions: more digits than they have would look like something to be read.
        plain = given[0].type if all(one.type == given[0].type for one in given) else pa.float64()
        kind = plain if pa.types.is_floating(plain) else pa.float64()
        return {f"mean of {name}": pa.array(mean, from_pandas=True).cast(kind, safe=False)}
    words = [_words(one) for one in given]
    counts = pc.value_counts(pa.chunked_array([chunk for one in words for chunk in one.chunks]))
    often = sorted(
        ((entry["counts"].as_py(), entry["values"]) for entry in counts if entry["values"].is_valid),
        key=lambda pair: (-pair[0], str(pair[1])),
    )
    shares = {}
    for count, level in often[:MOST_LEVELS]:
        if count >= LEAST_RECORDS:
            hits = np.mean([pc.fill_null(pc.equal(one, level), False).to_numpy() for one in words], axis=0)
            shares[f"share of {name}={level.as_py()}"] = pa.array(hits)
    return shares


def _number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _reals(column: pa.ChunkedArray) -> np.ndarray:
    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _words(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string())
