"""Lists as columns: entries by place, statistics of number lists of any length, values of maps by key."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.audit.statistics.arrays import Reals

Parts = Iterator[tuple[str, pa.ChunkedArray]]

# A list longer than this, or one of varying length, gets a column for each of its first and last entries only.
MOST_ENTRIES, ENDS = 4096, 8
# Entries that are added up, wherever in a list: a burst lasts a few.
WINDOW = 5
# Keys of a map that get a column each, the commonest first; a key of fewer rows is in the text of the value alone.
MOST_KEYS, LEAST_ROWS = 200, 3


def unpack(column: pa.ChunkedArray) -> Parts | None:
    """Return the parts of a nested column with their names; None where it has none and is read as text.

    Examples
    --------
    >>> column = pa.chunked_array([[[1.0, 2.0], None, [3.0, 4.0]]])
    >>> [(name, part.to_pylist()) for name, part in unpack(column)]
    [('[0]', [1.0, None, 3.0]), ('[1]', [2.0, None, 4.0]), (' is null', [False, True, False])]
    >>> [name for name, _ in unpack(pa.chunked_array([[[1.0, 2.0], [], [3.0]]]))][:4]
    [' length', ' sum', ' mean', ' sd']
    """
    kind = column.type
    if pa.types.is_map(kind):
        return _by_key(column)
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        return None
    if pa.types.is_list_view(kind) or len(column) == 0:
        return None
    lengths = pc.min_max(pc.list_value_length(column))
    low, high = lengths["min"].as_py(), lengths["max"].as_py()
    if low is not None and low == high and low > 0:
        return _by_place(column, low) if low <= MOST_ENTRIES else None
    element = kind.value_type
    if pa.types.is_struct(element) and element.num_fields:
        return _by_field(column)
    if pa.types.is_integer(element) or pa.types.is_floating(element) or pa.types.is_boolean(element):
        return _statistics(column)
    return None


def _by_place(column: pa.ChunkedArray, width: int) -> Parts:
    rows = column.combine_chunks()
    for position in range(width):
        yield f"[{position}]", pa.chunked_array([pc.list_element(rows, position)])
    if column.null_count:
        yield " is null", column.is_null()


def _by_field(column: pa.ChunkedArray) -> Parts:
    """Yield a list column for each field of lists of structs."""
    rows = column.combine_chunks()
    rows = rows.chunk(0) if isinstance(rows, pa.ChunkedArray) else rows
    flat, lengths = rows.flatten(), pc.list_value_length(rows).fill_null(0).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))
    for index, field in enumerate(rows.type.value_type):
        values = pa.LargeListArray.from_arrays(offsets, pc.struct_field(flat, index), mask=rows.is_null())
        yield f".{field.name}", pa.chunked_array([values])


def _statistics(column: pa.ChunkedArray) -> Parts:
    """Yield length, sum, moments, extremes, steps, the largest sum of neighbours, and the first and last entries."""
    flat = pc.list_flatten(column).cast(pa.float64(), safe=False).to_numpy()
    lengths = pc.list_value_length(column).fill_null(0).to_numpy()
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
    missing = column.is_null().to_numpy()
    yield " length", pa.chunked_array([pa.array(lengths, mask=missing)])
    for name, values in _described(flat, starts, lengths.astype(np.int64)).items():
        yield f" {name}", pa.chunked_array([pa.array(values, from_pandas=True)])


def _described(flat: Reals, starts: np.ndarray, lengths: np.ndarray) -> dict[str, Reals]:
    n, owner = len(lengths), np.repeat(np.arange(len(lengths)), lengths)
    some = lengths > 0
    out: dict[str, Reals] = {}

    def spread(values: Reals) -> Reals:
        full = np.full(n, np.nan)
        full[some] = values
        return full

    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        first = starts[some]
        if len(first) == 0:
            return out
        total = np.add.reduceat(flat, first)
        out["sum"], out["mean"] = spread(total), spread(total / lengths[some])
        out["sd"] = spread(np.sqrt(np.add.reduceat((flat - out["mean"][owner]) ** 2, first) / lengths[some]))
        out["least"], out["largest"] = (
            spread(np.minimum.reduceat(flat, first)),
            spread(np.maximum.reduceat(flat, first)),
        )
        ordered = flat[np.lexsort((flat, owner))]
        out["median"] = spread(ordered[first + (lengths[some] - 1) // 2])
        steps = np.abs(np.diff(flat, prepend=flat[:1]))
        steps[first] = 0.0
        out["mean step"] = spread(np.add.reduceat(steps, first) / np.maximum(lengths[some] - 1, 1))
        sums = np.concatenate([[0.0], np.cumsum(flat)])
        ends = starts[owner] + lengths[owner]
        here = np.arange(len(flat))
        out["largest sum of neighbours"] = spread(
            np.maximum.reduceat(sums[np.minimum(here + WINDOW, ends)] - sums[here], first)
        )
    for place in range(ENDS):
        far = lengths > place
        for name, index in ((f"entry {place}", starts + place), (f"entry {-1 - place}", starts + lengths - 1 - place)):
            values = np.full(n, np.nan)
            values[far] = flat[index[far]]
            out[name] = values
    return out


def _by_key(column: pa.ChunkedArray) -> Parts | None:
    """Return a column of values for each of the commonest keys; None where no key stands in several rows."""
    rows = column.to_pylist()
    counts: dict[object, int] = {}
    for row in rows:
        for key in {key for key, _ in row or ()}:
            counts[key] = counts.get(key, 0) + 1
    keys = sorted((key for key in counts if counts[key] >= LEAST_ROWS), key=lambda key: (-counts[key], str(key)))
    if not keys:
        return None
    return _keyed(column, [dict(row) if row is not None else {} for row in rows], keys[:MOST_KEYS])


def _keyed(column: pa.ChunkedArray, rows: list[dict[object, object]], keys: list[object]) -> Parts:
    for key in keys:
        yield f"[{key!r}]", pa.chunked_array([pa.array([row.get(key) for row in rows], column.type.item_type)])
    yield " keys", pa.chunked_array([pa.array([len(row) for row in rows], mask=column.is_null().to_numpy())])
