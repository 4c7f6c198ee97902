"""Exact values of records as bytes, the same wherever a record stands and however its table is stored."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from withhold.data.arrow_types import comparable, family, value_type
from withhold.data.columns.column import Column
from withhold.data.columns.storage import integers, plain
from withhold.data.transposition import CHUNK, turned

# A missing integer or time: the one int64 that Arrow's and NumPy's own "not a time" use.
_MISSING = np.iinfo(np.int64).min
_NAN = np.float64("nan").view(np.int64)
_DIGEST = 16


def canonical_width(column: Column) -> int:
    """Return the bytes that one value of `column` takes: 8, for text and decimals 16."""
    return _DIGEST if family(value_type(column.arrow_type)) in ("text", "decimal") else 8


def canonical_bytes(table: pa.Table, columns: Sequence[Column]) -> np.ndarray:
    """Return the bytes of each row of `table`, which is cast to `columns` already; uint8 (n, m).

    Floats are the 8 bytes of their float64 value with one zero and one NaN; integers, booleans and times of their
    int64; text a 16-byte BLAKE2b digest of the value; decimals such a digest of their text.
    """
    widths = [canonical_width(column) // 8 for column in columns]
    out = np.empty((table.num_rows, sum(widths)), dtype=np.int64)
    for first in range(0, table.num_rows, CHUNK):
        part = table.slice(first, CHUNK)
        words = np.empty((sum(widths), part.num_rows), dtype=np.int64)
        start = 0
        for column, width in zip(columns, widths, strict=True):
            values = part.column(column.name)
            words[start : start + width] = _hashed(values).T if width > 1 else _words(values)
            start += width
        turned(words, out[first : first + CHUNK])
    return out.view(np.uint8).reshape(table.num_rows, 8 * sum(widths))


def _words(column: pa.ChunkedArray) -> np.ndarray:
    column = plain(column)
    if pa.types.is_null(column.type):
        return np.full(len(column), _MISSING)
    if family(column.type) == "float":
        values = column.to_numpy().astype(np.float64) + 0.0  # -0.0 + 0.0 is 0.0
        words: np.ndarray = values.view(np.int64)
        words[np.isnan(values)] = _NAN
        return words
    values, missing = integers(column)
    words = np.array(values, dtype=np.int64)
    if missing is not None:
        words[missing] = _MISSING
    return words


def _hashed(column: pa.ChunkedArray) -> np.ndarray:
    column = comparable(column)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    parts = [np.empty((0, 2), dtype=np.int64)]
    for chunk in column.chunks:
        listed = pc.cast(chunk.dictionary, pa.string()).to_pylist()
        digests = [bytes(_DIGEST) if value is None else _digest(value) for value in listed]
        table = np.frombuffer(b"".join([*digests, bytes(_DIGEST)]), dtype=np.int64).reshape(-1, 2)
        codes = chunk.indices.cast(pa.int64()).fill_null(len(listed)).to_numpy(zero_copy_only=False)
        parts.append(table[codes])
    return np.concatenate(parts)


def _digest(value: str) -> bytes:
    return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
