import datetime as dt
import decimal
import json
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.table_strategies import LEVELLED, REAL, TIME, WHOLE, chunked, tables
from withhold.contracts.errors import DataError, InvalidParameterError, NumericalError
from withhold.data.codec import TableCodec
from withhold.data.columns.storage import integers, numbers
from withhold.data.frames import from_arrow, to_frame

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def fit(table, **options):
    """Fit without pooling or dropping, so that what is left is exact."""
    return TableCodec.fit(table, keep=table.column_names, min_rows=1, **options)


def assert_close(codec, table, decoded):
    """Levels and missing values come back exactly; numbers, clipped to the end knots, to float32 or half accuracy."""
    assert decoded.schema.equals(codec.schema.arrow)
    for column in codec.columns:
        before, after = table.column(column.name), decoded.column(column.name)
        assert before.type == after.type
        nan = pa.types.is_floating(before.type)
        assert before.is_null(nan_is_null=nan).equals(after.is_null(nan_is_null=nan))
        if column.kind == "categorical":
            assert before.to_pylist() == after.to_pylist()
        if column.kind == "numeric":
            x, _ = numbers(before, column.name, column.origin)
            y, _ = numbers(after, column.name, column.origin)
            low, high = column.range
            known = ~np.isnan(x)
            clipped = np.clip(x, low, high) if column.scaling == "score" or column.grid.step else x
            # Numbers about their mean are in units of their spread, which one far outside the range can set.
            scale = (
                high - low if column.scaling == "score" else max(high - low, np.abs(x[np.isfinite(x)]).max(initial=0.0))
            )
            own = 1e-3 if pa.types.is_float16(before.type) else 1e-6  # half floats have eleven bits
            np.testing.assert_allclose(y[known], clipped[known], rtol=own, atol=2e-4 * scale)


@QUICK
@given(tables())
def test_decode_inverts_encode(table):
    codec = fit(table)
    assert_close(codec, table, codec.decode(codec.encode(table)))


@QUICK
@given(tables(kinds=[*WHOLE, *REAL, *TIME]))
def test_affine_decode_inverts_encode(table):
    codec = fit(table, numeric="affine")
    assert_close(codec, table, codec.decode(codec.encode(table)))


@QUICK
@given(tables())
def test_schema_survives_json(table):
    codec = fit(table)
    again = TableCodec.from_json(codec.to_json())
    assert again.schema == codec.schema
    json.loads(codec.to_json())
    np.testing.assert_array_equal(again.encode(table), codec.encode(table))
    assert again.decode(codec.encode(table)).equals(codec.decode(codec.encode(table)))


@QUICK
@given(tables(), st.data())
def test_neither_features_nor_bytes_nor_schema_depend_on_chunks(table, data):
    codec = fit(table)
    other = chunked(table, data.draw(st.integers(0, table.num_rows)))
    np.testing.assert_array_equal(codec.encode(other), codec.encode(table))
    np.testing.assert_array_equal(codec.canonical_bytes(other), codec.canonical_bytes(table))
    np.testing.assert_array_equal(codec.cells(other), codec.cells(table))
    rows = data.draw(st.permutations(range(table.num_rows)))
    np.testing.assert_array_equal(codec.canonical_bytes(table.take(rows)), codec.canonical_bytes(table)[rows])
    np.testing.assert_array_equal(codec.encode(table.take(rows)), codec.encode(table)[rows])


@QUICK
@given(tables(), st.data())
def test_the_fit_does_not_depend_on_the_order_of_rows(table, data):
    rows = data.draw(st.permutations(range(table.num_rows)))
    assert fit(table.take(rows)).schema.names == fit(table).schema.names
    for a, b in zip(fit(table.take(rows)).columns, fit(table).columns, strict=True):
        dumped = [column.model_dump(exclude={"mean", "std"}) for column in (a, b)]
        assert dumped[0] == dumped[1]


@QUICK
@given(tables(), st.floats(0, 1, exclude_max=True))
def test_values_from_cells_lie_in_their_cells(table, u):
    codec = fit(table)
    cells = codec.cells(table)
    assert (cells >= 0).all()
    assert (cells < np.array(codec.cell_counts)).all()
    for uniform in (None, np.full(cells.shape, u)):
        values = codec.from_cells(cells, uniform)
        assert values.schema.equals(codec.schema.arrow)
        np.testing.assert_array_equal(codec.cells(values), cells)


@QUICK
@given(tables(kinds=[*WHOLE, *TIME, *LEVELLED]), st.integers(0, 2**32 - 1), st.floats(0, 100))
def test_whatever_is_decoded_is_valid(table, seed, scale):
    """Any features at all decode into the types, the categories and the range seen in fitting."""
    codec = fit(table)
    H = scale * np.random.default_rng(seed).standard_normal((7, codec.width))
    decoded = codec.decode(H)
    assert decoded.schema.equals(codec.schema.arrow)
    for column in codec.columns:
        before, after = table.column(column.name).drop_null(), decoded.column(column.name).drop_null()
        if column.kind != "numeric":
            assert set(after.to_pylist()) <= set(before.to_pylist())
        elif len(after):
            seen, got = integers(before)[0], integers(after)[0]
            assert seen.min() <= got.min()
            assert got.max() <= seen.max()


@pytest.mark.parametrize("numeric", ["score", "affine"])
def test_pandas_polars_and_arrow_come_back_as_they_were(numeric):
    n = 40
    frame = pd.DataFrame(
        {
            "small": np.arange(n, dtype="int8") % 7,
            "nullable": pd.array([None, 1, 2, 5] * 10, dtype="Int64"),
            "real": [0.5, np.nan, 2.25, 1.0] * 10,
            "half": np.tile(np.arange(4, dtype="float16"), 10),
            "text": ["a", None, "b", "b"] * 10,
            "object": np.array(["a", None, "b", "b"] * 10, dtype=object),
            "flag": [True, False] * 20,
            "flags": np.array([True, False, None, True] * 10, dtype=object),
            "grade": pd.Categorical(["lo", "hi", None, "lo"] * 10, categories=["lo", "mid", "hi"], ordered=True),
            "code": pd.Categorical([3, 1, 3, 1] * 10),
            "day": [dt.date(2020, 1, 1), None, dt.date(2021, 5, 1), dt.date(2020, 1, 2)] * 10,
            "when": pd.to_datetime(["2020-01-01", None, "2021-01-01", "2020-07-01"] * 10),
            "zoned": pd.to_datetime(["2020-01-01", None, "2021-01-01", "2020-07-01"] * 10).tz_localize("Europe/Berlin"),
            "span": pd.to_timedelta([1, 2, None, 4] * 10, unit="h"),
            "price": [decimal.Decimal("1.50"), decimal.Decimal("2.25"), None, decimal.Decimal("2.25")] * 10,
            "arrow": pd.array([1, None, 2, 2] * 10, dtype="int32[pyarrow]"),
        },
        index=np.arange(n) * 2,
    )
    read = to_frame(frame)
    codec = TableCodec.from_json(fit(read.table, numeric=numeric).to_json())
    pd.testing.assert_frame_equal(read.native(codec.decode(codec.encode(read.table))), frame)

    polar = pl.DataFrame(
        {
            "category": pl.Series(["a", "b", None, "b"] * 10, dtype=pl.Categorical),
            "enum": pl.Series(["a", "b", None, "b"] * 10, dtype=pl.Enum(["b", "a", "never"])),
            "day": [dt.date(2020, 1, 1), None, dt.date(2021, 5, 1), dt.date(2020, 1, 2)] * 10,
            "byte": pl.Series([1, 2, 3, 200] * 10, dtype=pl.UInt8),
            "text": ["a", None, "b", "b"] * 10,
            "clock": [dt.time(1, 2), dt.time(5), None, dt.time(1, 2)] * 10,
        }
    )
    read = to_frame(polar)
    codec = TableCodec.from_json(fit(read.table, numeric=numeric).to_json())
    back = from_arrow(codec.decode(codec.encode(read.table)), "polars")
    assert back.schema == polar.schema
    assert back.equals(polar)


def test_unseen_levels_and_missing_values_go_to_the_pool_else_to_the_most_frequent():
    pooled = TableCodec.fit(pa.table({"x": ["a"] * 20 + ["b"] * 30 + ["rare"] * 3}))
    plain = TableCodec.fit(pa.table({"x": ["a"] * 20 + ["b"] * 30}))
    new = pa.table({"x": ["a", "never", None, "rare"]})
    assert pooled.encode(new).tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]]
    assert plain.encode(new).tolist() == [[1, 0], [0, 1], [0, 1], [0, 1]]
    assert pooled.decode(pooled.encode(new))["x"].to_pylist() == ["a", "other", "other", "other"]


def test_missing_number_unseen_in_fitting_is_the_middle():
    codec = TableCodec.fit(pa.table({"x": list(range(101)) * 2}), continuous=["x"])
    assert codec.decode(codec.encode(pa.table({"x": pa.array([None, 3, 97], pa.int64())})))["x"][0].as_py() == 50


def test_no_extreme_value_and_no_rare_name_is_in_the_schema():
    x = [*range(1000), 123456789]
    name = ["common"] * 996 + ["uncommon-name"] * 5
    for numeric in ("score", "affine"):
        text = TableCodec.fit(pa.table({"x": x, "name": name}), continuous=["x"], numeric=numeric).to_json()
        assert "123456789" not in text
        assert "uncommon-name" not in text
        assert '"common"' in text


def test_atoms_survive_noise_and_zero_inflation():
    rng = np.random.default_rng(0)
    x = np.where(rng.random(5000) < 0.9, 0.0, rng.lognormal(8, 1, 5000))
    codec = TableCodec.fit(pa.table({"x": x}))
    H = codec.encode(pa.table({"x": x}))
    noisy = codec.decode(H + 0.05 * rng.standard_normal(H.shape))["x"].to_numpy()
    assert (noisy[x == 0] == 0).mean() > 0.99
    assert (noisy[x > 0] > 0).mean() > 0.9


def test_integers_stay_integers_and_overrides_hold():
    table = pa.table({"few": [1, 2, 5] * 20, "code": [1, 2, 5] * 20, "flag": [True, False, True] * 20})
    codec = TableCodec.fit(table, categorical=["code"], continuous=["flag"])
    assert [column.kind for column in codec.columns] == ["numeric", "categorical", "numeric"]
    assert codec.decode(codec.encode(table)).equals(table)
    assert codec.cell_offsets == (0, 3, 6, 8)


def test_blocks_cover_the_features_and_skip_constants():
    table = pa.table({"a": [1.5, 2.5] * 10, "same": ["x"] * 20, "b": ["u", None] * 10})
    codec = TableCodec.fit(table)
    assert [(b.column, b.kind, b.start, b.stop) for b in codec.blocks] == [
        ("a", "numeric", 0, 1),
        ("b", "constant", 1, 2),
    ]
    assert codec.width == 2
    assert codec.decode(codec.encode(table)).equals(table)


@pytest.mark.parametrize(
    ("column", "code"),
    [
        (pa.array(["same"] * 50), "constant_column"),
        (pa.array([7] * 50), "constant_column"),
        (pa.array([None] * 50, pa.float64()), "constant_column"),
        (pa.nulls(50), "constant_column"),
        (pa.nulls(50, pa.dictionary(pa.int8(), pa.string())), "constant_column"),
        # Floats hold none of these exactly.
        (pa.array([2**64 - 1] * 50, pa.uint64()), "constant_column"),
        (pa.array([2**62 + 1] * 50).cast(pa.timestamp("us")), "constant_column"),
        (pa.array([Decimal(10**37 + 1)] * 50, pa.decimal128(38, 0)), "constant_column"),
    ],
)
def test_constant_and_missing_columns_are_named_and_come_back(column, code):
    table = pa.table({"it": column, "x": [1, 2] * 25})
    codec = TableCodec.fit(table)
    assert [(finding.code, finding.column) for finding in codec.findings] == [(code, "it")]
    decoded = codec.decode(codec.encode(table))
    assert decoded.column_names == ["it", "x"]
    assert decoded["it"].combine_chunks().equals(column)
    assert decoded["it"].type == column.type
    assert codec.cell_counts == (1, 2)


def test_ten_thousand_categories_are_capped():
    names = [f"level {i}" for i in range(10_000) for _ in range(12)]
    table = pa.table({"many": names, "x": [0, 1] * 60_000})
    codec = TableCodec.fit(table)
    assert codec.width == 256 + 1 + 1
    assert [finding.code for finding in codec.findings] == ["many_levels"]
    assert set(codec.decode(codec.encode(table.slice(0, 5000)))["many"].to_pylist()) <= {*names, "other"}


def test_identifiers_and_free_text_are_dropped_unless_kept():
    n = 300
    table = pa.table(
        {
            "patient_id": [i // 2 * 17 + 100 for i in range(n)][::-1],
            "row": list(range(n)),
            "email": [f"p{i}@example.org" for i in range(n)],
            "note": [f"patient {i % 150} says that it hurts a bit" for i in range(n)],
            "age": [20 + i % 50 for i in range(n)],
            "income": [i * 1.5 for i in range(n)],
        }
    )
    codec = TableCodec.fit(table, keep=["row"])
    assert [(d.name, d.reason) for d in codec.schema.dropped] == [("email", "identifier"), ("note", "free_text")]
    codec = TableCodec.fit(table.set_column(0, "patient_id", pa.array([i * 17 % 4999 for i in range(n)])))
    assert codec.schema.names == ("age", "income")
    assert {f.code for f in codec.findings} == {"identifier_dropped", "free_text_dropped"}
    assert all(f"keep=[{f.column!r}]" in f.text for f in codec.findings)
    assert TableCodec.fit(table, drop=["age"]).schema.dropped[-1].reason == "asked"


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (pa.table([[1], [2]], names=["a", "a"]), {}, "Two columns of the table are called 'a'"),
        (pa.table({"a": [1.0, float("inf")]}), {}, "'a' must be finite"),
        (pa.table({"a": [[1], [2]], "c": [b"", b"x"]}), {}, "Columns 'a' (list<item: int64>) and 'c' (binary) have"),
        (pa.table({"a": [{"b": 1}, {"b": 2}]}), {}, "or drop it"),
        (pa.table({"a": [b"x", b"y"]}), {}, "Column 'a' (binary) has neither a scale nor levels"),
        (pa.table({"a": pa.array([], pa.int8())}), {}, "at least one row"),
        (pa.table({"a": ["x"] * 20}), {}, "no column that varies (1 constant, 0 dropped)"),
        (pa.table({"age": [1, 2]}), {"keep": ["agee"]}, "Did you mean 'age'"),
        (pa.table({"age": [1, 2]}), {"drop": ["sex"]}, "The columns are: 'age'"),
    ],
)
def test_bad_tables_are_refused_with_the_column_named(table, options, words):
    with pytest.raises(DataError, match=re.escape(words)):
        TableCodec.fit(table, **options)


def test_text_cannot_be_declared_continuous_and_scaling_is_a_closed_list():
    with pytest.raises(InvalidParameterError, match="'a' is declared continuous but"):
        TableCodec.fit(pa.table({"a": ["x", "y"] * 20}), continuous=["a"])
    with pytest.raises(InvalidParameterError, match="'score' or 'affine'"):
        TableCodec.fit(pa.table({"a": [1, 2]}), numeric="log")


def test_features_that_are_no_numbers_are_refused():
    codec = TableCodec.fit(pa.table({"a": [1.0, 2.5] * 20, "b": ["x", "y"] * 20}))
    H = codec.encode(pa.table({"a": [1.0], "b": ["x"]}))
    for j in range(codec.width):
        bad = H.copy()
        bad[0, j] = np.nan
        with pytest.raises(NumericalError, match="diverged"):
            codec.decode(bad)
    with pytest.raises(DataError, match=r"shape \(n, 3\)"):
        codec.decode(H[:, :2])


def test_read_only_and_empty_input():
    codec = TableCodec.fit(pa.table({"a": [1, 2] * 20, "b": ["x", None] * 20}))
    H = codec.encode(pa.table({"a": [1, 2], "b": ["x", None]}))
    H.setflags(write=False)
    assert codec.decode(H).to_pylist() == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    empty = pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})
    assert codec.encode(empty).shape == (0, codec.width)
    assert codec.decode(np.empty((0, codec.width))).schema == codec.schema.arrow
    assert codec.canonical_bytes(empty).shape[0] == 0


KINDS_ARROW_SORTS_NOT = {
    "half": pa.array(np.repeat(np.array([0.5, 1.5, np.nan], np.float16), 20), from_pandas=False),
    "small decimal": pa.array([Decimal("1.5"), Decimal("-2.5"), None] * 20, pa.decimal32(5, 1)),
    "thousands": pa.array([Decimal(1000), Decimal(2000), None] * 20, pa.decimal128(5, -3)),
}


@pytest.mark.parametrize("name", KINDS_ARROW_SORTS_NOT)
@pytest.mark.parametrize("asked", [{}, {"categorical": ["it"]}])
def test_types_that_arrow_neither_sorts_nor_counts(name, asked):
    table = pa.table({"it": KINDS_ARROW_SORTS_NOT[name]})
    for codec in (TableCodec.fit(table, **asked), TableCodec.fit(table, **asked, numeric="affine")):
        tally = codec.tally()
        decoded = TableCodec.from_json(codec.to_json()).decode(codec.encode(table, tally))
        assert decoded.schema.equals(table.schema)
        assert str(decoded["it"].to_pylist()) == str(table["it"].to_pylist())
        assert tally.columns["it"].unseen == 0
        assert len(np.unique(codec.canonical_bytes(table), axis=0)) == 3


def test_the_largest_decimals_stay_in_their_type():
    most = 10**38 - 1
    table = pa.table(
        {
            "it": pa.array([Decimal(most), Decimal(-most), Decimal(0)] * 20, pa.decimal128(38, 0)),
            "x": [1.0, 2.0, 3.0] * 20,
        }
    )
    codec = TableCodec.fit(table, numeric="affine")
    decoded = codec.decode(np.concatenate([codec.encode(table), np.full((2, 2), [[9.0], [-9.0]], np.float32)]))["it"]
    assert decoded.type == table["it"].type
    least, *_, largest = sorted(map(int, decoded.to_pylist()))
    assert -least == largest > 0.999999 * most


def test_an_infinite_level_is_in_the_saved_schema():
    levels = pa.array([np.inf, 1.0, -np.inf])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 0, None, 0] * 10, pa.int8()), levels)
    table = pa.table({"it": column, "x": [1, 2] * 20})
    codec = TableCodec.fit(table)
    loaded = TableCodec.from_json(codec.to_json())
    assert loaded.schema == codec.schema
    assert loaded.decode(loaded.encode(table)).equals(codec.decode(codec.encode(table)))


def test_scale_does_not_matter():
    rng = np.random.default_rng(1)
    for scale in (1e-310, 1e-300, 1e-30, 1.0, 1e30, 1.5e307):
        x = np.concatenate([rng.standard_t(2, 2000).clip(-9, 9), [-10.0, 10.0] * 10]) * scale
        for numeric in ("score", "affine"):
            codec = TableCodec.fit(pa.table({"x": x}), numeric=numeric)
            H = codec.encode(pa.table({"x": x}))
            assert np.isfinite(H).all()
            assert 0.1 < H.std() < 2
            np.testing.assert_allclose(codec.decode(H)["x"].to_numpy(), x, rtol=1e-4, atol=1e-4 * scale)


def test_more_rows_than_one_chunk():
    n = 70_000
    table = pa.table({"a": np.arange(n) % 1000, "b": pa.array(["x", "y"] * (n // 2)).dictionary_encode()})
    codec = TableCodec.fit(table, keep=["a"])
    decoded = codec.decode(codec.encode(table))
    assert decoded["b"].to_pylist() == table["b"].to_pylist()
    low, high = codec.columns[0].range
    np.testing.assert_array_equal(decoded["a"].to_numpy(), np.clip(table["a"].to_numpy(), low, high))


@pytest.mark.data
@pytest.mark.parametrize("name", ["adult", "diabetes_130_hospitals"])
def test_round_trip_of_real_tables(research_table, name):
    table = research_table(name)
    codec = TableCodec.fit(table)
    table = table.slice(0, 20_000)
    decoded = codec.decode(codec.encode(table))
    kept = [column for column in table.column_names if column != "patient_nbr"]
    assert decoded.column_names == kept
    for column in kept:
        before, after = table.column(column), decoded.column(column)
        assert before.type == after.type
        text = [
            array.cast(pa.string()).fill_null("missing").to_numpy(zero_copy_only=False) for array in (before, after)
        ]
        # Of 700 diagnoses 256 are told apart; elsewhere rare levels are pooled and ten rows at each end clipped.
        assert (text[0] == text[1]).mean() > (0.95 if column.startswith("diag_") else 0.997)
    frame = to_frame(table.to_pandas())
    codec = TableCodec.fit(frame.table)
    back = frame.native(codec.decode(codec.encode(frame.table)))
    for column, dtype in frame.native().dtypes[kept].items():
        if dtype != back.dtypes[column]:  # a level is added where rare ones had no other place
            assert [*dtype.categories, "other"] == list(back.dtypes[column].categories)


def single_values(n, seed=0):
    """A table of continuous columns in which no value occurs twice, and one of heaps."""
    rng = np.random.default_rng(seed)
    moment = np.datetime64("2020-01-01T00:00:00", "us") + rng.choice(10**13, n, replace=False)
    return pa.table(
        {
            "real": rng.lognormal(3, 1, n),
            "single": rng.normal(size=n).astype("float32"),
            "pay": pa.array(rng.choice(10**6, n, replace=False)),
            "huge": pa.array(2**60 + rng.choice(10**6, n, replace=False)),
            "cents": np.round(rng.choice(10**6, n, replace=False) / 100, 2),
            "moment": pa.array(moment),
            "heap": rng.integers(0, 20, n) / 4,
        }
    )


@pytest.mark.parametrize("n", [30, 400, 1_000])
@pytest.mark.parametrize("numeric", ["score", "affine"])
def test_a_schema_holds_no_value_of_a_single_record_and_releases_none(n, numeric):
    table = single_values(n)
    codec = TableCodec.fit(table, keep=table.column_names, numeric=numeric)
    drawn = codec.decode(np.random.default_rng(1).uniform(-9, 9, (2_000, codec.width)))
    cells = np.stack([np.arange(200) % count for count in codec.cell_counts], axis=1).astype("int32")
    for column in codec.columns:
        values = numbers(table.column(column.name), column.name, column.origin)[0]
        held = {*column.scored.values, *column.bins.low, *column.bins.high, *column.tally().edges}
        if column.name == "heap":
            assert held & set(values)  # what many share stands as it is
            continue
        assert not held & set(values), column.name
        assert column.origin not in integers(table.column(column.name))[0].tolist() or not column.origin
        if column.name in ("real", "single", "moment"):  # of numbers on a grid some are met by chance
            for released in (drawn, codec.from_cells(cells), codec.from_cells(cells, np.zeros(cells.shape))):
                assert not set(released.column(column.name).to_pylist()) & set(table.column(column.name).to_pylist())


@pytest.mark.parametrize("n", [400, 1_000])
def test_heaps_and_numbers_on_a_grid_come_back_as_they_were(n):
    table = single_values(n)
    codec = TableCodec.fit(table, keep=table.column_names)
    decoded = codec.decode(codec.encode(table))
    assert decoded["heap"].equals(table["heap"])
    # But for the ten rows beyond each end, and what single precision does not tell apart.
    for name, off in (("pay", 1), ("cents", 0.01)):
        before, after = table[name].to_numpy(), decoded[name].to_numpy()
        inner = np.sort(before)[[10, -11]]
        within = (before >= inner[0]) & (before <= inner[1])
        assert np.abs(after - before)[within].max() <= off + 1e-9


def test_the_constant_of_a_column_is_no_persons_name():
    table = pa.table({"name": [f"person {i}" for i in range(60)], "x": np.arange(60.0)})
    codec = TableCodec.fit(table, keep=["name"])
    assert "person" not in codec.to_json()
    assert codec.decode(codec.encode(table))["name"].to_pylist() == ["other"] * 60
    assert any("released as 'other' in every row" in found.text for found in codec.findings)


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        (pa.array(["a"] * 9 + ["b"] * 8 + ["c"] * 7), "other"),
        (pa.array(["a"] * 9 + ["b"] * 8 + ["c"] * 7).dictionary_encode(), "other"),
        (pa.array(["a"] * 9 + ["b"] * 8 + [None] * 7), None),
        (pa.array(["a"] * 9 + ["b"] * 8 + [None] * 7).dictionary_encode(), None),
        (pa.array(["a"] * 9 + [None] * 15), None),
        (pa.DictionaryArray.from_arrays([0] * 9 + [1] * 9 + [2] * 6, ["low", "mid", "high"], ordered=True), None),
        (pa.array([True] * 9 + [False] * 9 + [None] * 6), None),
    ],
)
def test_where_every_level_is_rare_none_comes_out(column, shown):
    table = pa.table({"level": column, "x": np.arange(24.0)})
    codec = TableCodec.fit(table)
    back = codec.decode(codec.encode(table))["level"]
    assert set(back.to_pylist()) == {shown}
    assert back.type == column.type
    assert {"rare_levels_pooled", "constant_column"} == {one.code for one in codec.findings if one.column == "level"}
    assert TableCodec.from_json(codec.to_json()).decode(codec.encode(table))["level"].equals(back)


def test_a_value_that_all_of_a_few_rows_share_is_not_rare():
    table = pa.table({"level": ["a"] * 6, "x": np.arange(6.0)})
    codec = TableCodec.fit(table)
    assert codec.decode(codec.encode(table))["level"].to_pylist() == ["a"] * 6
    assert [one.code for one in codec.findings if one.column == "level"] == ["constant_column"]
