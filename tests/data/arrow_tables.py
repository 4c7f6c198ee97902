"""Random tables over every Arrow type: all missing, one known, constant, extreme, nested, chunked, in any container."""

import decimal
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

Rng = np.random.Generator

FORMS = (
    "varied",
    "varied",
    "few",
    "few",
    "holes",
    "constant",
    "constant with holes",
    "missing",
    "one known",
    "extreme",
)
INDEX = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()]
ZONES = (None, "UTC", "Europe/Berlin", "+05:30")

WHOLE = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
REAL = [pa.float16(), pa.float32(), pa.float64()]
DECIMAL = [
    pa.decimal32(7, 2), pa.decimal64(15, 4), pa.decimal128(9, 2), pa.decimal128(38, 0), pa.decimal128(20, -3),
    pa.decimal256(50, 10),
]  # fmt: skip
TIMES = [
    pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
    *(pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in ZONES),
    *(pa.duration(unit) for unit in ("s", "ms", "us", "ns")),
]  # fmt: skip
TEXT = [pa.string(), pa.large_string(), pa.string_view()]
BINARY = [pa.binary(), pa.large_binary(), pa.binary(4), pa.binary_view()]
LABELLED = [
    *(pa.dictionary(index, pa.string()) for index in INDEX),
    pa.dictionary(pa.int8(), pa.string(), ordered=True),
    *(
        pa.dictionary(pa.int16(), kind)
        for kind in (
            pa.large_string(), pa.string_view(), pa.bool_(), pa.int64(), pa.uint64(), pa.float16(), pa.float64(),
            pa.date32(), pa.timestamp("ns"), pa.timestamp("us", "UTC"), pa.time64("us"), pa.duration("ms"),
            pa.decimal128(9, 2), pa.binary(), pa.null(), pa.list_(pa.int64()),
            pa.struct([("a", pa.int8()), ("b", pa.string())]),
        )
    ),
]  # fmt: skip
_NESTED = [
    pa.list_(pa.int64()), pa.large_list(pa.float32()), pa.list_(pa.int16(), 3), pa.list_(pa.string()),
    pa.list_view(pa.int32()), pa.large_list_view(pa.string()), pa.list_(pa.list_(pa.float64())),
    pa.list_(pa.float32(), 0), pa.list_(pa.null()),
    pa.struct([("a", pa.int8()), ("b", pa.string())]), pa.struct([]), pa.map_(pa.string(), pa.int32()),
    pa.list_(pa.struct([("x", pa.timestamp("us")), ("y", pa.dictionary(pa.int8(), pa.string()))])),
    pa.struct([("a", pa.list_(pa.int8())), ("b", pa.struct([("c", pa.decimal128(5, 1))]))]),
    pa.dense_union([pa.field("i", pa.int64()), pa.field("s", pa.string())]),
    pa.sparse_union([pa.field("f", pa.float64()), pa.field("b", pa.bool_())]),
]  # fmt: skip
OTHER = [
    pa.null(), pa.bool_(), pa.month_day_nano_interval(),
    pa.run_end_encoded(pa.int32(), pa.int64()), pa.run_end_encoded(pa.int16(), pa.string()),
    pa.uuid(), pa.json_(), pa.bool8(), pa.opaque(pa.int64(), "grade", "clinic"),
    pa.fixed_shape_tensor(pa.float32(), (3,)), pa.fixed_shape_tensor(pa.uint8(), (4, 4)),
]  # fmt: skip
KINDS = [*WHOLE, *REAL, *DECIMAL, *TIMES, *TEXT, *BINARY, *LABELLED, *_NESTED, *OTHER]


def random_table(rng: Rng, kinds: list[pa.DataType], n: int | None = None) -> pa.Table:
    """Return a table with a column c0, c1, ... of each of `kinds`, a number `x`, a label `s` and a label `u`.

    The form of each column (varied, constant, all missing, extreme, ...) is drawn, and so are the chunks.
    """
    n = int(rng.integers(60, 301)) if n is None else n
    s = rng.integers(0, 2, n)
    columns = {f"c{j}": array(rng, kind, n, str(rng.choice(FORMS))) for j, kind in enumerate(kinds)}
    columns["x"] = pa.array(rng.normal(size=n) + s)
    columns["s"] = pa.array(np.array(["f", "m"])[s])
    columns["u"] = pa.array(np.array(["no", "yes"])[rng.integers(0, 2, n)])
    table = pa.table(columns)
    if rng.random() < 0.3:  # in two chunks, of a table that was cut out of a longer one
        cut = int(rng.integers(1, n - 1))
        table = pa.concat_tables([table.slice(0, cut), table.slice(cut)])
    return table


def array(rng: Rng, kind: pa.DataType, n: int, form: str) -> pa.Array:
    """Return `n` values of `kind` in a form of `FORMS`."""
    if pa.types.is_null(kind):
        return pa.nulls(n)
    size = {"few": 4, "constant": 1, "constant with holes": 1, "one known": 1}.get(form, int(rng.integers(5, n)))
    picks = rng.integers(0, size, n)
    missing = np.zeros(n, bool)
    if form in ("holes", "constant with holes", "extreme"):
        missing = rng.random(n) < 0.3
    if form in ("missing", "one known"):
        missing[:] = True
    if form == "one known":
        missing[rng.integers(n)] = False
    return _array(rng, kind, picks, missing, size, form == "extreme")


def _array(rng: Rng, kind: pa.DataType, picks: np.ndarray, missing: np.ndarray, size: int, extreme: bool) -> pa.Array:
    """Return the values `picks` of `size` different ones, null where `missing`."""
    n = len(picks)
    if pa.types.is_dictionary(kind):
        size = min(size, 100)
        levels = pool(rng, kind.value_type, size + 3, extreme)  # three that no row has
        codes = pa.array(picks % size, kind.index_type, mask=missing)
        return pa.DictionaryArray.from_arrays(codes, levels, ordered=kind.ordered)
    if pa.types.is_run_end_encoded(kind):
        plain = _array(rng, kind.value_type, np.sort(picks), missing, size, extreme)
        return pc.run_end_encode(plain, run_end_type=kind.run_end_type)
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _array(rng, kind.storage_type, picks, missing, size, extreme))
    if pa.types.is_union(kind):
        parts = [_array(rng, field.type, picks, missing, size, extreme) for field in kind]
        codes = pa.array(rng.integers(0, len(parts), n), pa.int8())
        names = [field.name for field in kind]
        if kind.mode == "sparse":
            return pa.UnionArray.from_sparse(codes, parts, names)
        return pa.UnionArray.from_dense(codes, pa.array(np.arange(n), pa.int32()), parts, names)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        plain = pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary()
        return _array(rng, plain, picks, missing, size, extreme).cast(kind)
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        listed = _array(rng, pa.list_(kind.value_type), picks, missing, size, extreme)
        return pa.array(listed.to_pylist(), kind)
    values = pool(rng, kind, size, extreme)
    return values.take(pa.array(picks, mask=missing)) if len(values) else pa.nulls(n, kind)


def pool(rng: Rng, kind: pa.DataType, size: int, extreme: bool) -> pa.Array:
    """Return `size` values of `kind`, none missing; the largest and smallest of the type among them if `extreme`."""
    if pa.types.is_null(kind):
        return pa.nulls(size)
    if pa.types.is_boolean(kind):
        return pa.array(np.arange(size) % 2 == 0)
    if pa.types.is_integer(kind):
        return pa.array(_whole(rng, np.dtype(kind.to_pandas_dtype()), size, extreme))
    if pa.types.is_floating(kind):
        return pa.array(_real(rng, np.dtype(kind.to_pandas_dtype()), size, extreme), from_pandas=False)
    if pa.types.is_decimal(kind):
        return _decimals(rng, kind, size, extreme)
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return _times(rng, kind, size, extreme)
    if pa.types.is_interval(kind):
        return pa.array([(int(m), int(d), 5) for m, d in rng.integers(-9, 9, (size, 2))], kind)
    if pa.types.is_dictionary(kind) or pa.types.is_string_view(kind):
        return _array(rng, kind, np.arange(size), np.zeros(size, bool), size, extreme)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        odd = ["", " ", "nan", "NULL", "ß漢\U0001f600", "=1+1", "a" * 300] if extreme else ["b"]
        return pa.array([odd[i % len(odd)] + ("" if i < len(odd) else str(i)) for i in range(size)], kind)
    if pa.types.is_fixed_size_binary(kind):
        return pa.array([rng.bytes(kind.byte_width) for _ in range(size)], kind)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return pa.array([rng.bytes(int(rng.integers(0, 5))) for _ in range(size)], kind)
    return _nested(rng, kind, size, extreme)


def _nested(rng: Rng, kind: pa.DataType, size: int, extreme: bool) -> pa.Array:
    if pa.types.is_struct(kind):
        parts = [pool(rng, field.type, size, extreme) for field in kind]
        return pa.StructArray.from_arrays(parts, fields=list(kind)) if parts else pa.array([{}] * size, kind)
    if pa.types.is_fixed_size_list(kind):
        if kind.list_size == 0:
            return pa.array([[]] * size, kind)
        values = pool(rng, kind.value_type, size * kind.list_size, extreme)
        return pa.FixedSizeListArray.from_arrays(values, type=kind)
    offsets = np.append(0, np.cumsum(rng.integers(0, 4, size)))
    if pa.types.is_map(kind):
        keys, items = (pool(rng, part, int(offsets[-1]), extreme) for part in (kind.key_type, kind.item_type))
        return pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), keys, items)
    values = pool(rng, kind.value_type, int(offsets[-1]), extreme)
    large = pa.types.is_large_list(kind)
    maker = pa.LargeListArray if large else pa.ListArray
    return maker.from_arrays(pa.array(offsets, pa.int64() if large else pa.int32()), values)


def _whole(rng: Rng, dtype: np.dtype, size: int, extreme: bool) -> np.ndarray:
    limits = np.iinfo(dtype)
    values = rng.integers(max(limits.min, -1000), min(limits.max, 1000), size).astype(dtype)
    if extreme:
        values[:3] = [limits.max, limits.min, limits.max - 1][: len(values)]
    return values


def _real(rng: Rng, dtype: np.dtype, size: int, extreme: bool) -> np.ndarray:
    values = rng.normal(size=size)
    if not extreme:
        return np.round(values, int(rng.integers(0, 9))).astype(dtype)
    limits = np.finfo(dtype)
    sort = rng.integers(4)
    if sort == 0:  # no scale holds an infinity
        values[:3] = [np.inf, -np.inf, np.nan]
    elif sort == 1:
        values = np.where(values > 0, limits.max, limits.min)
    elif sort == 2:
        values = values * 1e-300
    else:
        values[:5] = [limits.max, limits.tiny, -0.0, np.nan, limits.smallest_subnormal]
    return values.astype(dtype)


def _decimals(rng: Rng, kind: pa.DataType, size: int, extreme: bool) -> pa.Array:
    digits = kind.precision if extreme else min(6, kind.precision)
    whole = [int("".join(map(str, rng.integers(0, 10, digits)))) * (-1) ** i for i in range(size)]
    if extreme:
        whole[:2] = [10**kind.precision - 1, 1 - 10**kind.precision]
    with decimal.localcontext(prec=100):
        return pa.array([decimal.Decimal(i).scaleb(-kind.scale) for i in whole], kind)


def _times(rng: Rng, kind: pa.DataType, size: int, extreme: bool) -> pa.Array:
    """Return dates and times by the integers that store them, which reach farther than Python's."""
    stored = pa.int32() if kind.bit_width == 32 else pa.int64()
    per_day = 1 if pa.types.is_date32(kind) else 86400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[_unit(kind)]
    if pa.types.is_time(kind):
        values = rng.integers(0, per_day, size)
        values[:2] = [0, per_day - 1][: len(values)] if extreme else values[:2]
        return pa.array(values, stored).cast(kind)
    values = rng.integers(-10_000, 20_000, size) * per_day
    if not pa.types.is_date(kind):
        values += rng.integers(0, per_day, size)
    if extreme:
        most = 2**31 - 1 if stored == pa.int32() else (2**63 - 1) // per_day * per_day
        near = per_day * int(rng.choice([700_000, 2_900_000])) if per_day < 10**12 else 2**62
        values[:3] = [[most, -most, 0], [near, -near, 1], [near, 0, -per_day]][rng.integers(3)][: len(values)]
        if pa.types.is_date64(kind):
            values = values // per_day * per_day
    return pa.array(values, stored).view(kind)


def _unit(kind: pa.DataType) -> str:
    return "ms" if pa.types.is_date64(kind) else str(kind.unit) if hasattr(kind, "unit") else "s"


def _nullable(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get)


CONTAINERS: dict[str, Callable[[pa.Table], object]] = {
    "pyarrow": lambda table: table,
    "pandas of numpy": lambda table: table.to_pandas(),
    "pandas of arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, nullable": _nullable,
    "polars": pl.from_arrow,
}


def in_container(table: pa.Table, container: str) -> object:
    """Return `table` in a library's container, without the columns that this library cannot hold."""
    for field in table.schema:
        try:
            if container == "polars" and not _in_polars(field.type):
                raise NotImplementedError
            CONTAINERS[container](table.select([field.name]))
        except Exception:  # whatever that library raises
            table = table.drop_columns([field.name])
    return CONTAINERS[container](table)


def _in_polars(kind: pa.DataType) -> bool:
    """Whether polars reads this type: it panics at some that it does not."""
    if pa.types.is_decimal(kind):
        return kind.bit_width < 256 and kind.scale >= 0
    return not (pa.types.is_fixed_size_list(kind) and kind.list_size == 0)
