import datetime as dt

import pyarrow as pa
import pytest

from withhold.contracts.errors import DataError
from withhold.data.codec import TableCodec

NOW = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
TABLE = pa.table(
    {
        "count": pa.array([1, 2] * 10, pa.int16()),
        "size": pa.array([1.5, 2.5] * 10, pa.float32()),
        "name": pa.array(["a", "b"] * 10),
        "level": pa.array(["a", "b"] * 10).dictionary_encode(),
        "flag": [True, False] * 10,
        "at": pa.array([NOW, NOW + dt.timedelta(1)] * 10, pa.timestamp("us", "UTC")),
        "on": pa.array([NOW.date(), NOW.date() + dt.timedelta(1)] * 10),
        "took": pa.array([dt.timedelta(1), dt.timedelta(2)] * 10),
    }
)
CODEC = TableCodec.fit(TABLE)


def changed(name, column):
    return TABLE.slice(0, len(column)).set_column(TABLE.column_names.index(name), name, column)


def test_own_table_passes_unchanged_and_order_is_restored():
    assert CODEC.check(TABLE).equals(TABLE)
    assert CODEC.check(TABLE.select(TABLE.column_names[::-1]).append_column("more", TABLE["size"])).equals(TABLE)


@pytest.mark.parametrize(
    ("name", "column", "values"),
    [
        ("count", pa.array([5.0, None]), [5, None]),
        ("count", pa.array([True, False]), [1, 0]),
        ("count", pa.nulls(2), [None, None]),
        ("size", pa.array([3, 4]), [3.0, 4.0]),
        ("name", pa.array(["x", None]).dictionary_encode(), ["x", None]),
        ("name", pa.array(["x", "y"], pa.large_string()), ["x", "y"]),
        ("level", pa.array(["x", "b"]), ["x", "b"]),
        ("level", pa.array(["x", "b"], pa.large_string()).dictionary_encode(), ["x", "b"]),
        ("level", pa.nulls(2), [None, None]),
        ("at", pa.array([NOW, None], pa.timestamp("s", "Europe/Berlin")), [NOW, None]),
        ("on", pa.array([dt.datetime(2024, 1, 2)], pa.timestamp("ms")), [dt.date(2024, 1, 2)]),
    ],
)
def test_values_that_mean_the_same_convert(name, column, values):
    checked = CODEC.check(changed(name, column))[name]
    assert checked.to_pylist() == values
    wanted = TABLE.schema.field(name).type
    assert getattr(checked.type, "value_type", checked.type) == getattr(wanted, "value_type", wanted)
    CODEC.encode(changed(name, column))


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("count", pa.array([1.5, 2.0])),
        ("count", pa.array([70_000, 1])),
        ("count", pa.array(["1", "2"])),
        ("size", pa.array(["1", "2"])),
        ("name", pa.array([1, 2])),
        ("level", pa.array([1, 2])),
        ("flag", pa.array([1, 0])),
        ("at", pa.array([NOW.replace(tzinfo=None)] * 2, pa.timestamp("us"))),
        ("at", pa.array([1, 2])),
        ("on", pa.array([dt.timedelta(1)] * 2)),
        ("took", pa.array([NOW.date()] * 2)),
        ("count", pa.array([[1], [2]])),
    ],
)
def test_values_that_would_mean_something_else_are_refused_by_name(name, column):
    with pytest.raises(DataError, match=f"Column '{name}' is .* and was .* at the fit.* or fit again"):
        CODEC.encode(changed(name, column))


@pytest.mark.parametrize(
    ("name", "known", "strange"),
    [
        ("count", "1", "none"),
        ("at", "2024-01-01 00:00:00Z", "soon"),
        ("took", None, "1 day"),
        ("flag", "true", "maybe"),
    ],
)
def test_a_cell_that_cannot_be_read_is_named(name, known, strange):
    with pytest.raises(
        DataError, match=f"Column '{name}' holds '{strange}', which is no .* Correct or empty such cells"
    ):
        CODEC.encode(changed(name, pa.array([known, None, strange])))


def test_missing_columns_are_named():
    with pytest.raises(DataError, match="lacks fitted columns: 'count', 'took'"):
        CODEC.encode(TABLE.drop_columns(["took", "count"]))


def test_infinities_in_new_records_are_refused():
    with pytest.raises(DataError, match="'size' must be finite"):
        CODEC.encode(changed("size", pa.array([1.0, float("-inf")], pa.float32())))
