"""Hypothesis strategies for tables over every kind of column."""

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

_TEXT = st.text(alphabet="abcXYZ éß漢 0", max_size=4)
_DATES = st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1))
_TIMES = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))
_SPANS = st.integers(-(10**9), 10**9)


def _whole(kind: pa.DataType) -> st.SearchStrategy:
    info = np.iinfo(kind.to_pandas_dtype())
    return st.integers(max(int(info.min), -(2**40)), min(int(info.max), 2**40))


def _real(kind: pa.DataType) -> st.SearchStrategy:
    width = kind.bit_width
    limit = {16: 1000.0, 32: 2.0**60, 64: 2.0**200}[width]
    return st.floats(-limit, limit, width=width, allow_nan=False, allow_subnormal=False)


WHOLE = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
REAL = [pa.float16(), pa.float32(), pa.float64()]
TIME = [
    pa.date32(),
    pa.date64(),
    pa.timestamp("s"),
    pa.timestamp("us", "UTC"),
    pa.timestamp("ns", "Europe/Berlin"),
    pa.duration("ms"),
    pa.time32("s"),
    pa.time64("us"),
]
LEVELLED = [
    pa.bool_(),
    pa.string(),
    pa.large_string(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int16(), pa.large_string(), ordered=True),
    pa.dictionary(pa.int32(), pa.int64()),
]
KINDS = [*WHOLE, *REAL, *TIME, *LEVELLED, pa.decimal128(9, 2)]


def values(kind: pa.DataType) -> st.SearchStrategy:
    """Return a strategy for values of `kind`."""
    if pa.types.is_dictionary(kind):
        return st.sampled_from(range(5)) if pa.types.is_integer(kind.value_type) else st.sampled_from("abcde")
    if pa.types.is_integer(kind):
        return st.one_of(st.integers(0, 9), _whole(kind))
    if pa.types.is_floating(kind):
        return st.one_of(st.sampled_from([0.0, -0.0, 1.0, 2.5]), _real(kind))
    if pa.types.is_boolean(kind):
        return st.booleans()
    if pa.types.is_date(kind):
        return _DATES
    if pa.types.is_timestamp(kind):
        return _TIMES.map(lambda t: t.replace(microsecond=0, tzinfo=dt.UTC if kind.tz else None))
    if pa.types.is_duration(kind):
        return _SPANS.map(lambda s: dt.timedelta(milliseconds=s))
    if pa.types.is_time(kind):
        return st.times().map(lambda t: t.replace(microsecond=0))
    if pa.types.is_decimal(kind):
        return st.integers(-(10**8), 10**8).map(lambda i: decimal.Decimal(i).scaleb(-2))
    return _TEXT


@st.composite
def arrays(draw: st.DrawFn, kind: pa.DataType, n: int) -> pa.Array:
    """Return an array of `kind` with `n` rows, with or without missing values, of few or many different values."""
    pool = draw(st.lists(values(kind), min_size=1, max_size=draw(st.sampled_from([1, 3, 12]))))
    if draw(st.booleans()):
        pool.append(None)
    picks = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
    if pa.types.is_dictionary(kind):
        listed = list(range(4, -1, -1)) if pa.types.is_integer(kind.value_type) else list("ecbda")
        codes = [None if value is None else listed.index(value) for value in picks]
        return pa.DictionaryArray.from_arrays(
            pa.array(codes, kind.index_type), pa.array(listed, kind.value_type), ordered=kind.ordered
        )
    return pa.array(picks, kind)


@st.composite
def tables(draw: st.DrawFn, kinds: list[pa.DataType] = KINDS, max_rows: int = 40) -> pa.Table:
    """Return a table of one to four columns of any of `kinds`, and one column that varies."""
    n = draw(st.integers(2, max_rows))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    columns = {f"c{j}": draw(arrays(kind, n)) for j, kind in enumerate(chosen)}
    columns["varies"] = pa.array(np.arange(n) % 2 == 0)
    return pa.table(columns)


def chunked(table: pa.Table, cut: int) -> pa.Table:
    """Return `table` in two chunks whose dictionaries differ in order."""
    first, second = table.slice(0, cut), table.slice(cut)
    for j, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and second.num_rows:
            chunk = second.column(j).combine_chunks()
            chunk = chunk.chunk(0) if isinstance(chunk, pa.ChunkedArray) else chunk
            turned = chunk.dictionary.take(pa.array(np.arange(len(chunk.dictionary))[::-1]))
            codes = pa.array(
                [None if code is None else len(turned) - 1 - code for code in chunk.indices.to_pylist()],
                field.type.index_type,
            )
            array = pa.DictionaryArray.from_arrays(codes, turned, ordered=field.type.ordered)
            second = second.set_column(j, field, array)
    return pa.concat_tables([first, second])
